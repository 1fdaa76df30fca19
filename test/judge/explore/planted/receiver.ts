import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Gateway } from '../in-process.ts'

/** The secret by which the callbacks of the gateway are signed. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

interface Job {
  readonly id: string
  readonly status: string
}

/** What a receiver does where receivers go wrong. A planted bug replaces one of them. */
export interface Habits {
  /** Refuses a callback that it does not believe. */
  readonly verifies: boolean
  /** How it recognizes what it has handled: by the job that has ended, by the id of the message, or not at all. */
  readonly knows: 'job' | 'message' | 'nothing'
  /** Keeps the end of a job, whatever arrives later. */
  readonly keepsEnds: boolean
  /** Asks the gateway itself for the state at each callback, and every 30 seconds. */
  readonly asks: 'never' | 'now and then' | 'always'
  /** Answers first, and works after that. */
  readonly worksLater: boolean
  /** Ends by a mistake of its own if a signature is wrong. */
  readonly crashes: boolean
}

export const careful: Habits = {
  verifies: true,
  knows: 'job',
  keepsEnds: true,
  asks: 'now and then',
  worksLater: false,
  crashes: false,
}

const isEnd = (status: string): boolean => status === 'ready' || status === 'broken'

/** Verifies a Standard Webhook that is not older than five minutes. */
function isSigned(headers: Headers, raw: string, now: number): boolean {
  const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  if (Math.abs(now / 1_000 - Number(timestamp)) > 300) return false
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  const expected = mac.update(`${id}.${timestamp}.${raw}`).digest()
  const [version, given = ''] = (headers.get('webhook-signature') ?? '').split(',')
  const bytes = Buffer.from(given, 'base64')
  return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

/** Makes a video by an API that reports jobs by callbacks. @returns the last state of the job, and how often it was paid for. */
export async function runReceiver(
  { fetch, sleep, baseUrl, key, now, receive }: Gateway,
  habits: Habits,
): Promise<{ status: string; credits: number }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const known = new Set<string>()
  let [status, credits] = ['', 0]
  let finish = (): void => {}
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const learn = (job: Job, message: string): void => {
    if (!habits.keepsEnds || !isEnd(status)) status = job.status
    if (!isEnd(job.status)) return
    const handled = habits.knows === 'message' ? message : job.id
    if (habits.knows !== 'nothing' && known.has(handled)) return
    // A poll has no message, so the job is remembered, too.
    if (habits.knows === 'message' && known.has(job.id)) return
    known.add(handled).add(job.id)
    if (job.status === 'ready') credits++
    finish()
  }
  const ask = async (id: string): Promise<Job> => {
    const response = await fetch(`${baseUrl}/acme/jobs/${id}`, { headers })
    return { id, status: ((await response.json()) as Job).status }
  }
  let crash = (_error: unknown): void => {}
  const crashed = new Promise<never>((_, reject) => (crash = reject))
  crashed.catch(() => {})
  receive(async (request) => {
    const raw = await request.text()
    if (habits.crashes && !isSigned(request.headers, raw, now())) crash(new TypeError('not a function'))
    if (habits.verifies && !isSigned(request.headers, raw, now())) return new Response(null, { status: 401 })
    const job = JSON.parse(raw) as Job
    const message = request.headers.get('webhook-id') ?? ''
    const work = async (): Promise<void> => {
      if (habits.worksLater) await sleep(1_000)
      learn(habits.asks === 'always' ? await ask(job.id) : job, message)
    }
    if (habits.worksLater) void work()
    else await work()
    return new Response()
  })
  const body = JSON.stringify({ text: 'a red kite', hook: 'https://app.example/hook' })
  const response = await fetch(`${baseUrl}/acme/jobs`, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: string }
  const giveUp = async (): Promise<void> => {
    for (let waited = 0; waited < 3_600; waited += 30) {
      await sleep(30_000)
      if (known.size > 0) return
      if (habits.asks !== 'never') learn(await ask(id), '')
    }
    throw new Error(`job ${id} has not ended`)
  }
  await Promise.race([ended, giveUp(), crashed])
  // A server goes on: what comes later must change nothing.
  await sleep(120_000)
  if (status !== 'ready') throw new Error(`job ${id} ended as ${status}`)
  return { status, credits }
}
