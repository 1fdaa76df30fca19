import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { defineScenario } from '../../src/index.ts'
import { startServer } from '../../src/server/index.ts'
import { makeVideo } from '../judge/explore/planted/video.ts'

const busyOnce = defineScenario({
  version: 1,
  config: { keys: ['sk-mine'], env: { MY_URL: '${url}/v1' } },
  rules: [{ match: { op: 'video.poll' }, on: 1, respond: { status: 503 } }],
  expect: { artifacts: [{ kind: 'video', downloaded: 'intact' }] },
})

it('plays a scenario on a free port, and judges the client', async () => {
  await using server = await startServer({ scenario: busyOnce })
  const { GREENROOM_URL: baseUrl = '', GREENROOM_KEY: key = '' } = server.env
  expect([baseUrl, key, server.env['MY_URL']]).toEqual([server.url, 'sk-mine', `${server.url}/v1`])
  expect((await server.verdict()).passed).toBe(false)
  const sleep = async (ms: number): Promise<unknown> => {
    const init = { method: 'POST', body: JSON.stringify({ for: `${ms}ms` }) }
    return (await fetch(`${baseUrl}/_greenroom/clock/sleep`, init)).text()
  }
  await makeVideo('a red kite', { fetch, sleep, baseUrl, key })
  expect(await server.verdict()).toMatchObject({ passed: true, results: [{ path: 'artifacts[0]' }] })
})

it('judges by the invariants without a scenario', async () => {
  await using server = await startServer({ port: 0 })
  await fetch(`${server.url}/v1/chat/completions`, { method: 'POST' })
  const { invariants } = await server.verdict()
  expect(invariants.find(({ verdict }) => verdict === 'fail')?.name).toBe('auth-on-every-call')
})

it('lets options win over the scenario', async () => {
  await using server = await startServer({ scenario: busyOnce, keys: ['sk-other'], clock: 'manual' })
  expect(server.env['GREENROOM_KEY']).toBe('sk-other')
  expect(server.simulator.control.clock.status('default').mode).toBe('manual')
})

it('refuses one folder for state and cache, before it writes there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await expect(startServer({ port: 0, state: folder, cacheDir: `${folder}/.` })).rejects.toThrow(
    `state and cacheDir name the same folder, ${folder}. Give each one of its own, such as --cache-dir ${folder}/cache.`,
  )
  expect(readdirSync(folder)).toEqual([])
})
