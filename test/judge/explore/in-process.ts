import { createHash } from 'node:crypto'
import { createSimulator } from '../../../src/index.ts'
import { readTrace } from '../../../src/judge/index.ts'
import { normalizeResult, type RunClient } from '../../../src/judge/explore/index.ts'

export interface Gateway {
  readonly fetch: typeof fetch
  readonly sleep: (ms: number, options?: { as?: string; signal?: AbortSignal }) => Promise<void>
  readonly now: () => number
  readonly baseUrl: string
  readonly key: string
  /** Receives the callbacks of the gateway from now on. */
  readonly receive: (handler: (request: Request) => Promise<Response>) => void
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/** The number of checks without progress after which a client hangs. Checks are counted, since a busy machine delays them. */
const maxQuietChecks = 250

/** Runs a function as the client. It hangs if it makes no progress, and the simulator reads no request. */
export function inProcess(client: (gateway: Gateway) => Promise<unknown>): RunClient {
  return async (scenario, { isRepetition = false }) => {
    let handler = async (_request: Request): Promise<Response> => new Response(null, { status: 503 })
    const sim = createSimulator({ scenario, deliver: (request) => handler(request) })
    let requests = 0
    let quietChecks = 0
    let stuckChecks = 0
    let stop!: (end: { ended: 'hung' | 'endless'; reason: string }) => void
    const stopped = new Promise<Parameters<typeof stop>[0]>((resolve) => (stop = resolve))
    let seen = sim.clock.now()
    const watch = setInterval(() => {
      const { now, stuck, why } = sim.clock.status()
      quietChecks = now !== seen || why.includes('reading') ? 0 : quietChecks + 1
      stuckChecks = stuck ? stuckChecks + 1 : 0
      seen = now
      if (stuckChecks > 10 || quietChecks > maxQuietChecks) stop({ ended: 'hung', reason: why })
    }, 20)
    const gateway: Gateway = {
      baseUrl: 'https://gateway.example',
      key: sim.key,
      now: sim.clock.now,
      receive: (given) => void (handler = given),
      sleep: (ms, options) => ((quietChecks = 0), sim.clock.sleep(ms, options)),
      fetch: async (input, init) => {
        quietChecks = 0
        if (++requests > 400) stop({ ended: 'endless', reason: 'more than 400 requests' })
        if (requests > 400) return new Promise(() => {})
        return sim.fetch(input, init).finally(() => (quietChecks = 0))
      },
    }
    const played = Promise.resolve()
      .then(() => client(gateway))
      .then(
        (value) => ({ ended: 'succeeded' as const, reason: '', value }),
        (error: Error) => ({ ended: 'failed' as const, reason: error.message, error }),
      )
    const end = await Promise.race([played, stopped])
    clearInterval(watch)
    const exchanges = sim.journal()
    const verdict = await sim.verdict()
    const trace = isRepetition ? readTrace(sim.core, 'default') : undefined
    await sim.close()
    const ids = verdict.tasks.map(({ id }) => id)
    const isOwn =
      'error' in end && end.error instanceof TypeError && !/fetch failed|terminated/.test(end.reason)
    return {
      ended: end.ended,
      reason: end.reason,
      output: end.reason,
      hasCrashed: isOwn,
      result: 'value' in end ? normalizeResult(end.value, ids, hash) : '',
      exchanges,
      operations: sim.core.operations,
      verdict,
      ...(trace && { trace }),
    }
  }
}
