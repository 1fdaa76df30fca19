import type { ClockMode } from '../clock-settings.ts'
import { isFake } from './host-timers.ts'

/** What sinon's fakes know of themselves, which Vitest and Jest use too. */
interface FakeClock {
  readonly tickMode?: { readonly mode: string }
}

/** Real work. In mode `host`, timers that were faked and move by themselves stand still meanwhile: nobody waits for its time. */
export function withFakeTimersPaused<T>(
  { mode }: { readonly mode: ClockMode },
  work: Promise<T>,
): Promise<T> {
  return mode === 'host' ? work.finally(holdFakes()) : work
}

/**
 * Keeps fake timers that move by themselves, such as by `vi.setTimerTickMode('nextTimerAsync')`, where they are while
 * something real is done. They go to the next timer as soon as the process has nothing else to do, and don't see that a
 * film is being drawn elsewhere: the next would often be a deadline of the client. Until the work is done, the next is
 * one that is due at once, again and again.
 *
 * @returns what lets go of them.
 */
function holdFakes(): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  if (!movesByItself(set)) return () => {}
  let isOver = false
  let timer: ReturnType<typeof setTimeout>
  // What is set within a timer's own turn is due a millisecond later; behind it, at once.
  const again = (): void => {
    if (!isOver) timer = set(() => void Promise.resolve().then(again), 0)
  }
  again()
  return () => {
    isOver = true
    clear(timer)
  }
}

function movesByItself(timer: typeof setTimeout): boolean {
  return isFake(timer) && (timer as { clock?: FakeClock }).clock?.tickMode?.mode === 'nextAsync'
}
