// How an exchange ended, as a word and as a sentence.
import { formatDuration } from '../data/format.ts'
import { isFault } from '../data/lanes.ts'
import type { Entry } from '../data/types.ts'

/** The status of an exchange as a colored word. */
export function Status({ entry, isBig = false }: { entry: Entry; isBig?: boolean }) {
  const { text, kind } = statusOf(entry)
  return <span class={`status ${isBig ? 'big ' : ''}${kind}`}>{text}</span>
}

function statusOf(entry: Entry): { text: string; kind: 'open' | 'fault' | 'refused' | 'ok' } {
  const { outcome, fault, status } = entry
  if (outcome === 'open') return { text: 'open', kind: 'open' }
  if (fault !== null && !status) return { text: fault, kind: 'fault' }
  const kind = isFault(entry) ? 'fault' : status >= 400 ? 'refused' : 'ok'
  return { text: status ? String(status) : '—', kind }
}

/** Describes the unusual properties of an exchange. */
export function describeResult(entry: Entry): string {
  const { fault, reportedStatus, rules, retryAfterMs, stream, outcome, content, assumed } = entry
  const parts = [
    fault,
    reportedStatus,
    rules.length > 0 && `rule ${rules.join(', ')}`,
    retryAfterMs !== null && `retry after ${formatDuration(retryAfterMs)}`,
    stream && `${stream.chunks} chunks, ${stream.ended}`,
    outcome === 'aborted' && 'the client left',
    (content === 'partial' || content === 'altered') && content,
    assumed && 'wait assumed',
  ]
  return parts.filter(Boolean).join(' · ')
}
