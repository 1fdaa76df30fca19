// The entry of the report: the same axis, journal and inspector, read-only, filled from the page itself.
//
// `dist/dashboard/report.html` is one file with everything in it but the data. Put a ReportData as JSON between the tags of
// `<script id="greenroom-data" type="application/json">`, with `<` written as \u003c. It opens from disk and uses no network.
import { render } from 'preact'
import { openPanel } from './data/selection.ts'
import { applyBatch, connection, hello, isLoaded, source } from './data/store.ts'
import { Report, type ReportData } from './frame/report-page.tsx'
import { listenForKeys } from './frame/keys.ts'
import { startTheme } from './frame/theme.ts'

const data = JSON.parse(document.getElementById('greenroom-data')!.textContent || '{}') as ReportData
const { version = '', seed = '', tasks = [], entries = [], clock, rules = [], usage = [], verdict = [] } = data

connection.value = 'report'
hello.value = { epoch: '', version, seed, tasks: tasks.length, entries: entries.length }
applyBatch({ tasks, entries, rules, usage, verdict, ...(clock && { clock: { ...clock, mode: 'manual' } }) })
isLoaded.value = true
Object.assign(source, {
  loadDetails: (number: number) => Promise.resolve({ reasons: [], ...data.details?.[number] }),
  mediaUrl: (task: string) => data.posters?.[task],
})
openPanel.value = 'run'

const root = document.getElementById('app')!
root.replaceChildren()
render(<Report data={data} />, root)
startTheme()
listenForKeys({}, () => false)
