// What is chosen and what the pointer is on, for every part of the page.
import { signal } from '@preact/signals'
import type { Lane } from './lanes.ts'
import type { Entry } from './types.ts'

export type Panel = 'inspect' | 'break' | 'rules' | 'gallery' | 'usage' | 'verdict' | 'run'
export const openPanel = signal<Panel>('break')
/** On a narrow screen, one of three parts is visible. */
export const view = signal<'axis' | 'journal' | 'panel'>('axis')

/** The id of the chosen lane, and the number of the chosen exchange. */
export const chosen = signal<{ lane?: string; entry?: number }>({})
/** The exchange that the pointer is on, in the axis or in the journal. */
export const pointed = signal<number | null>(null)
/** The filter of the journal. */
export const journalQuery = signal('')

/** Shows a panel, also on a narrow screen. */
export function showPanel(panel: Panel): void {
  openPanel.value = panel
  view.value = 'panel'
}

/** Chooses a lane, or one of its exchanges, and inspects it. */
export function choose(lane?: Lane, entry?: Entry): void {
  // A text is one exchange.
  const chosenEntry = entry ?? (lane?.medium === 'text' ? lane.entries[0] : undefined)
  chosen.value = { ...(lane && { lane: lane.id }), ...(chosenEntry && { entry: chosenEntry.number }) }
  openPanel.value = 'inspect'
  if (matchMedia('(max-width: 760px)').matches) view.value = 'panel'
}
