// Save as scenario: the server writes the file, since it has the whole journal.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Icon } from '../frame/icons.tsx'
import { CopyButton, notify } from '../frame/notice.tsx'
import { CallError, request } from '../live/api.ts'

interface SavedScenario {
  text: string
  notes?: string[]
}
interface Check {
  ok: boolean
  message?: string
}

const saved = signal<SavedScenario | null>(null)
const check = signal<Check | null>(null)
const fileName = 'dashboard.yaml'

async function load(): Promise<void> {
  saved.value = null
  check.value = null
  try {
    saved.value = await request<SavedScenario>('GET', '/scenario')
    check.value = await request<Check>('POST', '/scenario/check', { text: saved.value.text })
  } catch (error) {
    const isOld = error instanceof CallError && error.status === 404
    const message = isOld ? 'This server is too old to save scenarios.' : String((error as Error).message)
    check.value = { ok: false, message }
  }
}

export function SaveScenario() {
  useEffect(() => void load(), [])
  const { text = '', notes = [] } = saved.value ?? {}
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
