// Saves the changes to the namespace as a scenario file, which repeats them with the same seed.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from '../frame/icons.tsx'
import { CopyButton, notify } from '../frame/notice.tsx'
import { request } from '../live/api.ts'

interface Check {
  ok: boolean
  message?: string
}

const saved = signal<{ text: string; notes: string[] }>({ text: '', notes: [] })
const check = signal<Check | null>(null)
const fileName = 'dashboard.yaml'

async function load(): Promise<void> {
  saved.value = { text: '', notes: [] }
  check.value = null
  try {
    saved.value = await request('GET', '/scenario')
    check.value = await request<Check>('POST', '/scenario/check', { text: saved.value.text })
  } catch (error) {
    check.value = { ok: false, message: `Not saved. ${(error as Error).message}` }
  }
}

export function SaveScenario() {
  useEffect(() => void load(), [])
  const { text, notes } = saved.value
  return (
    <>
      <h2 id="dialog-title">Save as scenario</h2>
      <p class="muted">
        What was done to this namespace: rules, and changes of tasks, as a file that repeats them with the
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
