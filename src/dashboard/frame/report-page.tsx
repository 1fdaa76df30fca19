// The report of a finished run: what happened, read-only, with what was expected and how to run it again.
import { view } from '../data/selection.ts'
import { changed, verdict } from '../data/store.ts'
import type { Batch, Details } from '../data/types.ts'
import { Inspect } from '../panels/inspect.tsx'
import { Verdict } from '../panels/verdict.tsx'
import { Footer, Views } from './app.tsx'
import { ThemeButton, VerdictChip } from './header.tsx'
import { Mark } from './icons.tsx'
import { CopyButton, Notice } from './notice.tsx'
import { AxisAndJournal, Dock, type DockTab } from './stage.tsx'

/** What a report is filled with: a snapshot of one namespace, and what was run. */
export interface ReportData extends Omit<Batch, 'gone' | 'cleared'> {
  title?: string
  version?: string
  seed?: string
  /** The line that runs it again. */
  command?: string
  /** The text of the scenario. */
  scenario?: string
  /** The expectations of the scenario, or the test that failed, with the requests that prove it. */
  findings?: { title: string; passed: boolean; text?: string; requests?: number[] }[]
  /** By the number of the exchange. */
  details?: Readonly<Record<number, Details>>
  /** Data URLs of what tasks made, by task. */
  posters?: Readonly<Record<string, string>>
}
