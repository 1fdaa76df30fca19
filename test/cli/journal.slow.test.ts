import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { folderWith, runIn, serve, type Ran } from './run-in-folder.ts'

const story = `version: 1
config: { cacheDir: false, keys: [sk-secret-of-mine] }
seed: 7
rules:
  - { id: slow, match: { op: video.poll }, chance: 50%, delay: 20s }
  - { id: never, match: { op: mj.imagine }, optional: true, delay: 1s }
drive:
  - { flow: video, n: 2, size: 128x96, seconds: 1 }
  - { flow: drawing, actions: [upscale 2, repaint], download: false }
  - { flow: chat-stream }
  - { flow: text }
`

const never = new Promise<void>(() => {})
const greenroom = (folder: string, ...words: string[]): Promise<Ran> =>
  runIn(folder, words, { interrupted: never })

/** What the story has left in a file: it is played once for all tests. */
let recorded: Promise<string> | undefined

async function record(): Promise<string> {
  const folder = folderWith({ 'story.yaml': story })
  const { code, printed, warned } = await greenroom(folder, 'run', 'story.yaml', '--journal', 'journal.jsonl')
  expect([code, warned, printed]).toEqual([0, '', expect.stringContaining('drive text-1: succeeded')])
  return readFileSync(join(folder, 'journal.jsonl'), 'utf8')
}

/** A folder with the story and its recording. */
async function recordedFolder(): Promise<string> {
  return folderWith({ 'story.yaml': story, 'journal.jsonl': await (recorded ??= record()) })
}

const linesIn = (folder: string): string[] =>
  readFileSync(join(folder, 'journal.jsonl'), 'utf8').trimEnd().split('\n')

it('gives the same decisions when a recorded run is replayed', async () => {
  const folder = await recordedFolder()
  const { code, printed } = await greenroom(folder, 'replay', 'journal.jsonl')
  const count = linesIn(folder).length - 1
  expect(count).toBeGreaterThan(20)
  expect(printed).toBe(`✓ journal.jsonl: ${count} of ${count} exchanges were decided as before\n`)
  expect(code).toBe(0)
})

it('keeps no key in a recorded file, and decides by its alias as by the key', async () => {
  const folder = await recordedFolder()
  const text = readFileSync(join(folder, 'journal.jsonl'), 'utf8')
  expect(text).not.toContain('sk-secret-of-mine')
  expect(text).toContain('Bearer sk-alias-1')
})

it.skipIf(process.platform === 'win32')('records into files that only their owner may read', async () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  const folder = folderWith({ 'story.yaml': story })
  const file = join(folder, 'journal.jsonl')
  const play = (): Promise<Ran> => greenroom(folder, 'run', 'story.yaml', '--journal', 'journal.jsonl')
  expect((await play()).code).toBe(0)
  expect(modeOf(file)).toBe('600')
  // Also in the place of an earlier recording that others could read.
  chmodSync(file, 0o644)
  expect((await play()).code).toBe(0)
  expect(modeOf(file)).toBe('600')
})

it('keeps what an earlier server has recorded, and says so', async () => {
  const folder = folderWith({ 'mine.jsonl': 'days of it\n' })
  const { code, warned } = await runIn(folder, serve('--journal', 'mine.jsonl'))
  expect([code, warned]).toEqual([22, expect.stringMatching(/mine\.jsonl: it exists\. Move it away/)])
  expect(readFileSync(join(folder, 'mine.jsonl'), 'utf8')).toBe('days of it\n')
})

it('records a run in the place of an earlier recording, but of no other file', async () => {
  const folder = await recordedFolder()
  const again = await greenroom(folder, 'run', 'story.yaml', '--journal', 'journal.jsonl')
  expect(again.code).toBe(0)
  const { code, warned } = await greenroom(folder, 'run', 'story.yaml', '--journal', 'story.yaml')
  expect([code, warned]).toEqual([22, expect.stringContaining('story.yaml: it exists')])
  expect(readFileSync(join(folder, 'story.yaml'), 'utf8')).toBe(story)
})

it('records into an empty file, and leaves none behind where the server could not start', async () => {
  const taken = await startServer({ port: 0, cacheDir: false })
  const { port } = new URL(taken.url)
  const folder = folderWith({ 'journal.jsonl': '' })
  const words = serve('--journal', 'journal.jsonl')
  const failed = await runIn(folder, words.with(words.indexOf('0'), port))
  await taken.close()
  expect([failed.code, readdirSync(folder)]).toEqual([23, []])
  expect((await runIn(folder, words)).code).toBe(0)
  expect(linesIn(folder)).toEqual([expect.stringMatching(/^{"line":"recording"/)])
})

it('names every decision that differs, and how', async () => {
  const folder = await recordedFolder()
  const [head, ...lines] = linesIn(folder)
  // Another seed is another world: ids, states and words change.
  writeFileSync(join(folder, 'journal.jsonl'), [head!.replace('"seed":7', '"seed":8'), ...lines].join('\n'))
  const { code, printed } = await greenroom(folder, 'replay', 'journal.jsonl')
  expect(code).toBe(20)
  expect(printed).toMatch(/✗ #1 {2}POST \/v1\/video\/generations {2}task was "task_\w+", now "task_\w+"/)
  expect(printed).toMatch(/✗ journal\.jsonl: \d+ of \d+ exchanges were decided as before, \d+ otherwise/)
})

it('explains an exchange of a recorded file, rule by rule', async () => {
  const folder = await recordedFolder()
  const poll = linesIn(folder).findIndex((line) => line.includes('"rules":["slow"]'))
  const { number } = (JSON.parse(linesIn(folder)[poll]!) as { entry: { number: number } }).entry
  const { code, printed } = await greenroom(folder, 'explain', String(number), '--journal', 'journal.jsonl')
  expect(code).toBe(0)
  expect(printed).toMatch(
    new RegExp(
      `^#${number}  GET video\\.poll  task_\\w+  00:0\\d:\\d\\d\\.000  ns default  -> 200, \\d+ bytes  by slow\\n`,
    ),
  )
  expect(printed).toMatch(/^ {4}slow {3}YES {2}\S/m)
  expect(printed).toMatch(/^ {4}never {2}no {3}\S/m)
})

it('judges a recorded file: what a good client never breaks, and numbers', async () => {
  const folder = await recordedFolder()
  const { code, printed } = await greenroom(folder, 'show', 'journal.jsonl')
  expect(printed).toContain('✓ always: one-key')
  expect(printed).toContain('tasks: 5 submitted')
  expect(code).toBe(0)
  const json = await greenroom(folder, 'show', 'journal.jsonl', '--report', 'json')
  expect(JSON.parse(json.printed)).toMatchObject({
    passed: true,
    verdicts: [{ statistics: { tasks: { submitted: 5 } } }],
  })
})

it('shows what a recorded run cost as the run did, without tasks that failed', async () => {
  const failing = `${story}  - { flow: video, prompt: 'a kite [[fail: storm]]', size: 128x96, seconds: 1 }\n`
  const folder = folderWith({ 'story.yaml': failing })
  const ran = await greenroom(folder, 'run', 'story.yaml', '--journal', 'journal.jsonl')
  const judged = await greenroom(folder, 'show', 'journal.jsonl')
  const costOf = ({ printed }: Ran): string | undefined =>
    / of virtual time, for (\$[\d.]+)/.exec(printed)?.[1]
  const prices = linesIn(folder).map(
    (line) => (JSON.parse(line) as { entry?: { quota: number } }).entry?.quota ?? 0,
  )
  const sum = prices.reduce((all, quota) => all + quota) / 500_000
  expect(costOf(judged)).toBe(costOf(ran))
  // The failed video returned its price.
  expect(costOf(ran)).toBe(`$${Number((sum - 0.08).toFixed(6))}`)
  expect(judged.warned).toBe('')
})

it('says nothing of the cost of a recording without prices', async () => {
  const folder = await recordedFolder()
  const old = linesIn(folder).map((line) => line.replace(/"quota":\d+,/, ''))
  writeFileSync(join(folder, 'journal.jsonl'), old.join('\n'))
  const { code, printed } = await greenroom(folder, 'show', 'journal.jsonl')
  expect([code, printed.includes('virtual time, for')]).toEqual([0, false])
})

it('says in one line that rules for single requests are spent', async () => {
  const server = await startServer({ port: 0, clock: { mode: 'auto' }, cacheDir: false })
  onTestFinished(server.close)
  for (let count = 0; count < 8; count += 1) {
    server.simulator.rules.next({ match: { op: 'models.list' }, respond: { status: 503 } })
    await (await fetch(`${server.url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).text()
  }
  const { printed } = await greenroom(folderWith({}), 'explain', '8', '--url', server.url)
  expect(printed).toContain('spent rules  no   fired before, for one request each (7)')
  expect(printed).not.toContain('next-1 ')
  expect(printed).toMatch(/next-8 +YES/)
})

it('asks a running server, too', async () => {
  const server = await startServer({
    port: 0,
    clock: { mode: 'auto' },
    rules: [{ id: 'all', match: { op: '*' }, delay: 0 }],
  })
  onTestFinished(server.close)
  const folder = folderWith({})
  const headers = { authorization: 'Bearer sk-test' }
  await (await fetch(`${server.url}/v1/models`, { headers })).text()
  const explained = await greenroom(folder, 'explain', '#1', '--url', server.url)
  expect(explained.printed).toMatch(
    /^#1 {2}GET models\.list {2}00:00:00\.000 {2}ns default {2}-> 200, \d+ bytes {2}by all/,
  )
  const missing = await greenroom(folder, 'explain', '9', '--url', server.url)
  expect([missing.code, missing.warned]).toEqual([
    2,
    expect.stringContaining(
      'There is no exchange 9 in namespace "default"; the journal knows those from 1 to 1.',
    ),
  ])
})

it('shows the violation that a warning names, of a server and of a recording', async () => {
  const folder = folderWith({})
  const words = serve('--journal', 'journal.jsonl')
  let explained = ''
  let stop = (): void => {}
  const interrupted = new Promise<void>((resolve) => (stop = resolve))
  const playTwoPolls = async (line: string): Promise<void> => {
    const url = /http:\/\/[\d.:]+/.exec(line)![0]
    const headers = { authorization: 'Bearer sk-greenroom', 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
    const path = `${url}/v1/video/generations`
    const { task_id: id } = (await (await fetch(path, { method: 'POST', headers, body })).json()) as {
      task_id: string
    }
    for (let count = 0; count < 2; count++) await (await fetch(`${path}/${id}`, { headers })).text()
    explained = (await greenroom(folder, 'explain', '3', '--url', url)).printed
    stop()
  }
  let isFirst = true
  const print = (text: string): void => {
    if (isFirst) void playTwoPolls(text)
    isFirst = false
  }
  await runIn(folder, words, { interrupted, print })
  const violation =
    /^ {4}poll-interval: Task task_\w+ was polled again after less than 4s500ms of real time, expected 5s or more\. {2}#2, #3 after \d[\dms]*$/m
  expect(explained).toMatch(violation)
  const recorded = await greenroom(folder, 'explain', '3', '--journal', 'journal.jsonl')
  expect(recorded.printed).toMatch(violation)
  const other = await greenroom(folder, 'explain', '1', '--journal', 'journal.jsonl')
  expect(other.printed).not.toContain('poll-interval')
})

it('judges a command without a scenario', async () => {
  const client = `
const { GREENROOM_URL: url } = process.env
await fetch(url + '/v1/models')
await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + process.env.GREENROOM_KEY } })
`
  const folder = folderWith({ 'client.mjs': client })
  const { code, printed } = await greenroom(folder, 'run', '--', process.execPath, 'client.mjs')
  expect(printed).toContain('✗ always: auth-on-every-call')
  expect(code).toBe(20)
})

const runAlone = (client: string, ...flags: string[]): Promise<Ran> =>
  greenroom(folderWith({ 'client.mjs': client }), 'run', ...flags, '--', process.execPath, 'client.mjs')

it('exits with 25 when a command sends no request, and lists its variables', async () => {
  const { code, printed } = await runAlone('')

  expect(code).toBe(25)
  expect(printed).toMatch(/✗ run: .*\n +No requests reached the simulator\. .* GREENROOM_URL=http:/)
})

it('exits with 25 when a command sends requests with other keys only', async () => {
  const other =
    "await fetch(process.env.GREENROOM_URL + '/v1/models', { headers: { authorization: 'Bearer sk-sim-mine' } })"
  const { code, printed } = await runAlone(other)

  expect(code).toBe(25)
  expect(printed).toContain('only keys of other namespaces: mine (1).')
})

it('lets a run without requests pass with --no-strict', async () => {
  expect((await runAlone('', '--no-strict')).code).toBe(0)
})

it('gives a command the variables of --env', async () => {
  const client = `
const { MY_GATEWAY: url, GREENROOM_KEY: key } = process.env
await fetch(url + '/models', { headers: { authorization: 'Bearer ' + key } })
`
  const { printed, code } = await runAlone(client, '--env', 'MY_GATEWAY=${url}/v1')

  expect([code, printed]).toEqual([0, expect.stringContaining('models.list: 1 request')])
})

it('says that a command failed, and how', async () => {
  const words = ['run', '--', process.execPath, '-e', 'process.exit(3)']
  const { code, warned, printed } = await greenroom(folderWith({}), ...words)
  expect([code, warned]).toEqual([3, expect.stringMatching(/^error: No requests reached/)])
  expect(printed).toContain('exited with 3')
})

it('judges a recording as strictly as a run, and exits with 20', async () => {
  const folder = await recordedFolder()
  const strict = await greenroom(folder, 'show', 'journal.jsonl', '--strict')
  expect([strict.code, strict.printed]).toEqual([20, expect.stringContaining('not-exercised')])
})

it('exits with 25 for a recording without requests', async () => {
  const folder = folderWith({ 'empty.jsonl': head })
  const { code, warned } = await greenroom(folder, 'show', 'empty.jsonl')
  expect([code, warned]).toEqual([25, expect.stringContaining('no requests')])
})

it('leaves the recording alone when a report names it', async () => {
  const folder = await recordedFolder()
  const words = ['show', 'journal.jsonl', '--report', 'json=journal.jsonl']
  expect((await greenroom(folder, ...words)).code).toBe(2)
})

const head = '{"line":"recording","version":2,"start":0,"options":{}}\n'
/** Lines of an edited recording. */
const odd = {
  'bare.jsonl': '{"line":"recording","version":2}\n',
  'hollow.jsonl': `${head}{"line":"exchange","order":1,"request":{},"entry":{},"decision":{}}\n`,
}

it('leaves out a last line that was not written whole, and says so', async () => {
  const folder = await recordedFolder()
  const lines = linesIn(folder)
  const cut = [...lines.slice(0, -1), lines.at(-1)!.slice(0, 100)].join('\n')
  writeFileSync(join(folder, 'cut.jsonl'), cut)
  const { code, printed, warned } = await greenroom(folder, 'replay', 'cut.jsonl')
  expect(warned).toContain('cut.jsonl: the last line is incomplete and was ignored.')
  expect(printed).toContain(`${lines.length - 2} of ${lines.length - 2} exchanges were decided as before`)
  expect(code).toBe(0)
})

it('says how much of a damaged recording can be used', async () => {
  const folder = await recordedFolder()
  const lines = linesIn(folder)
  writeFileSync(join(folder, 'damaged.jsonl'), lines.with(2, lines[2]!.slice(50)).join('\n'))
  const { code, warned } = await greenroom(folder, 'replay', 'damaged.jsonl')
  expect(code).toBe(22)
  expect(warned).toContain('damaged.jsonl:3:1: not a line of a recording')
  expect(warned).toContain('To use what precedes it, copy the first 2 lines to another file.')
  writeFileSync(join(folder, 'rest.jsonl'), lines.slice(0, 2).join('\n'))
  expect((await greenroom(folder, 'replay', 'rest.jsonl')).code).toBe(0)
})

it('explains what is wrong with a file that is not a recording, and a URL where no server responds', async () => {
  const folder = folderWith({
    'empty.jsonl': '',
    'other.jsonl': '{"line":"recording","version":9}\n',
    ...odd,
  })
  const failures: [string[], number, string][] = [
    [['replay', 'none.jsonl'], 22, 'none.jsonl: it does not exist'],
    [['replay', 'empty.jsonl'], 22, 'empty.jsonl:1:1: not the start of a recording'],
    [['replay', 'other.jsonl'], 22, 'unsupported version 9 (expected 2)'],
    [['replay', 'bare.jsonl'], 22, 'bare.jsonl:1:1: options or start are missing'],
    [['show', 'hollow.jsonl'], 22, 'hollow.jsonl:2:1: not a line of a recording'],
    [['explain', 'two', '--journal', 'empty.jsonl'], 2, '"two" is not the number of an exchange'],
    [['explain', '0'], 2, '"0" is not the number of an exchange. Write one such as 12.'],
    [['explain', '2', '--url', 'http://127.0.0.1:9'], 2, 'no server responds. Start greenroom serve'],
    [
      ['explain', '1', '--url', 'foo'],
      2,
      '--url: "foo" is not a URL. Write one such as http://127.0.0.1:4646',
    ],
    [['serve', '--', 'x'], 2, 'greenroom serve runs no other command'],
  ]
  for (const [words, code, message] of failures) {
    const ran = await greenroom(folder, ...words)
    expect([ran.code, ran.warned]).toEqual([code, expect.stringContaining(message)])
  }
})

it('judges a recording of version 0.2.0, whose entries say neither what an operation does nor about which tasks', async () => {
  const old = readFileSync(new URL('../../fixtures/recordings/version-0.2.0.jsonl', import.meta.url), 'utf8')
  expect(old).not.toContain('"role"')
  const folder = folderWith({ 'old.jsonl': old })
  const { code, printed } = await greenroom(folder, 'show', 'old.jsonl')
  expect(code).toBe(0)
  for (const name of ['no-poll-after-terminal', 'no-duplicate-submit', 'no-early-download'])
    expect(printed).toContain(`✓ always: ${name}`)
  // Images and videos are drawn differently since, and chats have fewer fields.
  expect((await greenroom(folder, 'replay', 'old.jsonl')).printed).toContain(
    '11 of 14 exchanges were decided as before, 3 otherwise',
  )
})

it('repeats no calls that the simulator made about tasks', async () => {
  let calls = 0
  const receiver = createServer((_, response) => {
    calls++
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const client = `
    const headers = { authorization: \`Bearer \${process.env.GREENROOM_KEY}\`, 'content-type': 'application/json' }
    const call = async (path, body) => (await fetch(process.env.GREENROOM_URL + path, { headers, ...body })).json()
    const body = JSON.stringify({ prompt: 'a lighthouse', notifyHook: 'http://127.0.0.1:${port}/' })
    const { result } = await call('/mj/submit/imagine', { method: 'POST', body })
    while (!(await call(\`/mj/task/\${result}/fetch\`)).finishTime);
  `
  const scenario = 'version: 1\nconfig: { drawing: { notifyHook: true } }\n'
  const folder = folderWith({ 'hooks.yaml': scenario, 'client.mjs': client })
  const command = ['--', process.execPath, 'client.mjs']
  expect((await greenroom(folder, 'run', 'hooks.yaml', '--journal', 'journal.jsonl', ...command)).code).toBe(
    0,
  )
  const made = calls
  expect(made).toBeGreaterThan(1)
  expect((await greenroom(folder, 'replay', 'journal.jsonl')).code).toBe(0)
  expect(calls).toBe(made)
})
