import type { Exchange } from '../exchange.ts'

/** Delivers a callback, such as `fetch`. */
export type Deliver = (request: Request) => Response | Promise<Response>

/** Marks callbacks as cross-site requests, so that control APIs on this machine refuse them, because a client chose the URL. */
const crossSite = { 'sec-fetch-site': 'cross-site' }

/** How a receiver answered. */
interface Answer {
  /** 0 without an answer. */
  readonly status: number
  /** How many bytes it was sent. */
  readonly bytes: number
  /** Whether its time was over. */
  readonly isLate: boolean
}

/** Sends a callback, and waits for the status of its receiver. Never rejects. */
export async function deliver(
  x: Exchange,
  given: { send: Deliver; timeoutMs: number; closing: AbortSignal },
): Promise<Answer> {
  const { clock } = x
  const body = typeof x.reply.body === 'string' ? x.reply.body : ''
  const bytes = new TextEncoder().encode(body).length
  const over = new AbortController()
  const delivered = clock.auto.agents.whileDelivering()
  const timedOut = startTimeout(x, given.timeoutMs, over.signal)
  const signal = AbortSignal.any([over.signal, given.closing])
  try {
    const request = new Request(x.request.target, {
      method: 'POST',
      // On an idle connection, the keep-alive limit of a receiver, which is real time, could lose the callback.
      headers: { ...x.reply.headers, connection: 'close', ...crossSite },
      body,
      // A redirect could lead to a forbidden host.
      redirect: 'manual',
      signal,
    })
    const answer = await Promise.race([given.send(request), timedOut])
    if (!(answer instanceof Response)) return { status: 0, bytes, isLate: answer === true }
    await answer.body?.cancel()
    return { status: answer.status, bytes, isLate: false }
  } catch {
    return { status: 0, bytes, isLate: false }
  } finally {
    over.abort()
    delivered()
    clock.agreement.change()
  }
}

/** The time of a receiver passes on the clock if its process takes part, otherwise in real time. @returns whether it is over. */
async function startTimeout({ clock }: Exchange, timeoutMs: number, over: AbortSignal): Promise<boolean> {
  if (clock.auto.agents.size === 0) {
    await whenAborted(AbortSignal.any([AbortSignal.timeout(timeoutMs), over]))
    return !over.aborted
  }
  return clock.wait(timeoutMs, over, { kind: 'work' }).then(
    () => true,
    () => false,
  )
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
