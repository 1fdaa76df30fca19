import { absentAdvice } from '../../engine/clock/stall.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './drive-scenario.ts'
import type { Journal, JournalEntry } from '../../gateway/journal.ts'

/** So many refusals without time moving: nobody who waits at all comes that far. */
const maxInARow = 1_000

/**
 * Watches for a client that asks on and on while time stands still: without waiting, or waiting on a clock of its own,
 * so that what it waits for never comes.
 *
 * @returns what ends it.
 */
function watchForRetryLoop(journal: Pick<Journal, 'subscribe'>, found: (why: string) => void): () => void {
  let at = -1
  let count = 0
  return journal.subscribe((entry, what) => {
    if (what !== 'settled') return
    if (!wasRefused(entry) || entry.at !== at) count = 0
    at = entry.at
    if (!wasRefused(entry) || ++count < maxInARow) return
    found(
      `${maxInARow} requests in a row were refused at one instant, the last of them #${entry.number} ${entry.method} ` +
        `${entry.path}: the client doesn't wait before it tries again, or not on this clock. Let it sleep by ` +
        'POST /_greenroom/clock/sleep, put clock: { assume: [poll, retry-after] } into the file, or use --clock real.',
    )
  })
}

function wasRefused({ status, fault }: JournalEntry): boolean {
  return fault !== null || status === 429 || status >= 500 || status === 0
}

/** A client's own timeout may still end a standstill; so long it is waited for. */
const patienceMs = 3_000

const somebodyMay = 'Let the command do that by POST /_greenroom/clock/advance, or take --clock auto.'

/** What ends a run that doesn't end by itself. */
export interface StallWatch {
  /** Resolves with the reason, and who waits for what. */
  readonly found: Promise<string>
  /** Stops to look. */
  readonly end: () => void
}

/**
 * Watches for a run that can't go on: time that stands still for good, a client that asks on and on meanwhile, or a limit
 * on real time that is reached.
 */
export function watchForStall({ events, control, namespaces }: Simulator, limitMs: number): StallWatch {
  const timers = new Set<ReturnType<typeof hostTimers.setTimeout>>()
  const after = (durationMs: number, look: () => void): void => {
    timers.add(hostTimers.setTimeout(look, durationMs))
  }
  let stops: (() => void)[] = []
  const found = new Promise<string>((resolve) => {
    const stopRush = watchForRetryLoop(namespaces.get(judgedNamespace).journal, resolve)
    const stopEvents = events.subscribe((event) => {
      if (event.type !== 'clock.stuck' || event.namespace !== judgedNamespace) return
      after(patienceMs, () => {
        const { stuck } = control.clock(judgedNamespace)
        if (!stuck) return
        const advice = stuck.outcome === 'absent' ? [absentAdvice] : []
        resolve([stuck.why, ...advice, ...stuck.waiting.map((each) => `  ${each}`)].join('\n'))
      })
    })
    stops = [stopRush, stopEvents]
    after(limitMs, () => {
      const { mode, why } = control.clock(judgedNamespace)
      const advice = mode === 'manual' ? `. ${somebodyMay}` : ''
      resolve(`the run took longer than ${formatDuration(limitMs)} of real time; ${why}${advice}`)
    })
  })
  return {
    found,
    end: () => {
      for (const stop of stops) stop()
      for (const timer of timers) hostTimers.clearTimeout(timer)
    },
  }
}
