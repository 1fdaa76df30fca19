import { createHash } from 'node:crypto'

/** How a client reaches the gateway. */
export interface Gateway {
  readonly fetch: typeof fetch
  readonly sleep: (ms: number) => Promise<unknown>
  readonly baseUrl: string
  readonly key: string
}

export interface Task {
  readonly status: string
  readonly progress?: string
  readonly fail_reason?: string
}

export type Verb = 'submit' | 'poll' | 'download'

export class Refused extends Error {
  readonly status: number
  readonly retryAfter: string | null
  constructor(verb: Verb, { status, headers }: Response) {
    super(`the ${verb} returned ${status}`)
    this.status = status
    this.retryAfter = headers.get('retry-after')
  }
}

/** Milliseconds to wait by a Retry-After of seconds or a date. */
export function retryAfterMs(error: unknown): number {
  const after = error instanceof Refused ? (error.retryAfter ?? '0') : '0'
  return /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now() || 0
}

/** What the client does at each point where clients go wrong. A planted bug replaces one of them. */
export const careful = {
  attempts: 5,
  timeoutMs: 30_000,
  /** Of all that the client waits. */
  deadlineMs: 600_000,
  pollMs: 5_000,
  redirect: 'follow' as RequestRedirect,
  headers: (key: string, _failures: number): Record<string, string> => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  }),
  canRetry: (error: unknown, verb: Verb): boolean => {
    if (error instanceof Refused) return error.status === 429 || error.status >= 500
    return verb !== 'submit' // a lost answer may stand for a task that is paid for
  },
  delayMs: (failures: number, error: unknown): number => Math.max(1_250 * 2 ** failures, retryAfterMs(error)),
  check: async (verb: Verb, response: Response): Promise<Response> => {
    if (!response.ok) throw new Refused(verb, response)
    return response
  },
  readTask: async (response: Response): Promise<Task> => ((await response.json()) as { data: Task }).data,
  isDone: (task: Task): boolean => task.status === 'SUCCESS',
  hasFailed: (task: Task): boolean => task.status === 'FAILURE',
  failure: (task: Task): Error => new Error(task.fail_reason || 'the video failed without a reason'),
  readBytes: async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer()),
  verify: (bytes: Uint8Array, response: Response): boolean => {
    const [, digest] = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '') ?? []
    const isMp4 = Buffer.from(bytes.subarray(4, 8)).toString() === 'ftyp'
    return isMp4 && (digest === undefined || createHash('sha256').update(bytes).digest('hex') === digest)
  },
}

export type Habits = typeof careful

/** One request in the hands of a bug. */
export type Send = (verb: Verb, path: string, init?: RequestInit) => Promise<Response>

/** Makes a video: submits, polls, downloads, verifies. */
export async function makeVideo(
  prompt: string,
  { fetch, sleep, baseUrl, key }: Gateway,
  habits: Habits = careful,
): Promise<{ id: string; bytes: Uint8Array }> {
  let waitedMs = 0
  let failures = 0
  const wait = async (ms: number): Promise<void> => {
    waitedMs += ms
    if (waitedMs > habits.deadlineMs) throw new Error(`gave up after ${habits.deadlineMs / 1_000} s`)
    await sleep(ms)
  }
  const send: Send = async (verb, path, init) => {
    const signal = habits.timeoutMs < Infinity ? { signal: AbortSignal.timeout(habits.timeoutMs) } : {}
    const { redirect } = habits
    const headers = habits.headers(key, failures)
    return habits.check(verb, await fetch(baseUrl + path, { headers, redirect, ...signal, ...init }))
  }
  const retry = async <T>(verb: Verb, attempt: () => Promise<T>): Promise<T> => {
    for (failures = 0; ;) {
      try {
        return await attempt()
      } catch (error) {
        failures++
        if (failures >= habits.attempts || !habits.canRetry(error, verb)) throw error
        await wait(habits.delayMs(failures, error))
      }
    }
  }

  const body = JSON.stringify({ model: 'video-1', prompt, duration: 1, size: '128x96' })
  const submit = async (): Promise<Response> =>
    send('submit', '/v1/video/generations', { method: 'POST', body })
  const { task_id: id } = (await retry('submit', async () => (await submit()).json())) as { task_id: string }
  for (;;) {
    await wait(habits.pollMs)
    const poll = async (): Promise<Task> => habits.readTask(await send('poll', `/v1/video/generations/${id}`))
    const task = await retry('poll', poll)
    if (habits.isDone(task)) break
    if (habits.hasFailed(task)) throw habits.failure(task)
  }
  const bytes = await retry('download', async () => {
    const response = await send('download', `/v1/videos/${id}/content`)
    const bytes = await habits.readBytes(response)
    if (!habits.verify(bytes, response)) throw new Error(`the video of ${id} arrived damaged`)
    return bytes
  })
  return { id, bytes }
}
