import { ClockClosed, type RequestCounts } from '../clock-settings.ts'
import type { Participants } from './participants.ts'
import { listWaiters } from '../list-waiters.ts'
import { unref, type HostTimers } from '../timers/host-timers.ts'
import type { HomeClock, ListedWaiter, Waiter, Waiters, Waiting } from '../waiters.ts'
import type { HeldTime, Ledger, TakenHold } from './ledger.ts'
import { nameClient, returning } from './sleeping-clients.ts'

/** A deadline of a client. */
export interface Deadline {
  /** The instant at which it passes. An assumed wait postpones it. */
  readonly due: number
  /** Resolves with the instant at which it passed. Rejects with {@link ClockClosed} when the clock closes first. */
  readonly passed: Promise<number>
  /** Ends the deadline: the client needs it no longer. Later calls do nothing. */
  readonly end: () => void
}

/** How long time waits for a client to react to a passed deadline, in the host's milliseconds. */
const reactionMs = 25

/** The same for a participant, whose history must not depend on its speed. */
const participantReactionMs = 1_000

/**
 * A client with more deadlines than waits counts as waiting after this time without an event. It is counted in steps:
 * a busy process that runs late reads what has arrived between two of them.
 */
const quietStepMs = 50
const quietSteps = 5

type Timer = ReturnType<HostTimers['setTimeout']>

/**
 * Open deadlines by their owners: names, or undefined for clients without one.
 *
 * Mode `auto` moves time to a deadline, or past it, only while its owner is parked: asleep, or waiting for a delayed
 * response. An owner stops time there while it computes or its request is on its way. An owner with more deadlines
 * than waits may have sent a request, so it counts as parked only after a quiet moment.
 */
export class Deadlines {
  readonly #host: HostTimers
  readonly #participants: Participants
  readonly #requests: RequestCounts
  readonly #ledger: Ledger
  readonly #waiters: Waiters
  /** By owner: the hold until it reacts to a passed deadline. It ends after a moment, but stays here until the owner has acted. */
  readonly #reacting = new Map<string | undefined, TakenHold>()
  #quiet: Timer | undefined
  #isQuiet = false
  #hasOpened = false

  constructor(
    ledger: Ledger,
    waiters: Waiters,
    host: HostTimers,
    participants: Participants,
    requests: RequestCounts = { started: 0, open: 0 },
  ) {
    this.#host = host
    this.#participants = participants
    this.#requests = requests
    this.#ledger = ledger
    this.#waiters = waiters
    const findIf = (isHolding: (parked: number, open: number) => boolean) => (next: Waiter | undefined) => {
      if (next?.waiting.kind !== 'deadline' || next.waiting.isTimer) return undefined
      const { name } = next.waiting
      const [parked, open] = [waiters.parkedClients(), waiters.deadlineOwners()].map(
        (owners) => owners.filter((owner) => owner === name).length,
      )
      return isHolding(parked!, open!) ? { who: nameClient(name), from: next.due } : undefined
    }
    ledger.derive(
      { rank: 70, outcome: 'absent', describe: (_holds, time) => describeWorking(time) },
      findIf((parked) => parked === 0),
    )
    ledger.derive(
      {
        rank: 75,
        isBrief: true,
        describe: (_holds, time) => describeUnsure(time),
        onCheck: (isHeld) => this.#watch(isHeld),
      },
      findIf((parked, open) => parked < open && !this.#isQuiet),
    )
  }

  /** Opens a deadline of a client. */
  open(owner: string | undefined, due: number, { mode, now, onChange }: HomeClock): Deadline {
    this.#hasOpened = true
    const waiting: Waiting = { kind: 'deadline', ...(owner !== undefined && { name: owner }) }
    let listed: ListedWaiter | undefined
    const passed = new Promise<number>((resolve, reject) => {
      const wake = (): void => {
        if (mode() === 'auto') this.#passed(owner)
        resolve(now())
      }
      const end = (): void => reject(new ClockClosed())
      listed = this.#waiters.add({ due, waiting, rank: '', wake, end })
    })
    passed.catch(() => {})
    onChange()
    return {
      get due() {
        return listed!.due
      },
      passed,
      end: () => void (listed!.remove() && onChange()),
    }
  }

  /** Gives the owner of a passed deadline a moment to react. */
  #passed(owner: string | undefined): void {
    this.acted(owner)
    const delayMs = this.#participants.areKnown ? participantReactionMs : reactionMs
    this.#reacting.set(owner, this.#ledger.take(returning, nameClient(owner), { forMs: delayMs }))
  }

  /** Reports that the owner began or gave up a wait. */
  acted(owner: string | undefined): void {
    this.#reacting.get(owner)?.release()
    this.#reacting.delete(owner)
  }

  /** Whether a client ever opened one: then its time-outs run on this clock. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  /** Whether an owner has done nothing since its deadline passed. On a busy machine, that may take seconds. */
  get hasPassed(): boolean {
    return this.#reacting.size > 0
  }

  /** Starts or stops watching for a quiet moment. */
  #watch(isUnsure: boolean): void {
    this.#host.clearTimeout(this.#quiet)
    this.#isQuiet = false
    if (isUnsure) this.#waitForQuiet(quietSteps)
  }

  #waitForQuiet(steps: number): void {
    const { started } = this.#requests
    const timer = this.#host.setTimeout(() => {
      if (this.#requests.started !== started) return this.#waitForQuiet(quietSteps)
      if (steps > 1) return this.#waitForQuiet(steps - 1)
      this.#isQuiet = true
      this.#ledger.changed()
    }, quietStepMs)
    this.#quiet = unref(timer)
  }

  close(): void {
    this.#watch(false)
  }
}

const describeFirst = ({ waiters, start }: HeldTime): string =>
  listWaiters({ waiters: waiters.slice(0, 1), start }).join('')

const describeWorking = (time: HeldTime): string =>
  `waiting for the owner of ${describeFirst(time)}, which is at work: it neither sleeps on the clock nor waits for ` +
  'a delayed answer under this name'

const describeUnsure = (time: HeldTime): string =>
  `waiting for a quiet moment before ${describeFirst(time)}, whose owner has more deadlines than waits`
