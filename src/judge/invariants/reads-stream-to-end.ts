import { maxTracked, Findings } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isBroken } from '../exchanges.ts'
import type { GeneralInvariant } from './invariant.ts'

/** A client may give up after this many broken streams. */
const maxTries = 3

interface BrokenStream {
  readonly entry: JournalEntry
  readonly tries: number
}

/** A client may abort a good stream. One that ends with an error has reported the stream that broke off. */
export const readsStreamToEnd: GeneralInvariant = {
  name: 'reads-stream-to-end',
  means:
    'A stream that breaks off, is cut or reports an error is requested again or reported, not accepted as complete.',
  advice: 'Read each stream to its end. If it breaks off, request it again, or end with an error.',
  howTo: {
    python: 'In Python: iter_lines() can end without an error, so look for the last event, such as [DONE].',
    javascript: 'In JavaScript: a body can end without an error, so look for the last event, such as [DONE].',
  },
  needs: 'stream was requested',
  isMendable: true,
  watch: ({ end }) => {
    const findings = new Findings()
    const pending = new BoundedMap<BrokenStream>(maxTracked)
    const tries = new BoundedMap<number>(maxTracked)
    return {
      admitted: (entry) => {
        for (const broken of pending.values()) {
          if (!isRepeat(broken.entry, entry)) continue
          pending.delete(broken.entry.identity)
          tries.set(entry.identity, broken.tries)
        }
      },
      settled: (entry) => {
        if (!entry.stream && entry.role !== 'stream') return
        if (entry.status >= 400 || entry.outcome === 'aborted') return
        findings.exercised++
        const ended = entry.stream?.ended
        if (ended !== 'error' && ended !== 'cut' && !isBroken(entry)) return
        pending.set(entry.identity, { entry, tries: (tries.get(entry.identity) ?? 0) + 1 })
      },
      findings: () => {
        if (end() === 'failed') return findings
        return findings.with(
          [...pending.values()]
            .filter((broken) => broken.tries < maxTries)
            .map(({ entry }) => ({
              requests: [entry.number],
              message: `The stream of ${entry.operation} ${describeEnd(entry)} and was not requested again.`,
            })),
        )
      },
    }
  },
}

/** Whether a request repeats or continues another: the same prompt to the same operation. */
function isRepeat(broken: JournalEntry, entry: JournalEntry): boolean {
  if (broken.identity === entry.identity) return true
  return broken.operation === entry.operation && broken.prompt !== null && broken.prompt === entry.prompt
}

function describeEnd({ stream }: JournalEntry): string {
  if (stream?.ended === 'error') return `reported an error after ${stream.chunks} chunks`
  return stream?.ended === 'cut' ? `was cut after ${stream.chunks} chunks` : 'broke off'
}
