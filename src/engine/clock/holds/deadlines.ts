import { ClockClosed, type RequestCounts } from '../clock-settings.ts'
import type { Participants } from './participants.ts'
import { startGrace, unref, type HostTimers } from '../timers/host-timers.ts'
import type { ListedWaiter, Waiters } from '../waiters.ts'

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

/** What a deadline needs of its clock. */
interface ClockAccess {
  readonly waiters: Waiters
  readonly now: () => number
  readonly movesByItself: () => boolean
  /** Called when a deadline is added or ended. */
  readonly onChange: () => void
}

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
  readonly #onChange: () => void
  readonly #open = new Map<string | undefined, number>()
  /** Owners that must react to a passed deadline, each with what ends the grace period for that. */
  readonly #reacting = new Map<string | undefined, () => void>()
  #quiet: Timer | undefined
  #isQuiet = false
  #hasOpened = false

  /** @param onChange called when a blocker may be gone. */
  constructor(
    host: HostTimers,
    participants: Participants,
    requests: RequestCounts = { started: 0, open: 0 },
    onChange: () => void,
  ) {
    this.#host = host
    this.#participants = participants
    this.#requests = requests
    this.#onChange = onChange
  }

  /** Opens a deadline of a client. */
  open(
    owner: string | undefined,
    due: number,
    { waiters, now, movesByItself, onChange }: ClockAccess,
  ): Deadline {
    this.#hasOpened = true
    this.#count(owner, 1)
    let isOver = false
    const over = (): void => {
      isOver = true
      this.#count(owner, -1)
    }
    let listed: ListedWaiter | undefined
    const passed = new Promise<number>((resolve, reject) => {
      const wake = (): void => {
        over()
        if (movesByItself()) this.#passed(owner)
        resolve(now())
      }
      const end = (): void => {
        over()
        reject(new ClockClosed())
      }
      const waiting = { kind: 'deadline', ...(owner !== undefined && { name: owner }) } as const
      listed = waiters.add({ due, waiting, rank: '', wake, end })
    })
    passed.catch(() => {})
    onChange()
    const end = (): void => {
      if (isOver) return
      over()
      listed?.remove()
      onChange()
    }
    return {
      get due() {
        return listed?.due ?? due
      },
      passed,
      end,
    }
  }

  /** Why time can't move to the next deadline, which belongs to this owner; undefined if it can. */
  blocker(owner: string | undefined): 'working' | 'unsure' | undefined {
    const parked = this.#participants.parkedAs(owner)
    if (parked === 0) return 'working'
    return parked < this.#countOf(owner) && !this.#isQuiet ? 'unsure' : undefined
  }

  /** Gives the owner of a passed deadline a moment to react. */
  #passed(owner: string | undefined): void {
    this.acted(owner)
    const delayMs = this.#participants.areKnown ? participantReactionMs : reactionMs
    this.#reacting.set(
      owner,
      startGrace(this.#host, delayMs, () => this.acted(owner)),
    )
  }

  /** Reports that the owner began or gave up a wait. */
  acted(owner: string | undefined): void {
    const endGrace = this.#reacting.get(owner)
    if (!endGrace) return
    endGrace()
    this.#reacting.delete(owner)
    this.#onChange()
  }

  /** The owners that have yet to react. */
  get reacting(): readonly string[] {
    return [...this.#reacting.keys()].map((owner) => owner ?? 'a client without a name')
  }

  /** Whether a client ever opened one: then its time-outs run on this clock. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  get isReacting(): boolean {
    return this.#reacting.size > 0
  }

  /** Starts or stops watching for a quiet moment. Call it after every change on the clock. */
  watch(isUnsure: boolean): void {
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
      this.#onChange()
    }, quietStepMs)
    this.#quiet = unref(timer)
  }

  close(): void {
    this.watch(false)
    for (const endGrace of this.#reacting.values()) endGrace()
    this.#reacting.clear()
  }

  #count(owner: string | undefined, change: number): void {
    const count = this.#countOf(owner) + change
    if (count === 0) this.#open.delete(owner)
    else this.#open.set(owner, count)
  }

  #countOf(owner: string | undefined): number {
    return this.#open.get(owner) ?? 0
  }
}
