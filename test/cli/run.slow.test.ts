import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { client, files, folderWith, never, node, runIn, runScenarios as run, story } from './run-in-folder.ts'

it('plays a scenario to a command, and judges what it makes of it', async () => {
  const { code, printed, warned } = await run(folderWith(files), ['story.yaml', ...node('client.mjs')])
  expect(warned).toBe('')
  expect(printed).toContain('✓ story.yaml: a video, seed 1')
  expect(printed).toContain('7 requests in 25s of virtual time')
  expect(code).toBe(0)
})

it('plays it to the reference client where no command is named', async () => {
  const { code, printed } = await run(folderWith(files), ['story.yaml'])
  expect(printed).toContain('drive video-1: succeeded (1 task, 1 file of')
  expect(code).toBe(0)
})

it('exits with 20 where an expectation failed, and ends with the line that does it again', async () => {
  const folder = folderWith({ ...files, 'story.yaml': story.replace('max: 7', 'max: 3') })
  const { code, printed } = await run(folder, ['story.yaml', '--seed', '137', ...node('client.mjs', "it's")])
  expect(code).toBe(20)
  expect(printed).toMatch(/✗ requests: .*\n.*\n\s+at story\.yaml:12:7/)
  expect(printed.trimEnd().split('\n').at(-1)).toBe(
    `  greenroom run --seed 137 story.yaml -- ${process.execPath} client.mjs 'it'\\''s'`,
  )
})

it('ends with a line that does it again where seed and file look like flags', async () => {
  const folder = folderWith({ '-story.yaml': 'version: 1\nseed: "-x"\nconfig: { cacheDir: false }\n' })
  const { printed } = await run(folder, ['./-story.yaml', ...node('-e', 'process.exit(3)')])
  const again = `run --seed=-x ./-story.yaml -- ${process.execPath} -e 'process.exit(3)'`
  expect(printed).toContain(`greenroom ${again}\n`)
  expect((await run(folder, ['--seed=-x', './-story.yaml', ...node('-e', 'process.exit(3)')])).printed).toBe(
    printed,
  )
})

it('exits with 25 and one error that lists the variables when no request came', async () => {
  const folder = folderWith(files)
  const words = ['story.yaml', '--env', 'MY_GATEWAY=${url}/v1', ...node('-e', '0')]
  const { code, printed } = await run(folder, words)

  expect(code).toBe(25)
  expect(printed.match(/✗/g)).toHaveLength(2)
  expect(printed).toContain('✗ run: sends a request\n      No requests reached the simulator.')
  expect(printed).toMatch(/GREENROOM_URL=http:\/\/127\.0\.0\.1:\d+, /)
  expect(printed).toMatch(/MY_GATEWAY=http:\/\/127\.0\.0\.1:\d+\/v1\. /)
})

it('says that a worker may have nothing to do, unless it failed or keeps its state in the folder of the run', async () => {
  const folder = folderWith(files)
  const idle = 'finds its own state of the last run'
  const play = async (code: string, ...words: string[]): Promise<string> => {
    const { printed, warned } = await run(folder, ['story.yaml', ...words, ...node('-e', code)])
    return (printed + warned).replaceAll(/\s+/g, ' ')
  }
  expect(await play('0')).toContain(idle)
  expect(await play('process.exit(3)')).not.toContain(idle)
  expect(await play('0', '--env', 'MY_STATE_DIR=${runDir}')).not.toContain(idle)
})

it('exits with 25 without requests, though nothing was expected, unless --no-strict allows it', async () => {
  const folder = folderWith({ 'story.yaml': 'version: 1\n' })

  expect((await run(folder, ['story.yaml', ...node('-e', '0')])).code).toBe(25)
  expect((await run(folder, ['story.yaml', '--no-strict', ...node('-e', '0')])).code).toBe(0)
})

it('still fails what a run without requests does not fulfil, with --no-strict', async () => {
  const { code } = await run(folderWith(files), ['story.yaml', '--no-strict', ...node('-e', '0')])
  expect(code).toBe(25)
})

it('exits with 25 when requests came with other keys only, and names their namespaces', async () => {
  const other = client.replace("'Bearer ' + key", "'Bearer sk-sim-mine'")
  const folder = folderWith({ ...files, 'client.mjs': other })
  const { code, printed } = await run(folder, ['story.yaml', ...node('client.mjs')])

  expect([code, printed]).toEqual([
    25,
    expect.stringContaining('No request had the key that is judged, only keys of other namespaces: mine ('),
  ])
})

it("exits with the command's code where it fails, and tells the verdict too", async () => {
  const submitsOnly = client.slice(0, client.indexOf('for (;;)')) + 'process.exit(7)'
  const folder = folderWith({ ...files, 'client.mjs': submitsOnly })
  const { code, printed } = await run(folder, ['story.yaml', ...node('client.mjs')])
  expect(code).toBe(7)
  expect(printed).toContain('✗ command: exits with 0')
  expect(printed).toContain('✗ tasks: 1 × video task: SUCCESS')
})

it('reports a failed command alone when it sent no request', async () => {
  const { code, printed, warned } = await run(folderWith(files), [
    'story.yaml',
    ...node('-e', 'process.exit(7)'),
  ])
  expect(code).toBe(7)
  expect(printed).not.toContain('✗ tasks')
  expect(warned).toContain('error: No requests reached the simulator.')
})

const unexpectant = { ...files, 'story.yaml': 'version: 1\nname: a story\nconfig: { cacheDir: false }\n' }

it('fails the run where the command failed, though nothing was expected, in every report', async () => {
  const folder = folderWith(unexpectant)
  const reports = ['junit=reports/out.xml', 'json=out.json', 'markdown=out.md', 'github=out.txt']
  const words = ['story.yaml', ...reports.flatMap((report) => ['--report', report])]
  const { code, printed } = await run(folder, [...words, ...node('-e', 'process.exit(3)')])
  expect(code).toBe(3)
  expect(printed).toContain('✗ story.yaml: a story, seed 1\n  ✗ command: exits with 0\n      exited with 3\n')
  expect(printed).toContain('reproduce:\n')
  const written = (name: string): string => readFileSync(join(folder, name), 'utf8')
  expect(written('reports/out.xml')).toContain('<testsuites name="greenroom" tests="1" failures="1"')
  expect(JSON.parse(written('out.json'))).toMatchObject({
    passed: false,
    verdicts: [{ passed: false, results: [{ path: 'command', verdict: 'fail', actual: 'exited with 3' }] }],
  })
  expect(written('out.md')).toContain('## ❌ story.yaml')
  expect(written('out.txt')).toContain('::error file=story.yaml')
})

it.each([[[]], [['']]])(
  'refuses "--" with %j behind it, as of a variable that is not set',
  async (command) => {
    const { code, warned } = await run(folderWith(files), ['story.yaml', '--', ...command])
    expect([code, warned]).toEqual([2, expect.stringContaining('There is no command after "--".')])
  },
)

it('plays with the key that is judged, where others have a namespace of their own', async () => {
  const keys =
    'config: { keys: [{ key: sk-team, namespace: team }, sk-sim-other, sk-mine], cacheDir: false }\n'
  const story = `version: 1\n${keys}drive: [{ flow: video }]\nexpect: { tasks: [{ status: SUCCESS }] }\n`
  const { code, warned } = await run(folderWith({ 'story.yaml': story }), ['story.yaml'])
  expect([code, warned]).toEqual([0, ''])
})

it('keeps the output to a report that goes there', async () => {
  const { printed, warned } = await run(folderWith(files), ['story.yaml', '--report', 'json'])
  expect(JSON.parse(printed)).toMatchObject({ passed: true })
  expect(warned).toMatch(/^drive video-1: succeeded/)
})

it('takes the encoder of the environment, unless the file names one', async () => {
  const environment = { GREENROOM_FFMPEG: '/no/such' }
  const { code, warned } = await runIn(folderWith(files), ['run', 'story.yaml'], { environment })
  expect([code, warned]).toEqual([23, expect.stringContaining('Failed to take "/no/such" as ffmpeg')])
  const own = { ...files, 'story.yaml': story.replace('config: {', 'config: { ffmpeg: wasm,') }
  const words = ['run', 'story.yaml']
  expect((await runIn(folderWith(own), words, { environment, interrupted: never })).code).toBe(0)
})

it('says of a rule that never fired where it stands', async () => {
  const rules = 'rules:\n  - { id: late, match: { op: video.poll }, on: 99, delay: 1s }\n'
  const story = `version: 1\n${rules}drive: [{ flow: video }]\nconfig: { cacheDir: false }\n`
  const { printed } = await run(folderWith({ 'story.yaml': story }), ['story.yaml'])
  expect(printed).toMatch(/rule late fires at least once.*\n.*never fired.*\n {6}at story\.yaml:3:5\n/)
})

it('fails a run whose drive wants a button that no result has, and says which there are', async () => {
  const drive = 'drive: [{ flow: drawing, actions: [upscale 1, frame it], download: false }]\n'
  const { code, printed } = await run(folderWith({ 'story.yaml': `version: 1\nname: a story\n${drive}` }), [
    'story.yaml',
  ])
  expect(code).toBe(20)
  expect(printed).toMatch(/^drive drawing-1: impossible, no result has a button for "frame it"\./)
  expect(printed).toMatch(
    /✗ story\.yaml.*\n {2}✗ drive: can do its steps\n {6}drawing-1: no result .* There are U1, /,
  )
})

it('names the seeds with which the command failed', async () => {
  const { code, printed } = await run(folderWith(unexpectant), [
    'story.yaml',
    '--seeds',
    '1..2',
    ...node('-e', 'process.exit(3)'),
  ])
  expect([code, printed]).toEqual([3, expect.stringContaining('✗ story.yaml: a story, seed 2')])
})

it('exits with 128 and the number of the signal that ended the command, and names the signal', async () => {
  const script = 'process.kill(process.pid, "SIGABRT")'
  const { code, printed } = await run(folderWith(files), ['story.yaml', ...node('-e', script)])
  expect([code, printed]).toEqual([134, expect.stringContaining('exited with 134 (SIGABRT)')])
})

it('tells every mistake in every file before anything runs', async () => {
  const folder = folderWith({ ...files, 'one.yaml': 'version: 1\nrulez: []\n', 'two.yaml': 'version: 2\n' })
  const script = "require('fs').writeFileSync('ran', '')"
  const { code, warned } = await run(folder, ['story.yaml', 'one.yaml', 'two.yaml', ...node('-e', script)])
  expect(code).toBe(22)
  expect(warned).toContain('one.yaml:2:1: rulez: is not known. Did you mean "rules"?')
  expect(warned).toContain('two.yaml:1:10: version: is 2')
  expect(existsSync(join(folder, 'ran'))).toBe(false)
})

it('exits with 23 where the server cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const folder = folderWith({ 'story.yaml': story.replace('{ cacheDir', `{ port: ${port}, cacheDir`) })
  const { code, warned } = await run(folder, ['story.yaml'])
  taken.close()
  expect([code, warned]).toEqual([23, expect.stringContaining('the port is in use')])
})

it('tells what it found in one file where the server of the next cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const folder = folderWith({
    ...files,
    'next.yaml': story.replace('{ cacheDir', `{ port: ${port}, cacheDir`),
  })
  const { code, printed } = await run(folder, ['story.yaml', 'next.yaml', '--report', 'junit=out.xml'])
  taken.close()
  expect([code, printed]).toEqual([23, expect.stringContaining('✓ story.yaml: a video, seed 1')])
  expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toContain('story.yaml')
})

it('exits with 24 where a run takes too long, and says why time stands still', async () => {
  const { code, printed, warned } = await run(folderWith(unexpectant), [
    'story.yaml',
    '--time-limit',
    '300ms',
    ...node('-e', 'setInterval(() => {}, 1000)'),
  ])
  expect(code).toBe(24)
  expect(printed).toContain('✗ run: completes\n      the run took longer than 300ms of real time')
  expect(warned).toContain('the run took longer than 300ms of real time; auto:')
})

it('waits for a command that may move a clock of mode manual, and says how', async () => {
  const words = ['story.yaml', '--clock', 'manual', '--time-limit', '300ms']
  const sleeps = `fetch(process.env.GREENROOM_URL + '/_greenroom/clock/sleep', { method: 'POST', body: '{"for":"5s"}' })`
  const { code, warned } = await run(folderWith(files), [...words, ...node('-e', sleeps)])
  expect([code, warned]).toEqual([
    24,
    expect.stringContaining('300ms of real time; manual: time moves only when'),
  ])
  expect(warned).toContain('Let the command advance the clock by POST /_greenroom/clock/advance')
})

it('refuses a missing command, flags that contradict each other, and a file without a client', async () => {
  const folder = folderWith({
    ...files,
    'mute.yaml': 'version: 1\n',
    'standing.yaml': `${story}clock: { mode: manual }\n`,
  })
  const failures: [string[], string][] = [
    [['story.yaml', '--', 'no-such-program'], 'Failed to run "no-such-program": there is no such program'],
    [['story.yaml', '--seed', '1', '--seeds', '1..2'], '--seed excludes --seeds'],
    [['story.yaml', '--seeds', '9..1'], '--seeds is "9..1": write a range'],
    [['story.yaml', '--report', 'xunit'], '--report is "xunit": write one of html, junit'],
    [['story.yaml', '--report', 'github=a', '--report', 'json=a'], 'a is named for two reports'],
    [['story.yaml', '--env', 'MY_URL'], '--env is "MY_URL": write NAME=VALUE'],
    [['story.yaml', '--env', 'A=${urll}'], 'nothing replaces ${urll}. Did you mean "${url}"?'],
    [['story.yaml', '--env', '1=2'], '--env is "1=2": write NAME=VALUE'],
    [['story.yaml', '--time-limit', 'soon'], '--time-limit: "soon" is not a duration'],
    [['story.yaml', '--time-limit', '90d'], '--time-limit is "90d": give 24d at most'],
    [['mute.yaml'], 'mute.yaml has no drive'],
    [
      ['story.yaml', '--clock', 'manual'],
      'in clock mode manual, which nothing would advance. Pass --clock auto',
    ],
    [['standing.yaml'], "standing.yaml can't run with the reference client"],
    [[], 'greenroom run needs a scenario, a command after "--", or both'],
  ]
  for (const [words, message] of failures) {
    const { code, warned } = await run(folder, words)
    expect([code, warned]).toEqual([2, expect.stringContaining(message)])
  }
})

it('tells SDKs where the gateway is, and more by the config of the file', async () => {
  const script = "require('fs').writeFileSync('seen.json', JSON.stringify(process.env))"
  const config = "{ cacheDir: false, keys: [sk-mine], env: { MY_URL: '${url}/v1', MY_TOKEN: '${key}' } }"
  const folder = folderWith({ 'story.yaml': story.replace('{ cacheDir: false }', config) })
  await run(folder, ['story.yaml', ...node('-e', script)])
  const seen = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Record<string, string>
  const url = seen['GREENROOM_URL']
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(seen).toMatchObject({
    GREENROOM_KEY: 'sk-mine',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'sk-mine',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'sk-mine',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-mine',
    MJ_SERVER: url,
    MJ_API_SECRET: 'sk-mine',
    MY_URL: `${url}/v1`,
    MY_TOKEN: 'sk-mine',
  })
})

it('sets variables from the command line for the command, any name, in place of those of the file', async () => {
  const script = "require('fs').writeFileSync('seen.json', JSON.stringify(process.env))"
  const config = "{ cacheDir: false, keys: [sk-mine], env: { MY_URL: '${url}/v1', MY_TOKEN: '${key}' } }"
  const folder = folderWith({ 'story.yaml': story.replace('{ cacheDir: false }', config) })
  const flags = [
    '--env',
    'MY_URL=${url}/v2?a=b',
    '--env',
    'MY_HOME=${HOME}',
    '--env',
    'GIT_TRACE=',
    '--env',
    'NODE_PATH=/none',
  ]
  await run(folder, ['story.yaml', ...flags, ...node('-e', script)])
  const seen = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Record<string, string>
  expect(seen).toMatchObject({
    MY_URL: `${seen['GREENROOM_URL']}/v2?a=b`,
    MY_TOKEN: 'sk-mine',
    GIT_TRACE: '',
    MY_HOME: '${HOME}',
    NODE_PATH: '/none',
  })
})

it('runs once for each seed and file, and writes every report', async () => {
  const folder = folderWith({ ...files, 'other.yaml': story.replace('a video', 'another') })
  const wanted = ['junit=out.xml', 'json=out.json', 'markdown=out.md', 'github']
  const reports = wanted.flatMap((report) => ['--report', report])
  const { code, printed, warned } = await run(folder, [
    'story.yaml',
    'other.yaml',
    '--seeds',
    '3..5',
    ...reports,
  ])
  expect(code).toBe(0)
  const json = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
    verdicts: { name: string; runs: { seed: string }[] }[]
  }
  expect(json.verdicts.map(({ name, runs }) => [name, runs.map(({ seed }) => seed)])).toEqual([
    ['a video', ['3', '4', '5']],
    ['another', ['3', '4', '5']],
  ])
  expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toContain('<testsuite ')
  expect(readFileSync(join(folder, 'out.md'), 'utf8')).toContain('another')
  expect(printed).toMatch(/^::notice title=cost::6 runs cost \$/)
  expect(warned).toContain('✓ other.yaml: another, seed 5')
})

it('tells what it found, and writes the other reports, where one can not be written', async () => {
  const folder = folderWith(files)
  const wanted = ['--report', 'junit=story.yaml/out.xml', '--report', 'json=out.json']
  const { code, printed, warned } = await run(folder, ['story.yaml', ...wanted])
  expect(printed).toContain('✓ story.yaml: a video, seed 1')
  expect(existsSync(join(folder, 'out.json'))).toBe(true)
  expect([code, warned]).toEqual([22, expect.stringContaining('Failed to write story.yaml/out.xml')])
})

it('adds Markdown to the summary of a step, and prints text next to machine formats', async () => {
  const folder = folderWith({ ...files, 'story.yaml': story.replace('max: 7', 'max: 3') })
  const ran = await runIn(folder, ['run', 'story.yaml', '--report', 'github', '--report', 'markdown'], {
    interrupted: never,
    environment: { GITHUB_STEP_SUMMARY: join(folder, 'summary.md') },
  })
  expect(ran.code).toBe(20)
  expect(ran.printed).toContain('::error file=story.yaml,line=12')
  expect(ran.warned).toContain('greenroom run --seed 1 story.yaml')
  expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('story.yaml')
})
