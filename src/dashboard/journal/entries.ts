// The exchanges that the journal lists, and the visible part of the list.
import { computed, signal } from '@preact/signals'
import { instantAt, range } from '../axis/range.ts'
import { parseQuery, passesFilter, type EntryFilter } from '../data/query.ts'
import { journalQuery } from '../data/selection.ts'
import { changed, entries } from '../data/store.ts'
import type { Entry } from '../data/types.ts'

export const entryFilter = signal<EntryFilter>('all')
/** Whether to list only exchanges in the visible part of the axis. */
export const isInView = signal(false)

export const listedEntries = computed<readonly Entry[]>(() => {
  void changed.value
  const filter = entryFilter.value
  const query = journalQuery.value.trim()
  if (filter === 'all' && query === '' && !isInView.value) return entries.slice()
  const fits = parseQuery(query)
  const { from, to } = isInView.value ? range.value : { from: -Infinity, to: Infinity }
  const [first, last] = [instantAt(from), instantAt(to)]
  return entries.filter(
    (entry) => entry.at >= first && entry.at <= last && passesFilter(filter, entry) && fits(entry),
  )
})

export function listAll(): void {
  journalQuery.value = ''
  entryFilter.value = 'all'
  isInView.value = false
}
