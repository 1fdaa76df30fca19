import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startRecorder } from '../src/cli/inspect/record.ts'
import { checkScenario } from '../src/files/check.ts'
import { lintScenario } from '../src/files/lint/lint.ts'
import { parseTargetUrl } from '../src/server/forward.ts'
import { startServer, type ServerOptions } from '../src/server/start.ts'
import { ObservedApis } from '../src/judge/recording/observed-apis.ts'
import { scenarioOfRecording } from '../src/judge/recording/to-scenario.ts'
import type { Rule, Scenario } from '../src/index.ts'
import { client, folderWith, never, node, runIn } from './cli/run-in-folder.ts'

const key = 'sk-secret-of-a-real-account-0123456789'
const apis = new ObservedApis()
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

interface World {
  readonly url: string
  /** Moves the clock of the gateway, or waits for as long. */
  readonly sleep: (durationMs: number) => Promise<unknown>
}

type Client = (world: World) => Promise<unknown>

async function startGateway(options: ServerOptions): Promise<World & { now: () => number }> {
  const server = await startServer({
    port: 0,
    cacheDir: false,
    quality: 'fast',
    clock: { mode: 'auto' },
    ...options,
  })
  onTestFinished(server.close)
  const { clock } = server.simulator.control
  return {
    url: server.url,
    sleep: (durationMs) =>
      fetch(`${server.url}/_greenroom/clock/sleep`, {
        method: 'POST',
        body: JSON.stringify({ for: `${durationMs}ms` }),
      }),
    now: () => Date.parse(clock.status('default').time),
  }
}

/** Lets a client talk to a gateway through a recorder, and then to a gateway that plays the recording. */
async function recordAndReplay(
  rules: readonly Rule[],
  client: Client,
  { isReal = false, prompts = true } = {},
): Promise<{ seen: unknown; replayed: unknown; scenario: Scenario }> {
  const clock = { clock: { mode: isReal ? ('real' as const) : ('auto' as const) } }
  const original = await startGateway({ rules, seed: 3, ...clock })
  const recorder = await startRecorder(parseTargetUrl(original.url), {
    port: 0,
    warn: () => {},
    apis,
    ...(!isReal && { now: original.now }),
  })
  onTestFinished(recorder.close)
  const wait = (durationMs: number): Promise<unknown> => new Promise((done) => setTimeout(done, durationMs))
  const seen = await client({ url: recorder.url, sleep: isReal ? wait : original.sleep })
  const scenario = scenarioOfRecording(recorder.exchanges, { name: 'recorded', prompts })
  const checked = checkScenario(JSON.parse(JSON.stringify(scenario)))
  expect(checked).toHaveProperty('scenario')
  expect(lintScenario(scenario).filter(({ severity }) => severity === 'mistake')).toEqual([])
  expect(JSON.stringify(scenario)).not.toContain('secret')
  const replay = await startGateway({ rules: scenario.rules ?? [], seed: 8, ...clock })
  const replayed = await client({ url: replay.url, sleep: isReal ? wait : replay.sleep })
  return { seen, replayed, scenario }
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })

/** What becomes of three downloads of a video; none of a drawing. */
async function downloads(url: string, id: string): Promise<unknown[]> {
  const seen: unknown[] = []
  for (let count = 0; count < 3 && !/^\d+$/.test(id); count++) {
    const response = await fetch(`${url}/v1/videos/${id}/content`, { headers })
    const body = await response.arrayBuffer().catch(() => undefined)
    seen.push([response.status, body ? 'whole' : 'broken'])
  }
  return seen
}

/** Submits until it is accepted, and polls until the end; reports everything that it sees. */
function pollTask(submit: string, poll: (id: string) => string, body: object): Client {
  return async ({ url, sleep }) => {
    const seen: unknown[] = []
    let id = ''
    while (id === '') {
      const response = await post(url + submit, body).catch(() => undefined)
      const answer = response?.status === 200 ? ((await response.json()) as Record<string, string>) : {}
      id = answer['task_id'] ?? answer['result'] ?? ''
      seen.push([response?.status, response?.headers.get('retry-after')])
      await sleep(2_000)
    }
    for (;;) {
      const response = await fetch(url + poll(id), { headers }).catch(() => undefined)
      const text = (await response?.text()) ?? ''
      const record = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
      const {
        status,
        progress,
        fail_reason: reason,
        failReason,
      } = (record['data'] ?? record) as Record<string, unknown>
      seen.push([response?.status, status, progress, reason ?? failReason])
      if (/SUCCESS|FAILURE|completed|failed/.test(String(status)))
        return [...seen, ...(await downloads(url, id))]
      await sleep(3_000)
    }
  }
}

it('replays a video with its refusals, its broken polls and its failure', async () => {
  const { seen, replayed, scenario } = await recordAndReplay(
    [
      { match: { op: 'video.submit' }, on: 1, respond: { status: 429, retryAfter: '7s' } },
      { match: { op: 'video.submit' }, on: 2, fault: 'reset' },
      {
        match: { op: 'video.submit' },
        task: { queued: '5s', render: '30s', outcome: 'failure', failAt: 0.8, reason: 'content policy' },
      },
      { match: { op: 'video.poll' }, on: 2, respond: { status: 503, error: { message: 'no' } } },
      { match: { op: 'video.poll' }, on: 4, fault: 'close' },
    ],
    pollTask('/v1/video/generations', (id) => `/v1/video/generations/${id}`, {
      model: 'video-1',
      prompt: 'a kite',
      duration: 1,
    }),
  )
  expect((seen as unknown[][]).slice(0, 3)).toEqual([
    [429, '7'],
    [undefined, undefined],
    [200, null],
  ])
  expect((seen as unknown[][]).length).toBeGreaterThan(8)
  expect(seen).toContainEqual([200, 'FAILURE', '100%', 'content policy'])
  expect(replayed).toEqual(seen)
  expect(scenario.drive).toEqual([{ flow: 'video', prompt: 'a kite' }])
})

it("replays OpenAI's video API, with a download that breaks off", async () => {
  const { seen, replayed } = await recordAndReplay(
    [
      { match: { op: 'videos.create' }, task: { queued: '4s', render: '11s' }, delay: '2s' },
      { match: { op: 'video.content' }, on: 1, fault: { type: 'truncate', at: '50%' } },
      { match: { op: 'video.content' }, on: 2, respond: { status: 503 } },
    ],
    pollTask('/v1/videos', (id) => `/v1/videos/${id}`, { model: 'sora-2', prompt: 'a kite', seconds: '4' }),
  )
  expect((seen as unknown[][]).slice(-4)).toEqual([
    [200, 'completed', 100, undefined],
    [200, 'broken'],
    [503, 'whole'],
    [200, 'whole'],
  ])
  expect(replayed).toEqual(seen)
})

it('replays a drawing, without its prompt', async () => {
  const { seen, replayed, scenario } = await recordAndReplay(
    [{ match: { op: 'mj.imagine' }, task: { queued: '4s', render: '25s' } }],
    pollTask('/mj/submit/imagine', (id) => `/mj/task/${id}/fetch`, { prompt: 'a confidential kite' }),
    { prompts: false },
  )
  expect((seen as unknown[][]).at(-1)).toEqual([200, 'SUCCESS', '100%', ''])
  expect(replayed).toEqual(seen)
  expect(JSON.stringify(scenario)).not.toContain('confidential')
})

it('replays slow responses at their pace', async () => {
  const { seen, replayed } = await recordAndReplay(
    [
      { match: { op: 'models.list' }, on: 2, delay: '12s' },
      {
        match: { op: 'chat.complete' },
        delay: '3s',
        respond: { body: { answer: 'a "quoted" $${text} for ${model}' } },
      },
    ],
    async ({ url, sleep }) => {
      const times: unknown[] = []
      const time = async (): Promise<number> => {
        const response = await fetch(`${url}/_greenroom/clock`)
        return Date.parse(((await response.json()) as { time: string }).time)
      }
      for (const path of ['/v1/models', '/v1/models', '/v1/models']) {
        const before = await time()
        await (await fetch(url + path, { headers })).text()
        times.push((await time()) - before)
        await sleep(1_000)
      }
      const before = await time()
      const chat = await post(`${url}/v1/chat/completions`, {
        model: 'sim-text-1',
        messages: [{ role: 'user', content: 'Why?' }],
      })
      times.push(await chat.json(), (await time()) - before)
      return times
    },
  )
  expect(seen).toEqual([0, 12_000, 0, { answer: 'a "quoted" ${text} for sim-text-1' }, 3_000])
  expect(replayed).toEqual(seen)
})

/** The words of a stream, and how it ended. */
async function readWords(response: Response) {
  let [text, end] = ['', 'whole']
  try {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) text += decoder.decode(chunk as Uint8Array, { stream: true })
  } catch {
    end = 'broken'
  }
  const words = [...text.matchAll(/"(?:content|text)": ?"([^"]+)"/g)].map(([, word]) => word!)
  return { words, end, hasError: text.includes('overloaded'), isDone: /\[DONE\]|"STOP"/.test(text) }
}

const words = 'One two three four five six seven eight'

it.each<[string, string, NonNullable<Rule['stream']>]>([
  ['chat.complete', 'its words', {}],
  ['chat.complete', 'a reset', { error: { afterChunk: 5, kind: 'reset' } }],
  ['chat.complete', 'an early end', { cut: 6 }],
  ['text.stream', 'its words', {}],
  [
    'text.stream',
    'an error',
    { error: { afterChunk: 5, kind: 'event', status: 503, message: 'overloaded' } },
  ],
])('replays a stream of %s with %s', async (op, _what, stream) => {
  const ask: Client = async ({ url }) =>
    readWords(
      await (op === 'text.stream'
        ? post(`${url}/v1beta/models/sim-text-1:streamGenerateContent?alt=sse`, {
            contents: [{ role: 'user', parts: [{ text: 'Why?' }] }],
          })
        : post(`${url}/v1/chat/completions`, {
            model: 'sim-text-1',
            stream: true,
            messages: [{ role: 'user', content: 'Why?' }],
          })),
    )
  const rule: Rule = {
    match: { op },
    stream: { text: words, chunk: 'word', firstToken: '10ms', gap: '20ms', ...stream },
  }
  const { seen, replayed } = await recordAndReplay([rule], ask, { isReal: true })
  const [first, second] = [seen, replayed] as Awaited<ReturnType<typeof readWords>>[]
  // What a broken connection delivers last, the client's runtime may discard.
  const count = first!.end === 'broken' ? Math.min(first!.words.length, second!.words.length) : undefined
  const read = ({ words, ...ended }: NonNullable<typeof first>) => ({
    ...ended,
    words: words.slice(0, count),
  })
  expect(read(second!)).toEqual(read(first!))
})

it('records a target that is down as a broken connection, and says so', async () => {
  const warnings: string[] = []
  const recorder = await startRecorder(parseTargetUrl('http://127.0.0.1:9'), {
    port: 0,
    warn: (message) => void warnings.push(message),
    apis,
  })
  onTestFinished(recorder.close)
  await expect(fetch(`${recorder.url}/v1/models`)).rejects.toThrow()
  expect(warnings).toEqual([
    'warning: Failed to reach http://127.0.0.1:9: nothing listens there. Start it, or correct the URL.',
  ])
  const { rules } = scenarioOfRecording(recorder.exchanges, { name: 'down', prompts: true })
  expect(rules).toMatchObject([{ match: { op: 'models.list' }, on: 1, fault: 'reset' }])
})

it('says that the port of the recorder is in use', async () => {
  const target = parseTargetUrl('http://127.0.0.1:9')
  const recorder = await startRecorder(target, { port: 0, warn: () => {}, apis })
  onTestFinished(recorder.close)
  const port = Number(new URL(recorder.url).port)
  await expect(startRecorder(target, { port, warn: () => {}, apis })).rejects.toThrow(
    `Failed to listen on 127.0.0.1:${port}: the port is in use.`,
  )
})

it('stores no bytes of media', async () => {
  const png = readFileSync(new URL('../fixtures/pictures/kite-64x48.png', import.meta.url)).toString('base64')
  const { scenario } = await recordAndReplay(
    [
      {
        match: { op: 'chat.complete' },
        respond: { body: { image: `data:image/png;base64,${png}`, raw: png } },
      },
    ],
    async ({ url }) =>
      (
        await post(`${url}/v1/chat/completions`, {
          model: 'sim-text-1',
          messages: [{ role: 'user', content: 'Why?' }],
        })
      ).text(),
  )
  expect(scenario.rules).toMatchObject([{ respond: { body: { image: '', raw: '' } } }])
})

it('records a command with a key of its own, and checks and runs what it wrote', async () => {
  const { url } = await startGateway({ clock: { mode: 'auto' } })
  const folder = folderWith({ 'client.mjs': client.replace('GREENROOM_KEY: key', 'REAL_KEY: key') })
  const environment = { ...process.env, REAL_KEY: key }
  const record = ['record', '--target', url, '--out', 'it.yaml']
  const more = { interrupted: never, environment }
  const { code, warned } = await runIn(folder, [...record, ...node('client.mjs')], more)
  expect([code, warned]).toEqual([
    0,
    expect.stringMatching(/Wrote .*it\.yaml: \d+ exchanges, \d+ rules?\.\n$/),
  ])
  expect(readFileSync(join(folder, 'it.yaml'), 'utf8')).not.toContain('secret')
  expect(await runIn(folder, ['check', 'it.yaml'], { interrupted: never })).toMatchObject({
    code: 0,
    warned: '',
  })
  const again = await runIn(folder, [...record, ...node('client.mjs')], more)
  expect([again.code, again.warned]).toEqual([22, expect.stringContaining('it exists. Use --force')])
})

it('gives the command every variable of --env, and no keys but those', async () => {
  const folder = folderWith({})
  const script = "require('fs').writeFileSync('seen.json', JSON.stringify(process.env))"
  const flags = ['--env', 'MY_KEY=abc', '--env', 'OPENAI_API_KEY=sk-2', '--env', 'MJ_API_SECRET=']
  const words = ['record', '--target', 'http://127.0.0.1:9', ...flags, ...node('-e', script)]
  await runIn(folder, words, { interrupted: never, environment: { GREENROOM_KEY: 'sk-mine' } })
  const seen = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')) as Record<string, string>
  expect(seen).toMatchObject({
    MY_KEY: 'abc',
    OPENAI_API_KEY: 'sk-2',
    MJ_API_SECRET: '',
    GREENROOM_KEY: 'sk-mine',
  })
  expect(seen).not.toHaveProperty('GEMINI_API_KEY')
})

it('says what is wrong with the command line, and that there were no requests', async () => {
  const folder = folderWith({})
  const run = (...words: string[]) => runIn(folder, ['record', ...words], { interrupted: never })
  expect(await run('--target', 'gateway', ...node('-e', ''))).toMatchObject({
    code: 2,
    warned: expect.stringContaining('--target: "gateway" is not a URL'),
  })
  expect(await run('--target', 'http://127.0.0.1:9', '--out', 'a.json', ...node('-e', ''))).toMatchObject({
    code: 2,
  })
  expect(await run(...node('-e', ''))).toMatchObject({ code: 2, warned: expect.stringContaining('target') })
  const keyed = await run('--target', 'http://127.0.0.1:9', '--env', 'MY_KEY=${key}', ...node('-e', ''))
  expect([keyed.code, keyed.warned]).toEqual([2, expect.stringContaining('the recorder has no ${key}')])
  const alone = await run('--target', 'http://127.0.0.1:9', '--env', 'A=b')
  expect([alone.code, alone.warned]).toEqual([2, expect.stringContaining('Add the command after "--".')])
  const idle = await run('--target', 'http://127.0.0.1:9', ...node('-e', ''))
  expect([idle.code, idle.warned]).toEqual([25, expect.stringContaining('There were no requests.')])
})
