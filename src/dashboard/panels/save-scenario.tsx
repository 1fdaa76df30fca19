// Save as scenario: what was done here, as a file that does it again with the same seed.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { clock, entries, hello, olderEntries, rules } from '../data/store.ts'
import type { ListedRule } from '../data/types.ts'
import { toYaml } from '../data/yaml.ts'
import { Icon } from '../frame/icons.tsx'
import { CopyButton, notify } from '../frame/notice.tsx'
import { CallError, request } from '../live/api.ts'
import { editsByTask } from './edit-future.tsx'

interface Check {
  ok: boolean
  message?: string
}

const saved = signal<{ text: string; notes: string[] }>({ text: '', notes: [] })
const check = signal<Check | null>(null)
const fileName = 'dashboard.yaml'

async function load(): Promise<void> {
  saved.value = writeScenario()
  check.value = null
  try {
    check.value = await request<Check>('POST', '/scenario/check', { text: saved.value.text })
  } catch (error) {
    const isOld = error instanceof CallError && error.status === 404
    const message = `Not checked. ${isOld ? `Run: greenroom check ${fileName}` : (error as Error).message}`
    check.value = { ok: false, message }
  }
}

/** The rules that were added here and the changes of tasks, as a scenario. */
function writeScenario(): { text: string; notes: string[] } {
  const notes: string[] = []
  const written = rules.value
    .filter(({ layer }) => layer !== 'file')
    .map((listed) => writeRule(listed, notes))
    .toReversed()
  const { mode, rate } = clock.value ?? {}
  const { seed = '' } = hello.value ?? {}
  const all = [...written, ...editsByTask.values()]
  const scenario = {
    version: 1,
    name: 'saved in the dashboard',
    ...(seed !== '' && { seed: /^\d{1,15}$/.test(seed) ? Number(seed) : seed }),
    ...(mode === 'scaled' && { clock: { mode, rate } }),
    ...(all.length > 0 && { rules: all }),
    expect: { always: ['auth-on-every-call', 'no-poll-after-terminal', 'backs-off', 'honours-retry-after'] },
  }
  const schema = '# yaml-language-server: $schema=node_modules/greenroom/schema/scenario.schema.json'
  return { text: `${schema}\n${toYaml(scenario)}`, notes }
}

/** A rule for the next request becomes one for the n-th request of its operation, as it fired here. */
function writeRule({ id, layer, rule }: ListedRule, notes: string[]): object {
  const { times, ...rest } = rule
  if (layer === 'added') return { ...rest, id, ...(times !== undefined && { times }) }
  const { match, ...effect } = rest
  const fired = entries.find((entry) => entry.rules.includes(id))
  const nth = fired
    ? entries.filter(({ operation, number }) => operation === fired.operation && number <= fired.number)
        .length
    : 1
  if (!fired) notes.push(`${id} has not fired: in the file it is for the first such request.`)
  else if (olderEntries() > 0)
    notes.push(`${id}: older requests are missing here, so its number may be too low.`)
  return { ...effect, id, match, on: nth }
}

export function SaveScenario() {
  useEffect(() => void load(), [])
  const { text, notes } = saved.value
  return (
    <>
      <h2 id="dialog-title">Save as scenario</h2>
      <p class="muted">
        The rules that you added and the changes that you made to tasks, as a file that repeats them with the
        same seed.
      </p>
      {text && (
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      )}
      <p class={`checked ${check.value ? (check.value.ok ? 'ok' : 'bad') : ''}`} role="status">
        {check.value
          ? check.value.ok
            ? 'Checked: the scenario is valid.'
            : check.value.message
          : 'Checking …'}
      </p>
      {notes.map((note) => (
        <p class="small muted" key={note}>
          {note}
        </p>
      ))}
      {text && (
        <div class="actions">
          <CopyButton text={text} />
          <button class="primary" onClick={() => download(text)}>
            <Icon name="save" size={14} /> Download
          </button>
        </div>
      )}
    </>
  )
}

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  notify(`Saved as ${fileName}. Check it with: greenroom check ${fileName}`)
}
