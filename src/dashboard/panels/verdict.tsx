// The verdict on the client: the rules of a good client, with the requests that prove each result.
import { choose } from '../data/selection.ts'
import { entryByNumber, laneById, verdict } from '../data/store.ts'
import type { InvariantState } from '../data/types.ts'
import { Icon } from '../frame/icons.tsx'
import { notify } from '../frame/notice.tsx'

type Judgement = InvariantState['verdict']

const order: readonly Judgement[] = ['fail', 'pass', 'not-applicable', 'not-exercised']
const labels: Readonly<Record<Judgement, string>> = {
  fail: 'violated',
  pass: 'passed',
  'not-applicable': 'not applicable',
  'not-exercised': 'not exercised',
}

export function Verdict() {
  const results = [...verdict.value].sort(
    (one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict),
  )
  const failed = results.filter(({ verdict: judgement }) => judgement === 'fail').length
  const exercised = results.filter((result) => result.exercised > 0).length
  return (
    <>
      <p class="verdict-sum">
        {failed > 0 ? (
          <>
            <b>
              {failed} of {exercised}
            </b>{' '}
            rules of a good client are violated.
          </>
        ) : exercised > 0 ? (
          <>
            All <b>{exercised}</b> exercised rules of a good client passed.
          </>
        ) : (
          'No request has exercised a rule yet.'
        )}
      </p>
      <ul class="verdict">
        {results.map((result) => (
          <Invariant result={result} key={result.name} />
        ))}
      </ul>
    </>
  )
}

function Invariant({ result }: { result: InvariantState }) {
  const { name, means, verdict: judgement, exercised, violations, first, reason } = result
  const text = judgement === 'fail' ? (first?.message ?? means) : (reason ?? means)
  return (
    <li class={judgement}>
      <span class="verdict-mark">
        <Icon name={judgement === 'fail' ? 'cross' : judgement === 'pass' ? 'check' : 'minus'} size={14} />
      </span>
      <div>
        <p class="verdict-name">
          <b class="mono">{name}</b>{' '}
          <span class="verdict-label">
            {labels[judgement]}
            {violations > 1 ? `, ${violations} times` : ''}
          </span>
        </p>
        <p class="muted small">{nameTasks(text)}</p>
        {first && (
          <p class="evidence">
            {first.requests.map((number) => (
              <button class="tiny mono" key={number} onClick={() => openEvidence(number)}>
                #{number}
              </button>
            ))}
          </p>
        )}
      </div>
      <span class="mono muted small right">{exercised > 0 ? `${exercised}×` : ''}</span>
    </li>
  )
}

function openEvidence(number: number): void {
  const entry = entryByNumber.get(number)
  if (entry) choose(laneById.get(entry.task ?? `#${number}`), entry)
  else notify(`Request #${number} is no longer in the journal`)
}

/** Replaces ids of tasks, which have 37 characters, by their prompts. */
export function nameTasks(text: string): string {
  return text
    .replaceAll(/ \(§[\d.]+\)/g, '')
    .replaceAll('`', '')
    .replaceAll(/\b(?:task )?(task_\w+|\d{14,})\b/gi, (whole, id: string) => {
      const lane = laneById.get(id)
      return lane ? `“${lane.label}”` : whole
    })
}
