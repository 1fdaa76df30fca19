import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { client, folderWith, never, node, runIn, type Ran } from './run-in-folder.ts'

/** A client with its own variables, which prints the end of its key. */
const ownClient =
  client.replace('GREENROOM_URL: url, GREENROOM_KEY: key', 'GREENROOM_URL: url, ACME_KEY: key') +
  "console.log('key', process.env.ACME_KEY)\n"

function play(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<Ran> {
  const folder = folderWith({ 'client.mjs': ownClient, ...files })
  const all = ['run', ...words, ...node('client.mjs')]
  return runIn(folder, all, { interrupted: never, environment })
}

it('gives the command the key of the simulator in the place of a real one of the environment', async () => {
  const { code, warned } = await play({}, { ACME_KEY: 'sk-real-1' })
  expect(code).toBe(0)
  expect(warned).toContain(
    "hint: The command gets the simulator's key in ACME_KEY, so that no real gateway charges it.",
  )
  expect(warned).not.toContain('sk-real-1')
})

it('gives it in the place of a key of the file .env, too', async () => {
  const { code, warned } = await play({ '.env': 'ACME_KEY="sk-real-2"\nOTHER=1\n' }, {})
  expect([code, warned]).toEqual([0, expect.stringContaining('key in ACME_KEY, so')])
})

it('leaves a key that --env or config.env sets, and keys of namespaces', async () => {
  const story = 'version: 1\nconfig: { cacheDir: false, env: { ACME_KEY: sk-mine } }\n'
  const output = 'expect: { command: { stdout: { contains: key sk-mine } } }\n'
  const fromFile = await play({ 'a.yaml': story + output }, { ACME_KEY: 'sk-real-3' }, ['a.yaml'])
  expect([fromFile.code, fromFile.warned]).toEqual([0, ''])
  const fromFlag = await play({}, { ACME_KEY: 'sk-real-3' }, ['--env', 'ACME_KEY=sk-mine'])
  expect([fromFlag.code, fromFlag.warned]).toEqual([0, ''])
  expect((await play({}, { ACME_KEY: 'sk-sim-other' }, ['--no-strict'])).warned).not.toContain(
    'hint: The command gets',
  )
})

it('warns of the URL of a gateway that the command inherits, and writes the flag for it', async () => {
  const environment = { ACME_KEY: 'sk-1', ACME_BASE_URL: 'https://me:secret@gw.acme.example/v1/' }
  const { warned } = await play({}, environment)
  expect(warned).toContain('warning: The command inherits ACME_BASE_URL, which is https://gw.acme.example.')
  expect(warned).toContain("Write --env 'ACME_BASE_URL=${url}/v1'.")
  expect(warned).not.toContain('secret')
})

it('warns of no URL of this machine, of a CI system, of another kind, or of a flag', async () => {
  const environment = {
    ACME_KEY: 'sk-1',
    LOCAL_GATEWAY: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'https://api.github.com',
    HOMEPAGE: 'https://acme.example',
    OPENAI_BASE_URL: 'https://openai.example/v1',
    ACME_GATEWAY_URL: 'https://gw.acme.example',
  }
  const { warned } = await play({}, environment, ['--env', 'ACME_GATEWAY_URL=${url}'])
  expect(warned).not.toContain('warning:')
})

it('warns before exploration, too', async () => {
  const folder = folderWith({ 'client.mjs': 'process.exit(3)' })
  const environment = { ACME_GATEWAY: 'https://gw.acme.example' }
  const { warned } = await runIn(folder, ['explore', ...node('client.mjs')], {
    interrupted: never,
    environment,
  })
  expect(warned).toMatch(/^warning: The command inherits ACME_GATEWAY,/)
})

it('puts the folder of the run into ${runDir} of --env', async () => {
  const code = "process.exit(process.env.DIR === process.env.GREENROOM_RUN_DIR + '/ids' ? 0 : 9)"
  const words = ['run', '--no-strict', '--env', 'DIR=${runDir}/ids', ...node('-e', code)]
  expect((await runIn(folderWith({}), words, { interrupted: never })).code).toBe(0)
})

it('says that the shell has emptied a variable when no request came', async () => {
  const words = ['run', '--env', 'ACME=/v1', ...node('-e', '0')]
  const { printed } = await runIn(folderWith({}), words, { interrupted: never })
  expect(printed).toContain('ACME is "/v1": in double quotes, the shell itself replaces ${url}.')
})

it('refuses a placeholder without braces, and says how to write it', async () => {
  const { code, warned } = await runIn(folderWith({}), ['run', '--env', 'A=$url/v1', '--', 'true'])
  expect(code).toBe(2)
  expect(warned).toContain('--env is "A=$url/v1": nothing replaces $url. Write ${url}.')
})

it('does not run a client that is taken for a scenario, and says where a command goes', async () => {
  const folder = folderWith({})
  const ran = join(folder, 'ran')
  writeFileSync(join(folder, 'client.js'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`)
  const { code, warned } = await runIn(folder, ['explore', 'client.js'])
  expect(code).toBe(22)
  expect(warned).toMatch(/client\.js: exports no scenario\. .* A command goes after "--"\.$/m)
  expect(existsSync(ran)).toBe(false)
})

it.each(['go', 'pypy3'])('refuses virtual timers for %s, and says what to use instead', async (program) => {
  for (const command of ['run', 'explore']) {
    const { code, warned } = await runIn(folderWith({}), [command, '--virtual-timers', '--', program, 'x'])
    expect([code, warned]).toEqual([2, expect.stringContaining('works only in Node and Python')])
    expect(warned).toContain('sleep and time out over HTTP')
  }
})
