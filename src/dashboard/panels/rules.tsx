// The rules, highest precedence first, with their counters.
import { journalQuery } from '../data/selection.ts'
import { rules } from '../data/store.ts'
import type { ListedRule } from '../data/types.ts'
import { toYaml } from '../data/yaml.ts'
import { Icon } from '../frame/icons.tsx'
import { removeRule } from './break-it.tsx'
import { summarizeRule } from './ways.ts'

export function Rules() {
  if (rules.value.length === 0) {
    return (
      <div class="hint">
        <p>There are no rules: the gateway behaves well.</p>
        <p class="muted">
          Add one in Break it, or start with <code>--scenario file.yaml</code>.
        </p>
      </div>
    )
  }
  return (
    <ul class="rules">
      {rules.value.map((rule) => (
        <RuleItem rule={rule} key={rule.layer + rule.id} />
      ))}
    </ul>
  )
}

function RuleItem({ rule }: { rule: ListedRule }) {
  const { id, layer, spent, fired, eligible } = rule
  const percent = eligible > 0 ? (fired / eligible) * 100 : 0
  return (
    <li class={spent ? 'spent' : ''}>
      <div class="rule-head">
        <b class="mono">{id}</b>
        <span class={`tag layer-${layer}`}>{originOf(rule)}</span>
        <span class="gap" />
        <button
          class="tiny"
          title="Show its requests in the journal"
          onClick={() => (journalQuery.value = `rule:${id.toLowerCase()}`)}
        >
          {fired} fired
        </button>
        {layer !== 'file' && (
          <button class="tiny" aria-label={`Remove ${id}`} onClick={() => void removeRule(id)}>
            <Icon name="cross" size={14} />
          </button>
        )}
      </div>
      <p class="rule-what">{summarizeRule(rule)}</p>
      <div class="meter" role="img" aria-label={`fired ${fired} times of ${eligible}`}>
        <i style={{ width: `${percent}%` }} />
      </div>
      <p class="muted small">
        fired for {fired} of {eligible} matching requests
      </p>
      <details>
        <summary>As YAML</summary>
        <pre tabIndex={0}>{toYaml([{ id, ...rule.rule }])}</pre>
      </details>
    </li>
  )
}

function originOf({ layer, spent }: ListedRule): string {
  if (layer === 'file') return 'from the file'
  if (layer === 'added') return 'added'
  return spent ? 'spent' : 'armed'
}
