import type { JournalEntry } from '../../gateway/journal.ts'
import { isBroken } from '../answers.ts'
import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'

/** Who was cut off so often has tried enough. */
const maxTries = 3

interface Broken {
  readonly entry: JournalEntry
  readonly tries: number
}

/** A client that leaves a good stream early has stopped it, as people do; that is no fault. */
export const readsStreamToEnd: InvariantDefinition = {
  name: 'reads-stream-to-end',
  means: 'A stream that breaks off, is cut or reports an error is asked for again, not taken for the whole.',
  needs: 'stream was asked for',
  watch: () => {
    const findings = new Findings()
    const pending = new Memory<Broken>()
    const tries = new Memory<number>()

    const askedAgain = (entry: JournalEntry): void => {
      for (const broken of pending.values()) {
        if (!isSame(broken.entry, entry)) continue
        pending.delete(broken.entry.identity)
        tries.set(entry.identity, broken.tries)
      }
    }

    const violations = (): Violation[] =>
      [...pending.values()]
        .filter((broken) => broken.tries < maxTries)
        .map(({ entry }) => ({
          requests: [entry.number],
          message: `The stream of ${entry.operation} ${howItEnded(entry)} and was never asked for again.`,
        }))

    return {
      admitted: (entry) => {
        if (pending.size > 0) askedAgain(entry)
      },
      settled: (entry) => {
        if (!entry.stream && entry.operation !== 'text.stream') return
        if (entry.status >= 400 || entry.outcome === 'aborted') return
        findings.exercised++
        const ended = entry.stream?.ended
        if (ended !== 'error' && ended !== 'cut' && !isBroken(entry)) return
        pending.set(entry.identity, { entry, tries: (tries.get(entry.identity) ?? 0) + 1 })
      },
      findings: () => findings.with(violations()),
    }
  },
}

/** The same, or what continues it: the same words to the same operation. */
function isSame(broken: JournalEntry, entry: JournalEntry): boolean {
  if (broken.identity === entry.identity) return true
  return broken.operation === entry.operation && broken.prompt !== null && broken.prompt === entry.prompt
}

function howItEnded({ stream }: JournalEntry): string {
  if (stream?.ended === 'error') return `reported an error after ${stream.chunks} chunks`
  return stream?.ended === 'cut' ? `was cut after ${stream.chunks} chunks` : 'broke off'
}
