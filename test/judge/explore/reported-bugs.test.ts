import { createParser } from 'eventsource-parser'
import { describe, expect, it } from 'vitest'
import {
  createSimulator,
  explore,
  ExploreError,
  type ExploredGateway,
  type Scenario,
} from '../../../src/index.ts'
import { loadShipped } from '../../support/own-apis.ts'
import { careful, makeVideo, Refused, type Verb } from './planted/video.ts'
import { needs } from '../../support/needs.ts'

// Kinds of bugs that people have reported of clients of such services, each with a careful client and with a buggy one. More kinds:
// tool-calls, ends, receivers and agents in this folder, and test/apis/own/idempotency.

type Json = Record<string, any>

/** The habits that are found in a client, or why it can't be explored. */
async function findIn<T>(
  client: (gateway: ExploredGateway) => Promise<T>,
  only: readonly string[],
  scenario: Scenario = { version: 1 },
  skip: readonly string[] = [],
): Promise<string[]> {
  return explore(client, { only, skip, scenario }).then(
    ({ findings }) => findings.map(({ habit }) => habit),
    (error: unknown) => {
      if (!(error instanceof ExploreError)) throw error
      return error.findings.length > 0 ? error.findings.map(({ habit }) => habit) : [error.message]
    },
  )
}

/** Sends a request. What is refused for a while is repeated. */
async function send({ fetch, sleep, baseUrl, key }: ExploredGateway, path: string, init: RequestInit = {}) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(new URL(path, baseUrl), {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...init,
    })
    if (response.ok) return response
    const after = Number(response.headers.get('retry-after') ?? 0) * 1_000
    if (attempt === 4 || (response.status < 500 && response.status !== 429))
      throw new Error(`${path} returned ${response.status}`)
    await sleep(Math.max(after, 2_000 * 2 ** attempt))
  }
}

const post = (gateway: ExploredGateway, path: string, body: Json) =>
  send(gateway, path, { method: 'POST', body: JSON.stringify(body) })

/** Streams a chat. @param events reads the data of the events. @param read reads a text of an event. */
async function streamChat(
  gateway: ExploredGateway,
  events: (text: string) => string[],
  read: (chunk: Json) => string = ({ choices }) => choices?.[0]?.delta?.content ?? '',
): Promise<string> {
  const response = await post(gateway, '/v1/chat/completions', {
    model: 'sim-text-1',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Why do kites fly?' }],
  })
  const chunks = events(await response.text())
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Json)
  if (!chunks.some(({ choices }) => choices?.[0]?.finish_reason === 'stop')) throw new Error('it was cut')
  return chunks.map(read).join('')
}

function parseEvents(text: string): string[] {
  const all: string[] = []
  createParser({ onEvent: ({ data }) => void all.push(data) }).feed(text)
  return all
}

/** Splits at two line feeds only, wants a space after `data:`, and takes a comment for the end. */
function splitEvents(text: string): string[] {
  const blocks = text.split('\n\n')
  const end = blocks.findIndex((block) => block.startsWith(':'))
  const read = end < 0 ? blocks : blocks.slice(0, end)
  return read.flatMap((block) => (block.startsWith('data: ') ? [block.slice(6)] : []))
}

describe('lines of events', () => {
  it.each(['CRLF events of chats', 'commented events of chats'])('may be %s', async (gateway) => {
    expect(await findIn((each) => streamChat(each, parseEvents), [gateway])).toEqual([])
    expect(await findIn((each) => streamChat(each, splitEvents), [gateway])).toEqual(['fails-on-variant'])
  })
})

describe('the usage of a stream', () => {
  it('may be missing', async () => {
    const tokens = ({ usage }: Json): string => (usage ? ` (${usage['total_tokens'] > 0})` : '')
    const text = ({ choices }: Json): string => choices?.[0]?.delta?.content ?? ''
    const careful = (each: ExploredGateway) =>
      streamChat(each, parseEvents, (chunk) => text(chunk) + tokens(chunk))
    const hasty = async (each: ExploredGateway) => {
      let usage: Json | undefined
      const all = await streamChat(
        each,
        parseEvents,
        (chunk) => ((usage = chunk['usage'] ?? usage), text(chunk)),
      )
      return `${all} (${usage!['total_tokens'] > 0})`
    }
    expect(await findIn(careful, ['no usage of chats'])).toEqual([])
    expect(await findIn(hasty, ['no usage of chats'])).toEqual(['crashes'])
  })

  it('comes in a chunk without choices', async () => {
    const hasty = (each: ExploredGateway) =>
      streamChat(each, parseEvents, ({ choices }) => choices[0].delta.content ?? '')
    expect((await findIn(hasty, ['no usage of chats']))[0]).toMatch(
      /crash|fails-by-itself|before anything goes wrong/,
    )
  })
})

describe('an image', () => {
  const makeImage = async (gateway: ExploredGateway, takesBase64: boolean): Promise<boolean> => {
    const body = { model: 'acme-image', prompt: 'a red kite' }
    const { data } = (await (await post(gateway, '/v1/images/generations', body)).json()) as Json
    const { b64_json: base64, url } = data[0] as Json
    const bytes =
      takesBase64 && base64
        ? Buffer.from(base64, 'base64')
        : Buffer.from(await (await send(gateway, url)).arrayBuffer())
    if (bytes.subarray(1, 4).toString() !== 'PNG') throw new Error('this is no image')
    return true
  }

  it('may be base64 where a URL is usual', async () => {
    needs('images.generate')
    expect(await findIn((each) => makeImage(each, true), ['base64 images'])).toEqual([])
    expect(await findIn((each) => makeImage(each, false), ['base64 images'])).toEqual(['fails-on-variant'])
  })
})

describe('a user who cancels', () => {
  const isOpen = ({ status }: Json): boolean => status === 'starting' || status === 'processing'

  /** Makes a prediction, which its user stops after ten seconds. */
  async function predict(gateway: ExploredGateway, cancels: boolean): Promise<string> {
    const input = { prompt: 'a red kite', duration: 5 }
    let job = (await (
      await post(gateway, '/v1/models/kling/kling-v2-video/predictions', { input })
    ).json()) as Json
    for (let seconds = 0; isOpen(job) && seconds < 10; seconds += 6) {
      await gateway.sleep(6_000)
      job = (await (await send(gateway, `/v1/predictions/${job['id']}`)).json()) as Json
    }
    if (isOpen(job) && !cancels) return 'cancelled'
    if (isOpen(job))
      job = (await (await post(gateway, `/v1/predictions/${job['id']}/cancel`, {})).json()) as Json
    if (job['status'] === 'failed') throw new Error(`the prediction failed: ${job['error']}`)
    return job['status'] as string
  }

  it('is not accused of a failure that comes later, and one who only looks away is found', async () => {
    const scenario: Scenario = { version: 1, config: { apis: await loadShipped(['replicate']) } }
    const only = ['fails', 'no reason', '503', 'slow 40s']
    expect(await findIn((each) => predict(each, true), only, scenario)).toEqual([])
    expect(await findIn((each) => predict(each, false), only, scenario)).toEqual(['leaves-tasks'])
  })
})

describe('a client that takes the first of two videos, and stops polling the other', () => {
  /** @param skipsRefused whether it does without a download that is refused, instead of repeating it. */
  async function race(gateway: ExploredGateway, skipsRefused: boolean): Promise<string> {
    const { fetch, baseUrl, key, sleep } = gateway
    let isDecided = false
    const make = async (prompt: string): Promise<string | undefined> => {
      const body = { model: 'kling-v2', prompt, duration: 4 }
      const { task_id: id } = (await (await post(gateway, '/v1/video/generations', body)).json()) as Json
      for (;;) {
        await sleep(6_000)
        if (isDecided) return undefined
        const { data } = (await (await send(gateway, `/v1/video/generations/${id}`)).json()) as Json
        if (data.status === 'FAILURE') throw new Error(data.fail_reason)
        if (data.status !== 'SUCCESS') continue
        isDecided = true
        return id
      }
    }
    const ids = await Promise.all([make('a red kite'), make('a boat')])
    const path = `/v1/videos/${ids.find((id) => id !== undefined)}/content`
    if (skipsRefused) await fetch(new URL(path, baseUrl), { headers: { authorization: `Bearer ${key}` } })
    else await (await send(gateway, path)).arrayBuffer()
    return 'done'
  }
  const rules: Scenario['rules'] = [
    { match: { op: 'video.submit' }, on: 1, task: { queued: '1s', render: '10s' } },
    { match: { op: 'video.submit' }, on: 2, task: { queued: '1s', render: '25s' } },
  ]
  const scenario: Scenario = { version: 1, rules, expect: { allow: { abandonedTasks: true } } }
  const others = ['video.submit', 'video.poll']

  it('need not download a task that ended while it waited for something else', async () => {
    needs('video.submit')
    expect(await findIn((gateway) => race(gateway, false), ['429 seconds'], scenario, others)).toEqual([])
  })

  it('must download the one whose success it knows', async () => {
    needs('video.submit')
    expect(await findIn((gateway) => race(gateway, true), ['429 seconds'], scenario, others)).toEqual([
      'skips-download',
    ])
  })
})

describe('a submission with an idempotency key', () => {
  /** Makes a video by a key for all attempts, or by a new one for each. */
  async function makeKeyed(gateway: ExploredGateway, keyOf: (attempt: number) => string): Promise<string> {
    const { fetch, sleep, baseUrl, key } = gateway
    const submit = async (attempt: number): Promise<Json> => {
      const response = await fetch(`${baseUrl}/v1/video/generations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': keyOf(attempt),
        },
        body: JSON.stringify({ model: 'kling-v2', prompt: 'a red kite', duration: 4 }),
      })
      return (await response.json()) as Json
    }
    const { task_id: id } = await submit(1).catch(() => sleep(5_000).then(() => submit(2)))
    for (;;) {
      await sleep(6_000)
      const { data } = (await (await send(gateway, `/v1/video/generations/${id}`)).json()) as Json
      if (data.status === 'FAILURE') throw new Error(data.fail_reason)
      if (data.status === 'SUCCESS') return data.status
    }
  }

  it('is made again with the same key', async () => {
    const scenario: Scenario = { version: 1, config: { idempotencyKeys: true } }
    expect(await findIn((each) => makeKeyed(each, () => 'k'), ['honoured key'], scenario)).toEqual([])
    expect(
      await findIn((each) => makeKeyed(each, (attempt) => `k${attempt}`), ['honoured key'], scenario),
    ).not.toEqual([])
  })
})

describe('two videos at once', () => {
  it('end in any order', async () => {
    const both = async (gateway: ExploredGateway): Promise<string[]> => {
      const done: string[] = []
      const make = async (prompt: string): Promise<void> => {
        await makeVideo(prompt, gateway)
        done.push(prompt)
      }
      await Promise.all([make('a red kite'), make('a blue bear')])
      return done
    }
    expect(await findIn(both, ['503', '429 seconds', 'truncate', 'slow 40s'])).toEqual([])
  })
})

describe('a stream that is cut', () => {
  /** Streams a chat until it is whole. @param wait waits before another attempt. */
  async function judgeRetries(wait: (sleep: (ms: number) => Promise<void>) => Promise<void>) {
    await using sim = createSimulator({ seed: 1 })
    const cut = { text: 'a paper boat for you', chunk: 'word', cut: { afterChunk: 3 } } as const
    sim.addRule({ id: 'cut', match: { op: 'chat.complete' }, on: [1, 2], stream: cut })
    const gateway = {
      fetch: sim.fetch,
      sleep: sim.clock.sleep,
      baseUrl: 'https://gateway.example',
      key: sim.key,
    }
    using run = sim.watch({ always: ['backs-off', 'reads-stream-to-end'] })
    await sim.clock.sleep(1_000)
    for (let attempt = 1; attempt <= 3; attempt++) {
      const text = await streamChat(gateway as never, parseEvents).catch(() => undefined)
      if (text !== undefined) break
      await wait(sim.clock.sleep)
    }
    const { results } = await run.verdict()
    return results.filter(({ path }) => path.startsWith('always')).map(({ verdict }) => verdict)
  }

  it('is repeated after a wait, as any broken response', async () => {
    expect(await judgeRetries((sleep) => sleep(2_000))).toEqual(['pass', 'pass'])
    expect(await judgeRetries(async () => {})).toEqual(['fail', 'pass'])
  })
})

describe('a client without a wait, whose process does not get a processor', () => {
  /** Polls a video that is refused thrice. */
  async function judgePolls(between: () => Promise<void>): Promise<string | undefined> {
    await using sim = createSimulator({ seed: 1 })
    sim.addRule({ id: 'busy', match: { op: 'video.poll' }, on: [1, 2, 3], respond: { status: 503 } })
    using run = sim.watch({ always: ['backs-off'] })
    const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
    const submitted = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
    const { task_id: id } = (await submitted.json()) as Json
    await sim.clock.sleep(5_000)
    for (let poll = 1; poll <= 4; poll++) {
      await (await sim.fetch(`/v1/video/generations/${id}`, { headers })).text()
      await between()
    }
    const { results } = await run.verdict()
    return results.find(({ path }) => path === 'always[0]' || path.includes('backs-off'))?.verdict
  }

  it('is found in spite of that, and one that waits in real time is not accused', async () => {
    let polls = 0
    /** The first retry comes late. */
    const stallOnce = async (): Promise<void> => {
      if (polls++ > 0) return
      const until = performance.now() + 150
      while (performance.now() < until);
    }
    expect(await judgePolls(stallOnce)).toBe('fail')
    expect(await judgePolls(() => new Promise((resolve) => setTimeout(resolve, 150)))).toBe('pass')
  })
})

it('lets a client report an internal error of a submission, and expects it to repeat a poll', async () => {
  const isInternal = (error: unknown): boolean =>
    error instanceof Refused && [500, 502].includes(error.status)
  const findOf = (reports: (verb: Verb) => boolean): Promise<string[]> =>
    findIn(
      (gateway) =>
        makeVideo('a red kite', gateway, {
          ...careful,
          canRetry: (error, verb) => careful.canRetry(error, verb) && !(isInternal(error) && reports(verb)),
        }),
      ['500', '502 page'],
    )
  expect(await findOf((verb) => verb === 'submit')).toEqual([])
  expect(await findOf((verb) => verb === 'poll')).toEqual(['not-retried'])
})
