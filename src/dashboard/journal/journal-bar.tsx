// The toolbar of the journal: buttons for common filters, and the query.
import type { EntryFilter } from '../data/query.ts'
import { journalQuery } from '../data/selection.ts'
import { Icon } from '../frame/icons.tsx'
import { entryFilter, isInView } from './entries.ts'

const filters: readonly (readonly [EntryFilter, string])[] = [
  ['all', 'All'],
  ['submit', 'Submits'],
  ['poll', 'Polls'],
  ['download', 'Downloads'],
  ['text', 'Texts'],
  ['fault', 'Broken on purpose'],
  ['refused', 'Refused'],
  ['open', 'Open'],
]

export function JournalBar() {
  return (
    <div class="bar journal-bar">
      <h2 class="bar-title">Journal</h2>
      <div class="chips" role="group" aria-label="Filter exchanges">
        {filters.map(([name, label]) => (
          <button
            class="chip"
            key={name}
            aria-pressed={entryFilter.value === name}
            onClick={() => (entryFilter.value = name)}
          >
            {label}
          </button>
        ))}
      </div>
      <label class="find wide">
        <Icon name="search" />
        <input
          id="journal-find"
          type="search"
          placeholder="status:>=400"
          title="Such as op:video.* status:>=400 fault:reset"
          aria-label="Filter the journal"
          value={journalQuery.value}
          onInput={({ currentTarget }) => (journalQuery.value = currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <span class="gap" />
      <button
        class="chip"
        aria-pressed={isInView.value}
        onClick={() => (isInView.value = !isInView.value)}
        title="Only exchanges of the visible part of the axis"
      >
        Only in view
      </button>
    </div>
  )
}
