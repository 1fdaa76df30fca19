// The report of finished runs: what happened in each, what was expected, and the requests that prove it.
import { signal } from '@preact/signals'
import type { Evidence, ReportData, ReportedRun } from '../../judge/reports/html/report-data.ts'
import type { Result } from '../../judge/verdict.ts'
import { formatDuration, formatMany } from '../data/format.ts'
import { choose, openPanel, showPanel, view } from '../data/selection.ts'
import {
  applyBatch,
  entryByNumber,
  hello,
  isLoaded,
  laneById,
  markedEntries,
  resetStore,
  source,
} from '../data/store.ts'
import { Inspect } from '../panels/inspect.tsx'
import { Verdict } from '../panels/verdict.tsx'
import { Footer, ThemeButton, VerdictChip, Views } from './footer.tsx'
import { Icon, Mark } from './icons.tsx'
import { CopyButton, Notice, notify } from './notice.tsx'
import { AxisAndJournal, Dock, type DockTab } from './stage.tsx'

const runIndex = signal(0)

/** Fills the page with a run. */
export function openRun(data: ReportData, index: number): void {
  const run = data.runs[index]
  runIndex.value = index
  resetStore()
  isLoaded.value = true
  openPanel.value = 'run'
  if (!run) return
  const { trace, verdict, evidence } = run
  hello.value = { version: data.greenroom, seed: verdict.seed ?? '', olderTasks: trace?.omitted.tasks ?? 0 }
  markedEntries.value = new Map(evidence.map(({ request, message }) => [request, message]))
  applyBatch({
    verdict: [...verdict.invariants],
    ...(trace && {
      clock: { ...trace.clock, mode: 'manual' },
      tasks: [...trace.tasks],
      entries: [...trace.entries],
    }),
  })
  const reasons = new Map(trace?.entries.map((entry) => [entry.number, entry.reasons]))
  source.loadDetails = (number) => Promise.resolve({ reasons: reasons.get(number) ?? [] })
}

export function Report({ data }: { data: ReportData }) {
  const run = data.runs[runIndex.value]
  const tabs: DockTab[] = [
    { panel: 'run', label: 'Run', content: () => <RunPanel data={data} /> },
    { panel: 'inspect', label: 'Inspect', content: Inspect },
    { panel: 'verdict', label: 'Invariants', content: Verdict },
  ]
  return (
    <div class={`app is-report view-${view.value}`}>
      <header class="top">
        <span class="brand">
          <Mark />
          <span>greenroom</span>
        </span>
        <RunSelect data={data} />
        {run && <Outcome run={run} />}
        <span class="gap" />
        <VerdictChip />
        <ThemeButton />
      </header>
      <main class="stage">
        <h1 class="sr">{data.title}</h1>
        <AxisAndJournal />
        <Dock tabs={tabs} />
      </main>
      <Views />
      <Footer />
      <Notice />
    </div>
  )
}

function RunSelect({ data }: { data: ReportData }) {
  if (data.runs.length < 2) return <b>{data.runs[0]?.verdict.name ?? data.title}</b>
  return (
    <select
      aria-label="Run"
      value={String(runIndex.value)}
      onChange={({ currentTarget }) => openRun(data, Number(currentTarget.value))}
    >
      {data.runs.map(({ verdict: { name, seed, passed } }, index) => (
        <option value={String(index)} key={index}>
          {passed ? '✓' : '✗'} {name}
          {seed === null ? '' : `, seed ${seed}`}
        </option>
      ))}
    </select>
  )
}

function Outcome({ run: { verdict } }: { run: ReportedRun }) {
  return (
    <span class={`status big ${verdict.passed ? 'done' : 'failed'}`}>
      {verdict.passed ? 'passed' : 'failed'}
    </span>
  )
}

function RunPanel({ data }: { data: ReportData }) {
  const run = data.runs[runIndex.value]
  if (!run) return <p class="muted">This report has no runs.</p>
  const { verdict, scenario, trace, evidence } = run
  const sorted = [...verdict.results].sort((one, other) => Number(other.fails) - Number(one.fails))
  return (
    <>
      <p class="verdict-sum">
        <b>{verdict.name}</b>: {formatMany(verdict.requests, 'request')} in{' '}
        {formatDuration(verdict.elapsedMs)} of virtual time.
      </p>
      {!trace && (
        <p class="reason">What happened in this run was left out, since the file would be too large.</p>
      )}
      {data.omittedRuns > 0 && (
        <p class="muted small">{formatMany(data.omittedRuns, 'passed run')} are not in this file.</p>
      )}
      <ul class="verdict">
        {sorted.map((result) => (
          <Expectation result={result} evidence={evidence} key={result.path} />
        ))}
      </ul>
      {scenario.map(({ file, text }) => (
        <section class="block" key={file}>
          <div class="h-row">
            <h3 class="mono">{file}</h3>
            <CopyButton text={text} />
          </div>
          <pre class="code" tabIndex={0}>
            {text}
          </pre>
        </section>
      ))}
    </>
  )
}

function Expectation({ result, evidence }: { result: Result; evidence: readonly Evidence[] }) {
  const { title, expected, actual, fails, verdict, path } = result
  const proofs = evidence.filter((each) => each.path === path)
  return (
    <li class={fails ? 'fail' : verdict}>
      <span class="verdict-mark">
        <Icon name={fails ? 'cross' : verdict === 'pass' ? 'check' : 'minus'} size={14} />
      </span>
      <div>
        <p class="verdict-name">
          <b>{title}</b>
        </p>
        {(fails || verdict !== 'pass') && (
          <p class="muted small">
            expected {expected}; actual: {actual}
          </p>
        )}
        {proofs.length > 0 && (
          <p class="evidence">
            {proofs.map(({ request, message }) => (
              <button class="tiny mono" title={message} key={request} onClick={() => openEvidence(request)}>
                #{request}
              </button>
            ))}
          </p>
        )}
      </div>
      <span />
    </li>
  )
}

function openEvidence(number: number): void {
  const entry = entryByNumber.get(number)
  if (!entry) return notify(`Request #${number} is not in this report`)
  choose(laneById.get(entry.task ?? `#${number}`), entry)
  showPanel('inspect')
}
