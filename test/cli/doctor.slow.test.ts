import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CheckResult } from '../../src/cli/doctor/check.ts'
import { findNode, judgeClock } from '../../src/cli/doctor/machine.ts'
import { findProxies } from '../../src/cli/doctor/network.ts'
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
    expect.arrayContaining(['config', 'Node', 'npm', 'encoder', 'clock', 'sharp', 'cache', 'port', 'proxy']),
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

it('tells whether a greenroom or another program uses the port', async () => {
  await using greenroom = await startServer({ port: 0, cacheDir: false })
  const own = await examine(`port: ${new URL(greenroom.url).port}\n`)
  expect(own.find('port')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('in use by greenroom'),
  })
  const other = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const taken = await examine(`port: ${(other.address() as AddressInfo).port}\n`)
  other.close()
  expect([taken.code, taken.find('port')]).toEqual([
    1,
    expect.objectContaining({
      found: expect.stringContaining('another program'),
      advice: expect.stringContaining('--port'),
    }),
  ])
})

it('finds folders that cannot be written: the cache is a warning, the state an error', async () => {
  const folder = folderWith({
    'greenroom.config.yaml': 'port: 0\ncacheDir: file/cache\nstate: file/state\n',
    file: '',
  })
  const { code, find } = await examine('', {}, folder)
  expect(code).toBe(1)
  expect(find('cache')).toMatchObject({ status: 'warning', advice: expect.stringContaining('--cache-dir') })
  expect(find('state')).toMatchObject({ status: 'error' })
})

it('finds a working folder that cannot be written', async () => {
  const { find } = await examine('', {}, '/proc')
  expect(find('folder')).toMatchObject({ status: 'warning' })
})

it('finds an encoder that is not there', async () => {
  const { code, find } = await examine('port: 0\n', { GREENROOM_FFMPEG: '/nowhere/ffmpeg' })
  expect([code, find('encoder')?.status]).toEqual([1, 'error'])
})

it('finds an npm that does not run', async () => {
  const { code, find } = await examine('port: 0\n', { PATH: '/nowhere' })
  expect([code, find('npm')?.status]).toEqual([0, 'warning'])
})

it('compares packages of the project with what greenroom needs', async () => {
  const folder = folderWith({})
  for (const [name, version] of Object.entries({ msw: '1.3.2', vitest: '4.1.0', greenroom: '0.0.1' })) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ version }))
  }
  const { find } = await examine('', {}, folder)
  expect(find('msw')).toMatchObject({ status: 'warning', advice: expect.stringContaining('msw@latest') })
  expect(find('vitest')).toMatchObject({ status: 'ok' })
  expect(find('jest')).toBeUndefined()
  expect(find('greenroom')).toMatchObject({ status: 'warning', found: expect.stringContaining('0.0.1') })
})

it.each([
  ['20.19.0', 'ok'],
  ['24.0.1', 'ok'],
  ['20.9.0', 'error'],
  ['18.20.4', 'error'],
])('finds Node %s: %s', (version, status) => {
  expect(findNode(version).status).toBe(status)
})

it.each([
  [{}, 'ok'],
  [{ HTTPS_PROXY: 'http://p' }, 'ok'],
  [{ HTTP_PROXY: 'http://p' }, 'warning'],
  [{ all_proxy: 'socks://p' }, 'warning'],
  [{ http_proxy: 'http://p', no_proxy: 'localhost' }, 'warning'],
  [{ http_proxy: 'http://p', no_proxy: 'localhost,127.0.0.1' }, 'ok'],
  [{ http_proxy: 'http://p', NO_PROXY: 'localhost, 127.0.0.0/8' }, 'ok'],
  [{ HTTP_PROXY: 'http://p', NO_PROXY: '*' }, 'ok'],
])('finds in %j a proxy that is: %s', (environment, status) => {
  expect(findProxies(environment).status).toBe(status)
})

it('never prints the password of a proxy', () => {
  expect(JSON.stringify(findProxies({ HTTP_PROXY: 'http://me:secret@p' }))).not.toContain('secret')
})

const today = Date.parse('2026-11-23T00:00:00Z')

it.each([
  [today, 0, undefined, 'ok'],
  [today, 0, 'Europe/Berlin', 'ok'],
  [today, 0, 'Mars/One', 'warning'],
  [today, -50, undefined, 'warning'],
  [Date.parse('1970-01-02'), 0, undefined, 'warning'],
])('finds a clock at %i with a drift of %i ms and TZ=%s: %s', (nowMs, driftMs, timeZone, status) => {
  expect(judgeClock(nowMs, driftMs, timeZone).status).toBe(status)
})
