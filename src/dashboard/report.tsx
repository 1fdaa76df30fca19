// The entry of the HTML report: the same axis, journal and inspector, read-only, filled from the page itself.
//
// The build writes dist/dashboard/report.html, one file with everything except the data. The data is a ReportData, as JSON
// in `<script id="greenroom-data" type="application/json">`. The page opens from disk and uses no network.
import { render } from 'preact'
import type { ReportData } from '../judge/reports/html/report-data.ts'
import { connection } from './data/store.ts'
import { listenForKeys } from './frame/keys.ts'
import { startTheme } from './frame/theme.ts'
import { Report, reportPanels } from './frame/report-page.tsx'
import { openRun } from './frame/report-run.ts'

const text = document.getElementById('greenroom-data')!.textContent
const data: ReportData = text
  ? (JSON.parse(text) as ReportData)
  : { format: 1, greenroom: '', title: 'An empty report', runs: [], omittedRuns: 0 }

connection.value = 'report'
document.title = `greenroom: ${data.title}`
// People open a report because of the first failed run.
const failed = data.runs.findIndex(({ verdict }) => !verdict.passed)
openRun(data, Math.max(0, failed))

const root = document.getElementById('app')!
root.replaceChildren()
render(<Report data={data} />, root)
startTheme()
listenForKeys({}, () => false, reportPanels)
