import { adviceFor } from '../../engine/clock/stall.ts'
import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Journal, JournalEntry } from '../../gateway/journal.ts'
import { watchToolLoops } from '../../judge/index.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './client-hints.ts'

/** The number of futile requests at one instant that counts as a loop. A client that waits stays below it. */
const maxInVain = 1_000

/**
 * Detects a client that retries or polls in a tight loop while the clock is stopped. Such a client doesn't wait, or waits
 * on another clock.
 * @returns a function that stops watching.
 */
function watchForTightLoop(journal: Pick<Journal, 'subscribe'>, report: (why: string) => void): () => void {
  let at = -1
  let count = 0
  return journal.subscribe((entry, what) => {
    if (what !== 'settled') return
    if (!isInVain(entry) || entry.at !== at) count = 0
    at = entry.at
    if (!isInVain(entry) || ++count < maxInVain) return
    report(
      `${maxInVain} requests in a row were refused, or polled an unfinished task, at one instant, the last of them ` +
        `#${entry.number} ${entry.method} ${entry.path}: the client doesn't wait before it tries again, or not on this clock. Let it sleep by ` +
        'POST /_greenroom/clock/sleep, put clock: { assume: [poll, retry-after] } into the file, or use --clock real.',
    )
  })
}

function isInVain({ status, fault, method, task, final }: JournalEntry): boolean {
  const isRefused = fault !== null || status === 429 || status >= 500 || status === 0
  return isRefused || (method === 'GET' && task !== null && !final)
}

/** A task that is polled more often, for longer than this, and has no end, is polled forever. */
const maxPolls = 400
const maxPolledMs = 3 * 3_600_000

/** Detects a client that polls a task without a deadline, although no poll will ever report its end. */
function watchForEndlessPolls(
  { namespaces, control }: Pick<Simulator, 'namespaces' | 'control'>,
  report: (why: string) => void,
): () => void {
  const { journal } = namespaces.get(judgedNamespace)
  const polled = new Map<string, { count: number; readonly since: number }>()
  return journal.subscribe(({ task, role, at }, what) => {
    if (what !== 'settled' || role !== 'poll' || task === null) return
    const known = polled.get(task) ?? { count: 0, since: at }
    polled.set(task, known)
    const tookMs = at - known.since
    if (++known.count % maxPolls !== 0 || tookMs < maxPolledMs) return
    const { finishedAt, timeline } = control.tasks.get(judgedNamespace, task)
    const hasNoEnd = finishedAt === 0 && timeline.every(({ from }) => from <= at)
    const endedLongAgo = finishedAt > 0 && at - finishedAt >= maxPolledMs
    if (!hasNoEnd && !endedLongAgo) return
    report(
      `the client polls forever: ${known.count} polls of task ${task} in ${formatDuration(tookMs)}, and no end. ` +
        'Give each task a deadline, such as ten minutes, and report that it was reached.',
    )
  })
}

/** A timeout of the client may still end a deadlock within this real time. */
const graceMs = 3_000

/** The same for a client whose deadline has just passed on the clock: it is about to give up a request. */
const passedGraceMs = 20_000

/** A timeout in a C library may still end a wait that virtual time does not reach within this real time. */
const outsideGraceMs = 25_000

/** The real time in which a client must give up a response that never comes. Common deadlines are 30, 60 and 100 s. */
export const defaultPatience = '2m'

const checkMs = 100

/** During a shorter standstill, the client may just be computing. */
const minStillMs = 300

/** How to treat a client that only its own deadline, in real time, can wake. */
interface StandstillOptions {
  /** How long the clock may have waiters that nothing can wake, such as a response that never comes. */
  readonly patienceMs?: number
  /** Called when the standstill begins, with its maximum length. */
  readonly onIdle?: (patienceMs: number) => void
  /** Called when the client ended it, with its length. */
  readonly onBack?: (tookMs: number) => void
}

/**
 * Detects a client that hangs: there are waiters, and nothing on the clock can wake them. Only the client's own deadline,
 * in real time, can end that.
 */
function watchForStandstill(
  { namespaces, control }: Pick<Simulator, 'namespaces' | 'control'>,
  { patienceMs = parseDuration(defaultPatience), onIdle = () => {}, onBack = () => {} }: StandstillOptions,
  report: (why: string) => void,
): { readonly stop: () => void; readonly totalMs: () => number } {
  let timer: ReturnType<typeof hostTimers.setTimeout>
  let latest = ''
  let sinceMs = hostTimers.elapsedMs()
  let earlierMs = 0
  let isIdle = false
  const stillMs = (): number => hostTimers.elapsedMs() - sinceMs
  const check = (): void => {
    const { waiters, nextWaiter, now, why } = control.clock.status(judgedNamespace)
    const state = `${now} ${waiters} ${namespaces.get(judgedNamespace).journal.nextNumber}`
    const isStill = waiters > 0 && nextWaiter === null && state === latest
    if (!isStill) {
      if (isIdle) {
        earlierMs += stillMs()
        onBack(stillMs())
      }
      ;[sinceMs, isIdle, latest] = [hostTimers.elapsedMs(), false, state]
    }
    if (stillMs() >= minStillMs && !isIdle) {
      isIdle = true
      onIdle(patienceMs)
    }
    if (stillMs() >= patienceMs) {
      isIdle = false
      report(`the client did not give up within ${formatDuration(patienceMs)}; ${why}`)
    } else timer = hostTimers.setTimeout(check, checkMs)
  }
  check()
  return {
    stop: () => {
      hostTimers.clearTimeout(timer)
      if (isIdle) onBack(stillMs())
      isIdle = false
    },
    totalMs: () => earlierMs + (isIdle ? stillMs() : 0),
  }
}

/** Detects a run that does not end by itself. */
interface StallWatch {
  /** Resolves with the reason, and with the wait of each participant. */
  readonly found: Promise<string>
  /** Whether it did not end because time waited for what takes no part in the clock. */
  readonly isOutside: () => boolean
  /** Stops watching. */
  readonly stop: () => void
}

/**
 * Watches for a deadlock of the clock, a loop of retries or of tool calls, a client that hangs, and the limit on real time. The limit excludes
 * the time for the client's deadlines.
 */
export function watchForStall(
  { events, control, namespaces }: Simulator,
  limitMs: number,
  options: StandstillOptions = {},
): StallWatch {
  const timers = new Set<ReturnType<typeof hostTimers.setTimeout>>()
  const setTimer = (delayMs: number, check: () => void): void => {
    timers.add(hostTimers.setTimeout(check, delayMs))
  }
  let stops: (() => void)[] = []
  let wasOutside = false
  const found = new Promise<string>((resolve) => {
    const { journal } = namespaces.get(judgedNamespace)
    const stopLoops = [
      watchForTightLoop(journal, resolve),
      watchToolLoops(journal, resolve),
      watchForEndlessPolls({ namespaces, control }, resolve),
    ]
    let stalls = 0
    const stopEvents = events.subscribe((event) => {
      if (event.type !== 'clock.stuck' || event.namespace !== judgedNamespace) return
      const nth = ++stalls
      const isOutside = event.outcome === 'outside'
      const { isExact, waiters } = control.clock.status(judgedNamespace)
      const { deadlines } = namespaces.get(judgedNamespace).clock.auto
      // A client that sleeps on the clock over HTTP may still have time-outs of its own, such as http.Client{Timeout} in
      // Go: the limit of a standstill decides.
      if (event.outcome === 'deadlock' && !isExact && waiters > 0 && !deadlines.hasOpened) return
      // If every process states that it waits, no timeout in real time can end the deadlock.
      const exactMs = isExact ? 0 : deadlines.hasPassed ? passedGraceMs : graceMs
      setTimer(isOutside ? outsideGraceMs : exactMs, () => {
        const { stuck, waiting, waiters: left } = control.clock.status(judgedNamespace)
        // Ignores an earlier standstill. If the client came back in between, a later one has a timer of its own.
        if (!stuck || nth !== stalls) return
        // A program that waits in real time for something else comes back by itself.
        if (isOutside && left === 0 && !namespaces.get(judgedNamespace).clock.auto.agents.hasTurns) return
        wasOutside = isOutside
        const advice = adviceFor(stuck.outcome)
        const why = advice === undefined ? stuck.why : `${stuck.why}. ${advice}`
        resolve([why, ...waiting.map((each) => `  ${each}`)].join('\n'))
      })
    })
    const standstill = watchForStandstill({ namespaces, control }, options, resolve)
    stops = [...stopLoops, stopEvents, standstill.stop]
    const checkLimit = (countedMs = 0): void => {
      const idleMs = standstill.totalMs()
      if (idleMs > countedMs) return setTimer(idleMs - countedMs, () => checkLimit(idleMs))
      const { mode, why } = control.clock.status(judgedNamespace)
      wasOutside = namespaces.get(judgedNamespace).clock.auto.agents.areOutside
      const advice =
        mode === 'manual'
          ? '. Let the command advance the clock by POST /_greenroom/clock/advance, or pass --clock auto.'
          : ''
      resolve(`the run took longer than ${formatDuration(limitMs)} of real time; ${why}${advice}`)
    }
    setTimer(limitMs, checkLimit)
  })
  return {
    found,
    isOutside: () => wasOutside,
    stop: () => {
      for (const stop of stops) stop()
      for (const timer of timers) hostTimers.clearTimeout(timer)
    },
  }
}
