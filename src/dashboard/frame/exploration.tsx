// The head of an exploration report: the matrix of faults and places, and the findings. Each opens its run below.
import type {
  ExplorationCell,
  ExplorationData,
  ExplorationFinding,
  ReportData,
} from '../../judge/reports/html/report-data.ts'
import { openRun, runIndex } from './report-run.ts'

export function Explorations({ data }: { data: ReportData }) {
  if (!data.explorations) return null
  const open = (run: number | null): void => {
    if (run === null) return
    openRun(data, run)
    document.querySelector('.stage')?.scrollIntoView({ behavior: 'smooth' })
  }
  return (
    <div class="explorations">
      {data.explorations.map((exploration, index) => (
        <section class="exploration" aria-label={exploration.title} key={index}>
          <header>
            <h2 class="mono">{exploration.title}</h2>
            <p class="muted">{exploration.summary}</p>
          </header>
          <Matrix exploration={exploration} open={open} />
          <Findings exploration={exploration} open={open} />
        </section>
      ))}
    </div>
  )
}

interface Opening {
  readonly exploration: ExplorationData
  readonly open: (run: number | null) => void
}

function Matrix({ exploration, open }: Opening) {
  const { places, rows, legend, findings } = exploration
  return (
    <div class="matrix">
      <div class="matrix-scroll" tabIndex={0} role="group" aria-label="Matrix">
        <table>
          <thead>
            <tr>
              <th scope="col">Fault</th>
              {places.map(({ operation, detail }, index) => (
                <th scope="col" key={index}>
                  <span>{operation}</span> {detail}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.flatMap(({ family, injection, cells }, index) => [
              rows[index - 1]?.family !== family && (
                <tr class="family" key={`family ${family}`}>
                  <th colSpan={places.length + 1} scope="rowgroup">
                    {family}
                  </th>
                </tr>
              ),
              <tr key={`${family} ${injection}`}>
                <th scope="row">{injection}</th>
                {cells.map((cell, at) => (
                  <td key={at}>
                    {cell && <Cell cell={cell} run={findings[cell.finding ?? -1]?.run ?? null} open={open} />}
                  </td>
                ))}
              </tr>,
            ])}
          </tbody>
        </table>
      </div>
      <p class="matrix-legend">
        {legend.map(([symbol, state]) => (
          <span key={state}>
            <b>{symbol}</b> {state}
          </span>
        ))}
      </p>
    </div>
  )
}

function Cell({ cell, run, open }: { cell: ExplorationCell; run: number | null } & Pick<Opening, 'open'>) {
  const { symbol, state, isGood, finding } = cell
  if (finding === null)
    return (
      <span class={isGood ? 'good' : 'muted'} title={state}>
        {symbol}
      </span>
    )
  const label = `${state}: finding ${finding + 1}`
  return (
    <button
      class={`bad ${run === runIndex.value ? 'is-open' : ''}`}
      title={label}
      aria-label={label}
      disabled={run === null}
      onClick={() => open(run)}
    >
      {symbol}
    </button>
  )
}

function Findings({ exploration: { findings, baseline }, open }: Opening) {
  return (
    <div class="findings">
      <h3>{findings.length === 0 ? 'Found nothing' : `Findings (${findings.length})`}</h3>
      <ol>
        {findings.map((finding, index) => (
          <li key={index}>
            <button
              class="finding-card"
              aria-pressed={finding.run === runIndex.value}
              disabled={finding.run === null}
              onClick={() => open(finding.run)}
            >
              <Severity finding={finding} />
              <span>
                {index + 1}. {finding.sentence}
              </span>
              <span class="muted small">
                {finding.schedule}
                {finding.count > 1 && `, and ${finding.count - 1} more`}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <button class="link" aria-pressed={baseline === runIndex.value} onClick={() => open(baseline)}>
        The baseline run, in which nothing went wrong
      </button>
    </div>
  )
}

function Severity({ finding: { severity, remark } }: { finding: ExplorationFinding }) {
  return (
    <span class={`status ${remark === null ? 'failed' : ''}`}>
      {severity}
      {remark !== null && ` (${remark})`}
    </span>
  )
}

/** Leads back to the top, because the axis and the journal scroll separately. */
export function MatrixButton() {
  const show = (): void => document.querySelector('.app')?.scrollTo({ top: 0, behavior: 'smooth' })
  return (
    <button class="quiet" onClick={show}>
      Matrix
    </button>
  )
}

/** The finding whose run is visible below, if there is one. */
export function FindingOfRun({ data }: { data: ReportData }) {
  const finding = data.explorations
    ?.flatMap(({ findings }) => findings)
    .find(({ run }) => run === runIndex.value)
  if (!finding) return null
  return (
    <section class="block finding-block">
      <Severity finding={finding} />
      <h3>{finding.sentence}</h3>
      <p>{finding.advice}</p>
      <p class="muted small">{finding.detail}</p>
    </section>
  )
}
