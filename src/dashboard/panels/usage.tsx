// The usage of each key, and the number of requests of each operation.
import { journalQuery } from '../data/selection.ts'
import { formatCount } from '../data/format.ts'
import { isRefused } from '../data/lanes.ts'
import { entries, settled, usage } from '../data/store.ts'
import type { KeyUsage } from '../data/types.ts'

export function Usage() {
  void settled.value
  if (usage.value.length === 0 && entries.length === 0) {
    return (
      <div class="hint">
        <p>No key has used anything yet.</p>
      </div>
    )
  }
  return (
    <>
      {usage.value.map((key) => (
        <KeySection usage={key} key={key.key} />
      ))}
      <Operations />
    </>
  )
}

function KeySection({
  usage: { key, spent, reserved, balance, tasks, seconds, tokens },
}: {
  usage: KeyUsage
}) {
  return (
    <section class="block">
      <div class="h-row">
        <h3 class="mono key">{key}</h3>
        <b class="mono money">{formatMoney(spent)}</b>
      </div>
      <dl class="facts">
        <dt>Reserved</dt>
        <dd class="mono">
          {formatMoney(reserved)} <span class="muted">for open tasks</span>
        </dd>
        <dt>Balance</dt>
        <dd class="mono">{balance === null ? 'unlimited' : formatMoney(balance)}</dd>
        <dt>Tasks</dt>
        <dd class="mono">
          {tasks}, {seconds} s of video
        </dd>
        <dt>Tokens</dt>
        <dd class="mono">
          {formatCount(tokens.input)} in, {formatCount(tokens.output)} out
        </dd>
      </dl>
    </section>
  )
}

function Operations() {
  const totals = new Map<string, { count: number; refused: number }>()
  for (const entry of entries) {
    const name = entry.operation ?? 'unknown path'
    const total = totals.get(name) ?? { count: 0, refused: 0 }
    total.count++
    if (isRefused(entry)) total.refused++
    totals.set(name, total)
  }
  const sorted = [...totals].sort(([, one], [, other]) => other.count - one.count)
  const max = sorted[0]?.[1].count ?? 1
  return (
    <section class="block">
      <h3>By operation</h3>
      <ul class="bars-list">
        {sorted.map(([name, { count, refused }]) => (
          <li key={name}>
            <button title="Show them in the journal" onClick={() => (journalQuery.value = `op:${name}`)}>
              <span class="mono">{name}</span>
              <span class="track">
                <i style={{ width: `${(count / max) * 100}%` }} />
              </span>
              <span class="mono right">{count}</span>
              <span class="mono right refused-count">{refused > 0 ? `${refused} refused` : ''}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function formatMoney(value: number): string {
  return `$${value.toFixed(value !== 0 && Math.abs(value) < 0.01 ? 4 : 2)}`
}
