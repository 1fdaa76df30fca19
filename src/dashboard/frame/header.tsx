// The top line: namespace, connection, verdict, and actions for the whole page.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatMany } from '../data/format.ts'
import { connection, namespace, type Connection } from '../data/store.ts'
import { request } from '../live/api.ts'
import { chooseNamespace } from '../live/stream.ts'
import { openDialog } from './dialogs.tsx'
import { ThemeButton, VerdictChip } from './footer.tsx'
import { Icon, Mark } from './icons.tsx'

interface ListedNamespace {
  name: string
  tasks: number
  requests: number
}
export const namespaces = signal<readonly ListedNamespace[]>([])

/** Loads the namespaces. Older servers don't list them, so there is only the current one. */
export async function loadNamespaces(): Promise<void> {
  namespaces.value = await request<ListedNamespace[]>('GET', '/namespaces').catch(() => [])
}

function NamespaceSelect() {
  useEffect(() => void loadNamespaces(), [])
  const names = new Set([namespace.value, ...namespaces.value.map(({ name }) => name)])
  const labelOf = (name: string): string => {
    const listed = namespaces.value.find((each) => each.name === name)
    return name === namespace.value || !listed ? name : `${name} · ${formatMany(listed.tasks, 'task')}`
  }
  return (
    <select
      id="namespace"
      aria-label="Namespace"
      value={namespace.value}
      onFocus={() => void loadNamespaces()}
      onChange={({ currentTarget }) => chooseNamespace(currentTarget.value)}
    >
      {[...names].map((name) => (
        <option value={name} key={name}>
          {labelOf(name)}
        </option>
      ))}
    </select>
  )
}

const connectionLabels: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  polling: 'Polling twice a second',
  lost: 'Disconnected',
  report: 'Report',
}

export function Header() {
  return (
    <header class="top">
      <a class="brand" href="/_greenroom/" aria-label="greenroom">
        <Mark />
        <span>greenroom</span>
      </a>
      <NamespaceSelect />
      <span class={`link-state ${connection.value}`} role="status">
        <i />
        {connectionLabels[connection.value]}
      </span>
      <span class="gap" />
      <VerdictChip />
      <button class="quiet" aria-label="Save as scenario" onClick={() => openDialog('save')}>
        <Icon name="save" /> <span>Save as scenario</span>
      </button>
      <ThemeButton />
      <button
        class="quiet icon-only keys-button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => openDialog('keys')}
      >
        <Icon name="help" />
      </button>
    </header>
  )
}
