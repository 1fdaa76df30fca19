import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { serveFlagNames } from '../../src/cli/serve/server-flags.ts'
import { shippedOperations } from '../../src/apis/index.ts'
import { folderWith, run, runIn, serve } from './run-in-folder.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** What the built program says. */
const built = (words: readonly string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, [main, ...words], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  })

it('prints the URL first, then where the dashboard is, a key, and how to speed up time', async () => {
  const { code, printed } = await runIn(folderWith({}), serve(), {
    environment: { GREENROOM_FFMPEG: 'wasm' },
  })
  const [first] = printed.split('\n')
  expect(code).toBe(0)
  expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(printed).toContain('key        sk-greenroom')
  expect(printed).toContain(`dashboard  ${first}/_greenroom/`)
  expect(printed).toContain('--rate 60')
  expect(printed).toContain('encoder    wasm')
  expect(printed.split('\n').length).toBeLessThan(14)
})

it('prints where the requests of each API go, as its operations say', async () => {
  const { printed } = await run(serve())
  const [url] = printed.split('\n')
  const paths = shippedOperations.names.map((name) => shippedOperations.find(name)!.route.split(' ').at(-1)!)
  for (const [name, path] of Object.entries({
    video: '/v1/video/generations',
    drawing: '/mj',
    text: '/v1beta/models',
    openai: '/v1',
  })) {
    expect(printed).toContain(`  ${name.padEnd(9)}  ${url}${path}\n`)
    expect(paths.some((each) => each.startsWith(path))).toBe(true)
  }
})

it('prints lines to paste with --verbose', async () => {
  const { printed } = await run(serve('--verbose'))
  const [first] = printed.split('\n')
  expect(printed).toContain(`export OPENAI_BASE_URL=${first}/v1 OPENAI_API_KEY=sk-greenroom`)
  expect(printed).toContain(`export ANTHROPIC_BASE_URL=${first} ANTHROPIC_API_KEY=sk-greenroom`)
  expect(printed.match(/^(TASK=\$\(curl|until curl|curl -fL) .*$/gm)).toHaveLength(3)
})

it('prints one line of JSON with --log json, and only the URL with --log silent', async () => {
  const json = await run(serve('--log', 'json', '--clock', 'manual', '--keys', 'sk-a', '--keys', 'sk-b'))
  expect(JSON.parse(json.printed)).toMatchObject({ key: 'sk-a', clock: { mode: 'manual' } })
  expect((await run(serve('--log', 'silent'))).printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
})

it('takes a rate to mean scaled time', async () => {
  const { printed } = await run(serve('--log', 'json', '--rate', '60'))
  expect(JSON.parse(printed)).toMatchObject({ clock: { mode: 'scaled', rate: 60 } })
})

it('reads the config file of the folder, and lets flags win', async () => {
  const config = 'clock: { mode: manual, start: "2030-01-01T00:00:00Z" }\nkeys: [sk-file]\nseed: 5\n'
  const fromFile = await run(serve('--log', 'json'), { 'greenroom.config.yaml': config })
  expect(JSON.parse(fromFile.printed)).toMatchObject({
    key: 'sk-file',
    clock: { mode: 'manual', time: '2030-01-01T00:00:00.000Z' },
  })
  const flagged = await run(serve('--log', 'json', '--clock', 'auto', '--keys', 'sk-flag'), {
    'greenroom.config.yaml': config,
  })
  expect(JSON.parse(flagged.printed)).toMatchObject({ key: 'sk-flag', clock: { mode: 'auto' } })
  const paced = { 'greenroom.config.yaml': 'clock: { rate: 60, pollStep: 2s }\n' }
  const still = await run(serve('--log', 'json', '--clock', 'auto'), paced)
  expect(JSON.parse(still.printed)).toMatchObject({ clock: { mode: 'auto', pollStepMs: 2_000 } })
  const hurried = await run(serve('--log', 'json', '--rate', '5'), { 'greenroom.config.yaml': config })
  expect(JSON.parse(hurried.printed)).toMatchObject({ clock: { mode: 'scaled', rate: 5 } })
  const json = await run(serve('--log', 'json'), { 'greenroom.config.json': '{"clock":{"mode":"auto"}}' })
  expect(JSON.parse(json.printed)).toMatchObject({ clock: { mode: 'auto' } })
})

it('names every mistake in a config file with its line and column, and what was meant', async () => {
  const config = 'qualty: fast\nport: 99999\nvideo:\n  size: { max: big }\nmodels:\n  - nme: x\n'
  const { code, warned, folder } = await run(serve(), { 'greenroom.config.yaml': config })
  const path = join(folder, 'greenroom.config.yaml')
  expect(code).toBe(22)
  expect(warned).toContain(`${path}:1:1: qualty is not known. Did you mean "quality"?`)
  expect(warned).toContain(`${path}:2:7: port is 99999`)
  expect(warned).toContain(`${path}:4:16: video.size.max is "big"`)
  expect(warned).toContain(`${path}:6:5: models.0.nme is not known. Did you mean "name"?`)
})

it.each([
  ['keys:\n  - { key: sk-a, expirs: 1 }', ':2:18: keys.0.expirs is not known. Did you mean "expires"?'],
  ['keys:\n  - { key: sk-a, expires: tomorrow }', ':2:27: keys.0.expires is "tomorrow": must be an ISO date'],
  ['timing: quik', ':1:9: timing is "quik": must be one of instant, quick, realistic. Did you mean "quick"?'],
  ['clock: { mode: real, rate: 5 }', ':1:28: clock.rate is 5: a rate goes with mode scaled, not with real.'],
  ['clock: { rate: 2e6 }', ':1:16: clock.rate is 2000000: must be at most 1000000'],
  ["clock: { start: '1969-12-31' }", ':1:17: clock.start is "1969-12-31": must lie in the years from 1970'],
  ['version: 1\ndrive: []', ':1:1: version is a key of scenarios. Pass the file to serve --scenario'],
  ['port: "4646"', ':1:7: port is "4646": must be a number'],
  ['port: 70000', ':1:7: port is 70000: must be at most 65535'],
  ['timing: { queued: 1x }', ':1:19: timing.queued is "1x": "1x" is not a duration'],
  ["timing:\n  '*': { render: 1x }", ':2:18: timing.*.render is "1x": "1x" is not a duration'],
  ['limits: { imageMegabyte: 5 }', 'limits.imageMegabyte is not known. Did you mean "imageMegabytes"?'],
  ['quirks: { contentAth: on }', 'quirks.contentAth is not known. Did you mean "contentAuth"?'],
])('explains the mistake in %j', async (config, message) => {
  const { code, warned } = await run(serve(), { 'greenroom.config.yaml': config })
  expect([code, warned]).toEqual([22, expect.stringContaining(message)])
})

it('says where a config file cannot be parsed, is missing, or is one of two', async () => {
  const broken = await run(serve(), { 'greenroom.config.yaml': 'clock: {\n' })
  expect([broken.code, broken.warned]).toEqual([
    22,
    expect.stringMatching(/greenroom\.config\.yaml:2:1: Flow map in block collection /),
  ])
  const rounded = await run(serve(), { 'greenroom.config.yaml': 'seed: 9007199254740993\n' })
  expect([rounded.code, rounded.warned]).toEqual([
    22,
    expect.stringMatching(/greenroom\.config\.yaml:1:7: 9007199254740993 has more digits/),
  ])
  const missing = await run(serve('--config', 'nowhere.yaml'))
  expect([missing.code, missing.warned]).toEqual([
    22,
    expect.stringContaining('nowhere.yaml: it does not exist'),
  ])
  const two = await run(serve(), { 'greenroom.config.yaml': '', 'greenroom.config.json': '{}' })
  expect([two.code, two.warned]).toEqual([22, expect.stringContaining('more than one config file')])
})

it.each([
  [['--prot', '1'], 'Unknown flag "--prot". Did you mean "--port"?'],
  [['--port', '70000'], '--port is 70000: must be at most 65535.'],
  [['--port', '0x10'], '--port is "0x10": must be a number.'],
  [['--port', ''], '--port is empty: give it a value.'],
  [['--rate', '-1'], '--rate is "-1": must be a number above 0'],
  [['--rate', '60', '--clock', 'manual'], '--rate needs --clock scaled'],
  [
    ['--public-url', 'https://x.example'],
    '--public-url is no flag of greenroom serve. Set publicUrl in the config file.',
  ],
  [['--apis', 'a.ts'], '--apis is no flag of greenroom serve. Write --api.'],
  // As of a variable that isn't set.
  [['--rate'], 'Not enough arguments following: rate'],
  [['--quality', 'fast', '--quality', 'full'], '--quality needs one value. Give it once.'],
  [['--timing', 'quick', '--timing', 'instant'], '--timing needs one value. Give it once.'],
  [['--profile', 'seed', '--profile', 'page'], '--profile needs one value. Give it once.'],
  [['--clock', 'real', '--clock', 'auto'], '--clock needs one value. Give it once.'],
  [['--verbose=maybe'], '--verbose is "maybe": it takes no value. See greenroom serve --help.'],
  [['--clock', 'warp'], '--clock is "warp": use one of "real", "scaled", "manual", "auto".'],
])('refuses the flags %j', async (words, message) => {
  const { code, warned } = await run(['serve', ...words])
  expect([code, warned]).toEqual([2, expect.stringContaining(message)])
})

it('refuses an encoder that is not there, and says so', async () => {
  const environment = { GREENROOM_FFMPEG: '/nowhere/ffmpeg' }
  const { code, warned } = await runIn(folderWith({}), serve(), { environment })
  expect([code, warned]).toEqual([23, expect.stringContaining('/nowhere/ffmpeg')])
})

it('refuses an encoder that does not run, and stops the server', async () => {
  const environment = { GREENROOM_FFMPEG: process.execPath }
  const { code, printed, warned } = await runIn(folderWith({}), serve(), { environment })
  expect([code, printed]).toEqual([23, ''])
  expect(warned).toMatch(/^error: Failed to start the encoder: .* can't be used as ffmpeg/)
})

it('knows its commands, and explains every flag', async () => {
  expect((await run(['srve'])).warned).toContain('There is no command "srve". Did you mean "serve"?')
  const { printed } = await run(['serve', '--help'])
  for (const name of serveFlagNames) expect(printed).toMatch(new RegExp(`--(?:\\[no-\\])?${name} `))
  expect((await run(['--version'])).printed).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('prints help without arguments, and with -h, as the built program', () => {
  expect(built([]).stdout).toBe(built(['-h']).stdout)
  expect(built(['serve', '-h']).stdout).toContain('Start the simulator')
})

it('parses by yargs: "=" or a space, repeated lists, switches with --no-', async () => {
  const words = ['--log=json', '--rate=600', '--keys', 'sk-one', '--keys=sk-two', '--no-verbose', '--seed=-7']
  const { code, printed, warned } = await run(serve(...words))
  expect([code, warned]).toEqual([0, ''])
  expect(JSON.parse(printed)).toMatchObject({ key: 'sk-one', clock: { mode: 'scaled', rate: 600 } })
})

it('speaks English whatever the language of the machine is, and still knows what was meant', async () => {
  const german = built(['serve', '--prot', '1'], { LC_ALL: 'de_DE.UTF-8' })
  expect([german.status, german.stderr]).toEqual([2, expect.stringContaining('Did you mean "--port"?')])
})

it('ends in good order when it is interrupted, as a process of its own', async () => {
  const child = spawn(process.execPath, [
    main,
    'serve',
    '--port',
    '0',
    '--log',
    'silent',
    '--cache-dir',
    'false',
  ])
  let warned = ''
  child.stderr.on('data', (chunk: Buffer) => (warned += chunk.toString()))
  const [url] = (await createInterface(child.stdout)[Symbol.asyncIterator]().next()).value.split('\n') as [
    string,
  ]
  expect((await fetch(`${url}/_greenroom/health`)).status).toBe(200)
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])))
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(warned).toBe('')
})

it.skipIf(process.platform !== 'linux')('fails if its output does not fit on the disk', () => {
  const script = `"${process.execPath}" "${main}" scenarios > /dev/full`
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([22, 'error: Failed to write to standard output: the disk is full.\n'])
})

const oldNode =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}})"

it.each([
  [
    'the program',
    ['dist/cli/main.js', '--version'],
    /^error: greenroom needs Node 20\.19 or later, but this is Node 18\.20\.8\.\n$/,
  ],
  ['an entry', ['-e', "import('greenroom/vitest')"], /^Error: greenroom needs Node 20\.19 or later/m],
  ['the entry for require', ['-e', "require('greenroom')"], /^Error: greenroom needs Node 20\.19 or later/m],
])('says in %s which Node it needs, before anything else fails', (_entry, words, message) => {
  const { status, stderr } = spawnSync(process.execPath, ['--import', oldNode, ...words], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
})
