// The report of finished runs: for each, the exchanges, the expectations, and the requests that prove the results.
import type { ReportData, ReportedRun, ScenarioText } from '../../judge/reports/html/report-data.ts'
import type { Result } from '../../judge/verdict.ts'
import { formatDuration, formatMany } from '../data/format.ts'
import { choose, showPanel, view, type Panel } from '../data/selection.ts'
import { entryByNumber, laneById } from '../data/store.ts'
import { Inspect } from '../panels/inspect.tsx'
import { nameTasks, Verdict } from '../panels/verdict.tsx'
import { Explorations, FindingOfRun, MatrixButton } from './exploration.tsx'
import { Footer, ThemeButton, VerdictChip, Views } from './footer.tsx'
import { Icon, Mark } from './icons.tsx'
import { CopyButton, Notice, notify } from './notice.tsx'
import { openRun, runIndex } from './report-run.ts'
import { AxisAndJournal, Dock, type DockTab } from './stage.tsx'

export const reportPanels: readonly Panel[] = ['run', 'inspect', 'verdict']

export function Report({ data }: { data: ReportData }) {
  const run = data.runs[runIndex.value]
  const tabs: DockTab[] = [
    { panel: 'run', label: 'Run', content: () => <RunPanel data={data} /> },
    { panel: 'inspect', label: 'Inspect', content: Inspect },
    { panel: 'verdict', label: 'Invariants', content: Verdict },
  ]
  return (
    <div class={`app is-report ${data.explorations ? 'is-exploration' : ''} view-${view.value}`}>
      <header class="top">
        <span class="brand">
          <Mark />
          <span>greenroom</span>
        </span>
        <RunSelect data={data} />
        {run && <Outcome run={run} />}
        <span class="gap" />
        {data.explorations && <MatrixButton />}
        <VerdictChip />
        <ThemeButton />
      </header>
      <Explorations data={data} />
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
  const [first, second] = data.runs
  if (!second) return <b class="run-name">{first ? nameOf(first) : data.title}</b>
  return (
    <select
      aria-label="Run"
      value={String(runIndex.value)}
      onChange={({ currentTarget }) => openRun(data, Number(currentTarget.value))}
    >
      {data.runs.map((run, index) => (
        <option value={String(index)} key={index}>
          {run.verdict.passed ? '✓' : '✗'} {nameOf(run)}
        </option>
      ))}
    </select>
  )
}

function nameOf({ verdict: { name, file, seed } }: ReportedRun): string {
  return `${name || (file ?? 'a run')}${seed === null ? '' : `, seed ${seed}`}`
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
  const { verdict, scenario } = run
  const sorted = [...verdict.results].sort((one, other) => Number(other.fails) - Number(one.fails))
  return (
    <>
      <p class="verdict-sum">
        <b>{nameOf(run)}</b>: {formatMany(verdict.requests, 'request')} in {formatDuration(verdict.elapsedMs)}{' '}
        of virtual time{verdict.spent ? `, for $${verdict.spent}` : ''}.
      </p>
      <FindingOfRun data={data} />
      <LeftOut run={run} omittedRuns={data.omittedRuns} />
      <ul class="verdict">
        {sorted.map((result) => (
          <Expectation result={result} run={run} key={result.path} />
        ))}
      </ul>
      {verdict.reproduce !== null && (
        <section class="block">
          <div class="h-row">
            <h3>Reproduce</h3>
            <CopyButton text={verdict.reproduce} name="Copy the command" />
          </div>
          <pre class="code" tabIndex={0}>
            {verdict.reproduce}
          </pre>
        </section>
      )}
      {scenario.map((file) => (
        <Scenario file={file} results={verdict.results} key={file.file} />
      ))}
    </>
  )
}

/** Describes the parts that are not in the file, because its size is limited. */
function LeftOut({ run: { trace }, omittedRuns }: { run: ReportedRun; omittedRuns: number }) {
  const { tasks = 0, entries = 0 } = trace?.omitted ?? {}
  const parts = [
    trace === null && 'The requests and tasks of this run are not in this file, which would be too large.',
    entries > 0 && `${formatMany(entries, 'request')} of the run are not in this file.`,
    tasks > 0 && `${formatMany(tasks, 'task')} of the run are not in this file.`,
    omittedRuns > 0 && `${formatMany(omittedRuns, 'passed run')} are not in this file.`,
  ].filter(Boolean)
  return parts.length === 0 ? null : <p class="finding">{parts.join(' ')}</p>
}

const lineId = (file: string, line: number): string => `${file}:${line}`

/** A file with numbered lines. Lines of failed expectations are marked. */
function Scenario({ file: { file, text }, results }: { file: ScenarioText; results: readonly Result[] }) {
  const failed = new Map(
    results.flatMap(({ at, fails, actual }) =>
      fails && at?.file === file ? [[at.line, actual] as const] : [],
    ),
  )
  return (
    <section class="block">
      <div class="h-row">
        <h3 class="mono">{file}</h3>
        <CopyButton text={text} name={`Copy ${file}`} />
      </div>
      <pre class="code lines" tabIndex={0}>
        {text
          .trimEnd()
          .split('\n')
          .map((line, index) => (
            <span
              class={failed.has(index + 1) ? 'line marked' : 'line'}
              title={failed.get(index + 1)}
              id={lineId(file, index + 1)}
              key={index}
            >
              {`${line}\n`}
            </span>
          ))}
      </pre>
    </section>
  )
}

function Expectation({ result, run }: { result: Result; run: ReportedRun }) {
  const { title, expected, actual, fails, verdict, path, hint, at } = result
  const { evidence, scenario, verdict: all } = run
  const position = fails && at && scenario.some(({ file }) => file === at.file) ? at : undefined
  const advice = all.invariants.find(({ name }) => title === `always: ${name}`)?.advice
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
            {path.startsWith('always') ? nameTasks(actual) : `expected ${expected}; actual: ${actual}`}{' '}
            {hint ?? (fails && advice)}
          </p>
        )}
        {(proofs.length > 0 || position) && (
          <p class="evidence">
            {proofs.map(({ request, message }) => (
              <button class="tiny mono" title={message} key={request} onClick={() => openEvidence(request)}>
                #{request}
              </button>
            ))}
            {position && (
              <button class="tiny mono" onClick={() => showLine(lineId(position.file, position.line))}>
                {lineId(position.file, position.line)}
              </button>
            )}
          </p>
        )}
      </div>
      <span />
    </li>
  )
}

function showLine(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: 'center' })
}

function openEvidence(number: number): void {
  const entry = entryByNumber.get(number)
  if (!entry) return notify(`Request #${number} is not in this report`)
  choose(laneById.get(entry.task ?? `#${number}`), entry)
  showPanel('inspect')
}
