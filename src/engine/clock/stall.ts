import type { ClockSettings, RequestCounts, Stuck } from './clock-settings.ts'
import type { Hold } from './holds/ledger.ts'
import { unref, type HostTimers } from './timers/host-timers.ts'
import type { Waiters } from './waiters.ts'

/** How long a participant may work between two waits, in real time, before it is reported. */
const maxAbsenceMs = 5_000

/**
 * How long a response may wait on a manual clock in real time before it is reported. Scripts that advance the clock
 * are faster.
 */
const maxManualWaitMs = 1_000

/** What to do about a participant that does not come back. */
const absentAdvice =
  'A participant that is done must leave, by sim.clock.leave(name) or POST /_greenroom/clock/leave {"as": name}, and a ' +
  'deadline that is no longer needed must end: dispose of it, or close its connection.'

/** What to do about a process that waits in real time. */
const outsideAdvice =
  'Virtual time reaches no C library, such as a database driver, pycurl or grpc, and no program but those of Python and Node. ' +
  'Call the gateway by requests, httpx or aiohttp, in Node by fetch, or start the program without --virtual-timers.'

/** Advice on each obstacle that keeps time from moving. */
export function adviceFor(outcome: Stuck['outcome']): string | undefined {
  return { absent: absentAdvice, outside: outsideAdvice, deadlock: undefined, limit: undefined }[outcome]
}

/** Reports that time can't move any more, since when, and why. The outcome is that of the hold that time waits for. */
export class Stall {
  readonly #host: HostTimers
  readonly #waiters: Waiters
  readonly #requests: RequestCounts
  readonly #onStuck: (stuck: Stuck) => void
  readonly #describe: () => Pick<Stuck, 'why' | 'waiting'>
  #outcome: Stuck['outcome'] | undefined = undefined
  #ofPolls = false
  #sinceMs = 0
  #absence: ReturnType<HostTimers['setTimeout']> | undefined

  /** @param describe returns the words of the status. */
  constructor(
    host: HostTimers,
    waiters: Waiters,
    { requests = { started: 0, open: 0 }, onStuck = () => {} }: Pick<ClockSettings, 'requests' | 'onStuck'>,
    describe: () => Pick<Stuck, 'why' | 'waiting'>,
  ) {
    this.#host = host
    this.#waiters = waiters
    this.#requests = requests
    this.#onStuck = onStuck
    this.#describe = describe
  }

  /**
   * Begins or ends a stall, depending on the hold before the next waiter. A check proves that clients are alive: something
   * has happened on the clock.
   * @param options `isOutside` while a process waits where virtual time does not reach it.
   */
  check(hold: Hold | undefined, { isOutside }: { isOutside: boolean }): void {
    const outcome = hold?.why.outcome
    this.#host.clearTimeout(this.#absence)
    if (outcome === 'absent' && this.#waiters.parkedClients().length > 0) this.#watchAbsence()
    if (outcome !== undefined && outcome !== 'absent') this.begin(outcome)
    // A client that polls can still be stuck.
    else if (!hold || !(isOutside || this.#ofPolls)) this.#outcome = undefined
  }

  /**
   * Begins a stall. Each is reported once.
   * @param options `ofPolls` if a poll would have moved time.
   */
  begin(outcome: Stuck['outcome'], { ofPolls = false }: { ofPolls?: boolean } = {}): void {
    if (this.#outcome === outcome) return
    this.#outcome = outcome
    this.#ofPolls = ofPolls
    this.#sinceMs = this.#host.elapsedMs()
    this.#onStuck(this.report(this.#describe())!)
  }

  /** Ends the stall: time has moved, or its mode has changed. */
  end(): void {
    this.#outcome = undefined
  }

  /** Reports no absence until the next check. */
  stop(): void {
    this.#host.clearTimeout(this.#absence)
  }

  report({ why, waiting }: Pick<Stuck, 'why' | 'waiting'>): Stuck | null {
    if (this.#outcome === undefined) return null
    const forMs = Math.round(this.#host.elapsedMs() - this.#sinceMs)
    return { outcome: this.#outcome, why, waiting, forMs }
  }

  #watchAbsence(): void {
    const { started } = this.#requests
    const report = (): void => {
      // A response that waits on the clock is an open request without work. A render is work that takes real time.
      if (this.#requests.open > this.#waiters.delayedResponses || this.#requests.started !== started)
        this.#watchAbsence()
      else this.begin('absent')
    }
    this.#absence = unref(this.#host.setTimeout(report, maxAbsenceMs))
  }
}

/**
 * Reports a response that waits on a clock in mode `manual`: nothing advances the clock, so its client seems to hang.
 */
export class ManualWaitWatch {
  readonly #host: HostTimers
  readonly #waiters: Waiters
  readonly #onWait: () => void
  #timer: ReturnType<HostTimers['setTimeout']> | undefined
  #isReported = false

  /** @param onWait called once until the next {@link reset}. */
  constructor(host: HostTimers, waiters: Waiters, onWait: () => void) {
    this.#host = host
    this.#waiters = waiters
    this.#onWait = onWait
  }

  /** Checks the waiters after they or the mode have changed. */
  check(isManual: boolean): void {
    if (!isManual || !this.#waiters.hasResponses) return this.reset()
    if (this.#isReported || this.#timer !== undefined) return
    const report = (): void => {
      this.#timer = undefined
      this.#isReported = true
      this.#onWait()
    }
    this.#timer = unref(this.#host.setTimeout(report, maxManualWaitMs))
  }

  /** Starts over: the clock has moved, or nothing waits. */
  reset(): void {
    this.#isReported = false
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
