import type { JournalEntry } from '../../gateway/journal.ts'
import { isWaitKnown, unknownWaits } from '../waits.ts'
import { Findings, type InvariantContext, type Violation } from './invariant.ts'

/** A violation that is certain only at the end. */
export interface SuspectedWait {
  readonly entry: JournalEntry
  readonly violation: Violation
}

/**
 * Findings about waits. A client's first sleep shows that it waits on the clock. Findings from before that sleep count only
 * from then on.
 */
export class WaitFindings {
  readonly #known = new Findings()
  readonly #early = new Findings()

  /** Counts a request whose wait is judged. @param after the previous exchange, if a rule may have caused its response. */
  exercise(entry: JournalEntry, after?: JournalEntry): Findings {
    const findings = isWaitKnown(entry) ? this.#known : this.#early
    findings.exercised++
    for (const rule of after?.rules ?? []) findings.rules.add(rule)
    return findings
  }

  sum({ hasSleeper }: InvariantContext, suspected: readonly SuspectedWait[] = []): Findings {
    const counted = suspected.filter(({ entry }) => hasSleeper || isWaitKnown(entry))
    const violations = counted.map(({ violation }) => violation)
    const [known, early] = [this.#known, this.#early]
    const sum = Object.assign(new Findings(), known)
    if (hasSleeper) {
      sum.exercised += early.exercised
      sum.violations += early.violations
      sum.first = early.first ?? known.first
    } else if (early.exercised > 0) {
      sum.unjudgedReason = unknownWaits
      sum.unjudgedRules = [...early.rules]
    }
    return sum.with(violations)
  }
}
