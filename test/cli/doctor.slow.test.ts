import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkNode, type CheckResult } from '../../src/cli/doctor/checks.ts'
import { startServer } from '../../src/server/index.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const path = { PATH: process.env['PATH'] }

interface Report {
  readonly ok: boolean
  readonly checks: readonly CheckResult[]
}

/** What doctor finds in a folder with this config, by the name of the check. */
async function examine(
  config: string,
  environment: Record<string, string> = {},
  folder = folderWith({ 'greenroom.config.yaml': config }),
): Promise<{ code: number; ok: boolean; find: (name: string) => CheckResult | undefined }> {
  const { code, printed } = await runIn(folder, ['doctor', '--json'], {
    environment: { ...path, GREENROOM_FFMPEG: 'wasm', ...environment },
  })
  const { ok, checks } = JSON.parse(printed) as Report
  return { code, ok, find: (wanted) => checks.find(({ name }) => name === wanted) }
}

it('finds nothing wrong here, with a line for each check', async () => {
  const folder = folderWith({ 'greenroom.config.yaml': 'port: 0\n' })
  const { code, printed } = await runIn(folder, ['doctor'], {
    environment: { ...path, GREENROOM_FFMPEG: 'wasm', COLUMNS: '60' },
  })
  expect(code).toBe(0)
  expect(printed).toMatch(/\n0 errors, 0 warnings\n$/)
  expect(printed.match(/^[✓!✗] \w+/gm)?.map((each) => each.slice(2))).toEqual(
    expect.arrayContaining(['config', 'Node', 'encoder', 'port', 'sharp']),
  )
  expect(printed.split('\n').filter((line) => line.length > 60 && line.includes(' ', 20))).toEqual([])
})

it('exits with 1 for a broken config, and still makes the other checks', async () => {
  const { code, ok, find } = await examine('prot: 1\n')
  expect([code, ok]).toEqual([1, false])
  expect(find('config')).toMatchObject({
    status: 'error',
    found: expect.stringContaining('greenroom.config.yaml:1:1: prot is not known. Did you mean "port"?'),
  })
  expect(find('Node')).toMatchObject({ status: 'ok' })
})

it('warns of a port that is in use, and says how to choose another', async () => {
  await using other = await startServer({ port: 0, cacheDir: false })
  const { code, find } = await examine(`port: ${new URL(other.url).port}\n`)
  expect(code).toBe(0)
  expect(find('port')).toMatchObject({ status: 'warning', advice: expect.stringContaining('--port') })
})

it('finds a port on which it may not listen', async () => {
  const { code, find } = await examine('port: 4646\nhost: 192.0.2.1\n')
  expect(code).toBe(1)
  expect(find('port')).toMatchObject({ status: 'error', found: expect.stringContaining('EADDRNOTAVAIL') })
})

it('finds an encoder that is not there', async () => {
  const { code, find } = await examine('port: 0\n', { GREENROOM_FFMPEG: '/nowhere/ffmpeg' })
  expect([code, find('encoder')?.status]).toEqual([1, 'error'])
})

it('compares packages of the project with what greenroom needs', async () => {
  const folder = folderWith({})
  for (const [name, version] of Object.entries({ msw: '1.3.2', vitest: '4.1.0' })) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ version }))
  }
  const { find } = await examine('', {}, folder)
  expect(find('msw')).toMatchObject({ status: 'warning', advice: expect.stringContaining('msw@latest') })
  expect(find('vitest')).toMatchObject({ status: 'ok' })
  expect(find('jest')).toBeUndefined()
})

it.each([
  ['20.19.0', 'ok'],
  ['24.0.1', 'ok'],
  ['20.9.0', 'error'],
  ['18.20.4', 'error'],
])('finds Node %s: %s', (version, status) => {
  expect(checkNode(version).status).toBe(status)
})
