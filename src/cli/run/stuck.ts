import { absentAdvice } from '../../engine/clock/absence.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { judgedNamespace } from './drive-scenario.ts'
import { watchForRush } from './rush.ts'

/** A client's own timeout may still end a standstill; so long it is waited for. */
const patienceMs = 3_000

const somebodyMay = 'Let the command do that by POST /_greenroom/clock/advance, or take --clock auto.'

/** What ends a run that doesn't end by itself. */
export interface Standstill {
  /** Resolves with the reason, and who waits for what. */
  readonly found: Promise<string>
  /** Stops to look. */
  readonly end: () => void
}

/**
 * Watches for a run that can't go on: time that stands still for good, a client that asks on and on meanwhile, or a limit
 * on real time that is reached.
 */
export function watchForStandstill({ events, control, namespaces }: Simulator, limitMs: number): Standstill {
  const timers = new Set<ReturnType<typeof hostTimers.setTimeout>>()
  const after = (durationMs: number, look: () => void): void => {
    timers.add(hostTimers.setTimeout(look, durationMs))
  }
  let stops: (() => void)[] = []
  const found = new Promise<string>((resolve) => {
    const stopRush = watchForRush(namespaces.get(judgedNamespace).journal, resolve)
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
