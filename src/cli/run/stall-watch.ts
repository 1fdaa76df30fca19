import { absentAdvice } from '../../engine/clock/stall.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Journal, JournalEntry } from '../../gateway/journal.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './no-requests.ts'

/** Refusals at one instant before we call it a retry loop; any client that waits stays below this. */
const maxRefusals = 1_000

/**
 * Detects a client retrying in a tight loop while the clock is stopped: one that doesn't wait, or waits on another clock.
 * @returns a function that stops watching.
 */
function watchForRetryLoop(journal: Pick<Journal, 'subscribe'>, report: (why: string) => void): () => void {
  let at = -1
  let count = 0
  return journal.subscribe((entry, what) => {
    if (what !== 'settled') return
    if (!isRefused(entry) || entry.at !== at) count = 0
    at = entry.at
    if (!isRefused(entry) || ++count < maxRefusals) return
    report(
      `${maxRefusals} requests in a row were refused at one instant, the last of them #${entry.number} ${entry.method} ` +
        `${entry.path}: the client doesn't wait before it tries again, or not on this clock. Let it sleep by ` +
        'POST /_greenroom/clock/sleep, put clock: { assume: [poll, retry-after] } into the file, or use --clock real.',
    )
  })
}

function isRefused({ status, fault }: JournalEntry): boolean {
  return fault !== null || status === 429 || status >= 500 || status === 0
}

/** A timeout of the client may still end a deadlock within this real time. */
const graceMs = 3_000

/** Real time in which a client gives up a response that never comes: common timeouts are 30 s. */
const defaultPatienceMs = 35_000

const checkMs = 100

/** A client that computes is still for a moment, too. */
const minStillMs = 1_000

/**
 * Detects a client that hangs: there are waiters, and nothing on the clock can wake any of them. Only a deadline of the client
 * itself, in real time, can end that.
 * @returns a function that stops watching.
 */
function watchForStandstill(
  { namespaces, control }: Pick<Simulator, 'namespaces' | 'control'>,
  { patienceMs = defaultPatienceMs, onIdle = () => {} }: { patienceMs?: number; onIdle?: () => void },
  report: (why: string) => void,
): () => void {
  let timer: ReturnType<typeof hostTimers.setTimeout>
  let latest = ''
  let sinceMs = hostTimers.elapsedMs()
  let isIdle = false
  const check = (): void => {
    const { waiters, nextWaiter, now, why } = control.clock.status(judgedNamespace)
    const state = `${now} ${waiters} ${namespaces.get(judgedNamespace).journal.nextNumber}`
    const isStill = waiters > 0 && nextWaiter === null && state === latest
    if (!isStill) [sinceMs, isIdle, latest] = [hostTimers.elapsedMs(), false, state]
    const stillMs = hostTimers.elapsedMs() - sinceMs
    if (stillMs >= minStillMs && !isIdle) {
      isIdle = true
      onIdle()
    }
    if (stillMs >= patienceMs)
      report(`the client did not give up within ${formatDuration(patienceMs)}; ${why}`)
    else timer = hostTimers.setTimeout(check, checkMs)
  }
  check()
  return () => hostTimers.clearTimeout(timer)
}

/** Detects a run that does not end by itself. */
export interface StallWatch {
  /** Resolves with the reason and with what each participant waits for. */
  readonly found: Promise<string>
  /** Stops watching. */
  readonly stop: () => void
}

/**
 * Watches for a deadlock of the clock, for a retry loop, and for a limit on real time.
 * @param options.patienceMs how long the clock may have waiters that nothing can wake, such as a response that never comes.
 * @param options.onIdle called when that begins.
 */
export function watchForStall(
  { events, control, namespaces }: Simulator,
  limitMs: number,
  options: { patienceMs?: number; onIdle?: () => void } = {},
): StallWatch {
  const timers = new Set<ReturnType<typeof hostTimers.setTimeout>>()
  const setTimer = (delayMs: number, check: () => void): void => {
    timers.add(hostTimers.setTimeout(check, delayMs))
  }
  let stops: (() => void)[] = []
  const found = new Promise<string>((resolve) => {
    const stopRetryLoop = watchForRetryLoop(namespaces.get(judgedNamespace).journal, resolve)
    let stalls = 0
    const stopEvents = events.subscribe((event) => {
      if (event.type !== 'clock.stuck' || event.namespace !== judgedNamespace) return
      const nth = ++stalls
      setTimer(graceMs, () => {
        const { stuck } = control.clock.status(judgedNamespace)
        // Another one may have begun since, if the client came back in between. It gets its own time.
        if (!stuck || nth !== stalls) return
        const advice = stuck.outcome === 'absent' ? [absentAdvice] : []
        resolve([stuck.why, ...advice, ...stuck.waiting.map((each) => `  ${each}`)].join('\n'))
      })
    })
    stops = [stopRetryLoop, stopEvents, watchForStandstill({ namespaces, control }, options, resolve)]
    setTimer(limitMs, () => {
      const { mode, why } = control.clock.status(judgedNamespace)
      const advice =
        mode === 'manual'
          ? '. Let the command advance the clock by POST /_greenroom/clock/advance, or pass --clock auto.'
          : ''
      resolve(`the run took longer than ${formatDuration(limitMs)} of real time; ${why}${advice}`)
    })
  })
  return {
    found,
    stop: () => {
      for (const stop of stops) stop()
      for (const timer of timers) hostTimers.clearTimeout(timer)
    },
  }
}
