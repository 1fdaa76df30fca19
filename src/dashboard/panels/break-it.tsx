// The panel for breaking the gateway: one button for each way, with the scenario lines that do the same.
import { signal } from '@preact/signals'
import { chosen } from '../data/selection.ts'
import { laneById, rules, settled } from '../data/store.ts'
import type { ListedRule } from '../data/types.ts'
import { toYaml } from '../data/yaml.ts'
import { Icon } from '../frame/icons.tsx'
import { notify, YamlLines } from '../frame/notice.tsx'
import { call } from '../live/api.ts'
import { EditFuture } from './edit-future.tsx'
import { ruleOf, summarizeRule, waysByTitle, type Way } from './ways.ts'

/** The way whose YAML is visible. */
const openWay = signal('is reset')

async function applyWay(way: Way): Promise<void> {
  const added =
    'rule' in way
      ? await call<{ id: string }>('POST', '/rules', way.rule())
      : await call<{ id: string }>('POST', '/next', { role: way.role, ...way.effect })
  if (!added) return
  notify(
    'rule' in way
      ? `Rule ${added.id} is on`
      : `Armed: ${added.id} waits for the next ${[way.role].flat().join(' or ')}`,
  )
  await loadRules()
}

async function loadRules(): Promise<void> {
  const listed = await call<ListedRule[]>('GET', '/rules')
  if (listed) rules.value = listed
}

/** Removes a rule. */
export async function removeRule(id: string): Promise<void> {
  if (!(await call('DELETE', `/rules/${encodeURIComponent(id)}`))) return
  notify(`Removed ${id}`)
  await loadRules()
}

export function BreakIt() {
  void settled.value
  const lane = laneById.get(chosen.value.lane ?? '')
  const armed = rules.value.filter(({ layer, spent }) => layer !== 'file' && !spent)
  return (
    <div class="break">
      {lane?.task && <EditFuture lane={lane} />}
      {armed.length > 0 && (
        <section class="block">
          <h3>Armed</h3>
          <ul class="armed">
            {armed.map((rule) => (
              <li key={rule.id}>
                <Icon name="bolt" size={14} />
                <span class="armed-what">
                  <b>{rule.id}</b> {summarizeRule(rule)}
                </span>
                <button
                  class="tiny"
                  aria-label={`Remove ${rule.id}`}
                  onClick={() => void removeRule(rule.id)}
                >
                  <Icon name="cross" size={14} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {Object.entries(waysByTitle).map(([title, ways]) => (
        <section class="block" key={title}>
          <h3>{title}</h3>
          <div class="ways">
            {ways.map((way) => (
              <WayRow way={way} title={title} key={way.name} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function WayRow({ way, title }: { way: Way; title: string }) {
  const id = `${title} ${way.name}`
  const isOpen = openWay.value === id
  const verb = 'rule' in way ? 'Turn on' : 'Arm'
  return (
    <div class={`way ${isOpen ? 'open' : ''}`}>
      <div class="way-row">
        <button class="way-name" aria-expanded={isOpen} onClick={() => (openWay.value = isOpen ? '' : id)}>
          <span>{way.name}</span>
          <small>{way.hint}</small>
        </button>
        <button
          class="purpose"
          aria-label={`${verb}: ${title.toLowerCase()}, ${way.name}`}
          onClick={() => void applyWay(way)}
        >
          {verb}
        </button>
      </div>
      {isOpen && <YamlLines text={toYaml([ruleOf(way)])} />}
    </div>
  )
}
