import { fitsGlob } from '../engine/glob.ts'
import type { Clock } from '../engine/clock/clock.ts'

/** The process of the client is killed when a request arrives, and started again. */
export interface Crash {
  /** The operation of the request; `*` matches several. */
  readonly op: string | readonly string[]
  /** The number of the request among those of the operation, from 1; all processes of the client count together. */
  readonly nth: number
  /** Whether the gateway accepts the request before the process dies. Otherwise, the request counts as never sent. */
  readonly accepted?: boolean | undefined
}

/** A crash that has happened. */
export interface PastCrash extends Crash {
  /** The virtual instant. */
  readonly at: number
  /** The number of the first request after it. */
  readonly before: number
}

/** A request in its turn. */
interface ArrivedRequest {
  readonly route: { readonly operation: string } | undefined
  readonly clock: Clock
  readonly namespace: { readonly journal: { readonly nextNumber: number } }
}

/** Decides at which requests the client crashes. From then on, no request of it is answered until it starts again. */
export class CrashPlan {
  readonly past: PastCrash[] = []
  readonly #pending = new Set<{ readonly crash: Crash; count: number }>()
  readonly #onCrash: (crash: Crash) => void
  #release: (() => void) | undefined
  #isDown = false

  /** @param onCrash kills the process of the client, then calls `restart`. */
  constructor(crashes: readonly Crash[], onCrash: (crash: Crash) => void) {
    for (const crash of crashes) this.#pending.add({ crash, count: 0 })
    this.#onCrash = onCrash
  }

  /** Those that have not happened, each with the number of requests that its operation had. */
  get pending(): readonly { readonly crash: Crash; readonly count: number }[] {
    return [...this.#pending]
  }

  /** Whether the client has crashed and does not run again yet. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** Decides about a request in its turn. @returns the crash after it is accepted, `lost` if it is as if it had never been sent. */
  arrive(x: ArrivedRequest): Crash | 'lost' | undefined {
    if (this.#isDown) return 'lost'
    const operation = x.route?.operation
    if (operation === undefined) return undefined
    let due: Crash | undefined
    for (const planned of this.#pending) {
      const { crash } = planned
      if (![crash.op].flat().some((pattern) => fitsGlob(pattern, operation))) continue
      if (++planned.count !== crash.nth) continue
      // A request that several crashes name ends the process once, which meets them all.
      this.#pending.delete(planned)
      due ??= crash
    }
    if (!due || due.accepted) return due
    this.strike(due, x)
    return 'lost'
  }

  /** Lets the client crash. Time does not move until it starts again. */
  strike(crash: Crash, { clock, namespace }: ArrivedRequest): void {
    this.#isDown = true
    const [earlier, release] = [this.#release, clock.auto.whileReading()]
    this.#release = () => {
      earlier?.()
      release()
    }
    this.past.push({ ...crash, at: clock.now(), before: namespace.journal.nextNumber })
    this.#onCrash(crash)
  }

  /** The client runs again: its requests are answered. Time still stands until `resume`. */
  restart(): void {
    this.#isDown = false
  }

  /** Lets time move again, unless the client has crashed once more. */
  resume(): void {
    if (this.#isDown) return
    this.#release?.()
    this.#release = undefined
  }
}

/** `video.poll 3 (accepted)` */
export function describeCrash({ op, nth, accepted }: Crash): string {
  return `${[op].flat().join(' or ')} ${nth}${accepted ? ' (accepted)' : ''}`
}
