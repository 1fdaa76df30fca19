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
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/**
 * Runs a function as the client. Whatever stands still for a while is hung. Turns of the event loop measure this while: a
 * busy machine makes turns longer, and a simulator that reads or draws is at work.
 */
export function inProcess(client: (gateway: Gateway) => Promise<unknown>, maxQuietTurns = 250): RunClient {
  return async (scenario, { isRepetition = false }) => {
    const sim = createSimulator({ scenario })
    let requests = 0
    let quietTurns = 0
    let stuckTurns = 0
    let stop!: (end: { ended: 'hung' | 'endless'; reason: string }) => void
    const stopped = new Promise<Parameters<typeof stop>[0]>((resolve) => (stop = resolve))
    let seen = sim.clock.now()
    const watch = setInterval(() => {
      const { now, stuck, why } = sim.clock.status()
      quietTurns = now !== seen || why.includes('reading') ? 0 : quietTurns + 1
      stuckTurns = stuck ? stuckTurns + 1 : 0
      seen = now
      if (stuckTurns > 10 || quietTurns > maxQuietTurns) stop({ ended: 'hung', reason: why })
    }, 20)
    const gateway: Gateway = {
      baseUrl: 'https://gateway.example',
      key: sim.key,
      now: sim.clock.now,
      sleep: (ms, options) => ((quietTurns = 0), sim.clock.sleep(ms, options)),
      fetch: async (input, init) => {
        quietTurns = 0
        if (++requests > 400) stop({ ended: 'endless', reason: 'more than 400 requests' })
        if (requests > 400) return new Promise(() => {})
        return sim.fetch(input, init).finally(() => (quietTurns = 0))
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
