import { formatDuration } from '../../engine/clock/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isRetryableFailure } from '../answers.ts'
import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'
import { isWaitSeen, maxWaitMs, unseenWaits } from '../waits.ts'

/** More refusals of one thing than this are not told apart. */
const maxOutstanding = 100

/** Requests that lie closer together may have been sent together. */
const burstMs = 100

/** A second early is let pass, since dates count whole seconds; but never more than half the wait. */
const neededMs = (askedMs: number): number => askedMs - Math.min(1_000, askedMs / 2)

/** What was asked for in vain, and may be asked again. */
interface InVain {
  /** Refusals that asked the client to wait. */
  readonly refusals: JournalEntry[]
  /** Other trouble, after which it may come back when it likes. */
  readonly troubles: JournalEntry[]
}

/** Who came too soon, for something that may be wanted more than once. */
interface Accused {
  readonly inVain: InVain
  readonly entry: JournalEntry
  readonly early: Violation[]
}

/**
 * Judged by what is asked: who must wait with one thing may go on with others. Where the same is wanted several times, some
 * that come early may be new; then only as many count as never came back in time.
 */
export const honoursRetryAfter: InvariantDefinition = {
  name: 'honours-retry-after',
  means: 'A client that is asked to wait (`Retry-After`) asks for the same no sooner.',
  needs: 'client came back with what it had been asked to wait with',
  watch: ({ wants }) => {
    const findings = new Findings()
    const inVains = new Memory<InVain>()
    const accused = new Memory<Accused>()

    const accuse = (inVain: InVain, refusal: JournalEntry, entry: JournalEntry): void => {
      const waitedMs = maxWaitMs(refusal, entry)
      if (waitedMs < burstMs && wants.areTwice(entry)) return
      findings.exercised++
      const [waited, asked] = [waitedMs, refusal.retryAfterMs!].map(formatDuration)
      const violation: Violation = {
        requests: [refusal.number, entry.number],
        message: `#${refusal.number} asked to wait ${asked}; ${entry.operation} came again after ${waited}.`,
      }
      if (entry.method !== 'POST') {
        findings.violated(violation.requests, violation.message)
        remove(inVain.refusals, refusal)
        return
      }
      const known = accused.get(entry.identity) ?? { inVain, entry, early: [] }
      accused.set(entry.identity, known)
      if (known.early.length < maxOutstanding) known.early.push(violation)
    }

    const judge = (inVain: InVain, entry: JournalEntry): void => {
      const known = inVain.refusals.filter(({ outcome }) => outcome === 'completed')
      if (known.length > 0 && !isWaitSeen(entry)) {
        findings.unseen = unseenWaits
        return
      }
      const patient = known.find((each) => maxWaitMs(each, entry) >= neededMs(each.retryAfterMs!))
      if (patient) {
        findings.exercised++
        remove(inVain.refusals, patient)
        return
      }
      const trouble = inVain.troubles.find(isRetryableFailure)
      if (trouble) remove(inVain.troubles, trouble)
      else if (known.length > 0) accuse(inVain, known.at(-1)!, entry)
    }

    const violations = (): Violation[] =>
      [...accused.values()].flatMap(({ inVain, entry, early }) =>
        wants.areTwice(entry) ? early.slice(0, inVain.refusals.length) : early,
      )

    return {
      admitted: (entry) => {
        if (entry.operation === null) return
        const known = inVains.get(entry.identity)
        if (known) judge(known, entry)
        const inVain = known ?? { refusals: [], troubles: [] }
        const asksToWait = entry.retryAfterMs !== null && entry.retryAfterMs > 0
        const kept = asksToWait ? inVain.refusals : inVain.troubles
        // Whether an answer breaks is known only later, so that each may count as trouble until then.
        if (asksToWait || mayBeTrouble(entry, known)) kept.push(entry)
        if (kept.length > maxOutstanding) kept.shift()
        if (!known && kept.length > 0) inVains.set(entry.identity, inVain)
      },
      settled: (entry) => {
        const inVain = inVains.get(entry.identity)
        if (inVain && !isRetryableFailure(entry)) remove(inVain.troubles, entry)
        if (inVain && inVain.refusals.length + inVain.troubles.length === 0) inVains.delete(entry.identity)
      },
      findings: () => findings.with(violations()),
    }
  },
}

/** Polls come one after the other; of what is posted several may be under way. */
function mayBeTrouble({ method }: JournalEntry, known: InVain | undefined): boolean {
  return method === 'POST' || known !== undefined
}

function remove<Value>(list: Value[], value: Value): void {
  const index = list.indexOf(value)
  if (index >= 0) list.splice(index, 1)
}
