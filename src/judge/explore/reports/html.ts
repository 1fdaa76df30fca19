import { escapeXml } from '../../reports/junit.ts'
import { timelineText } from '../../reports/text.ts'
import { symbols, toMatrix } from './matrix.ts'
import { formatSeconds, type ReportedExploration, type ReportedFinding } from './reported.ts'

const style = `
:root { color-scheme: light dark; --line: #8884; --bad: #c4342d; --good: #2e7d46; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 13px; }
th, td { border: 1px solid var(--line); padding: 2px 8px; text-align: center; }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
tr.family td { font-weight: 600; border-inline: 0; padding-top: 10px; }
td.bad { color: var(--bad); font-weight: 600; }
td.good { color: var(--good); }
pre { overflow: auto; border: 1px solid var(--line); border-radius: 6px; padding: 10px; font-size: 12.5px; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; }
.scroll { overflow-x: auto; }
`

const bad = ['misbehaved', 'gave up', 'hung', 'paid twice', 'wrong result']
const good = ['survived', 'reported']

/** One page without a script or a request: the matrix, and each finding with its scenario. */
export function explorationHtml(exploration: ReportedExploration): string {
  const { title, score, cells, left, elapsedMs, findings, baseline } = exploration
  const leftOut = left > 0 ? `, ${left} left out` : ''
  const legend = Object.entries(symbols).map(([state, symbol]) => `${symbol} ${state}`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>greenroom explore: ${escapeXml(title)}</title>
<style>${style}</style>
<h1>greenroom explore</h1>
<p><code>${escapeXml(title)}</code></p>
<p>Score <strong>${score}</strong> of 100; ${cells.length} runs in ${formatSeconds(elapsedMs)}${leftOut}.</p>
<h2>${findings.length === 0 ? 'No findings' : 'Findings'}</h2>
${findings.map(findingSection).join('\n')}
<h2>Matrix</h2>
<div class="scroll">${matrixTable(exploration)}</div>
<p>${legend.join(' · ')}</p>
<h2>Baseline run</h2>
<pre>${escapeXml(timelineText(baseline.verdict) || `${baseline.exchanges.length} requests, no tasks`)}</pre>
</html>
`
}

function findingSection(finding: ReportedFinding): string {
  const { severity, sentence, advice, detail, schedule, yaml, reproduce, isAccepted, trace } = finding
  const parts = [
    `<h3>${escapeXml(severity)}${isAccepted ? ' (accepted)' : ''}: ${escapeXml(sentence)}</h3>`,
    `<p>${escapeXml(advice)}</p>`,
    `<p>${escapeXml(schedule.name)}: ${escapeXml(detail)}</p>`,
    `<pre>${escapeXml(trace)}</pre>`,
    ...(reproduce === undefined ? [] : [`<pre>${escapeXml(reproduce)}</pre>`]),
    ...(yaml === undefined
      ? []
      : [`<details><summary>Scenario</summary><pre>${escapeXml(yaml)}</pre></details>`]),
  ]
  return `<section>${parts.join('\n')}</section>`
}

function matrixTable({ cells }: ReportedExploration): string {
  const { places, rows } = toMatrix(cells)
  const heads = places.map(({ name }) => `<th scope="col">${escapeXml(name)}</th>`)
  let family = ''
  const body = rows.flatMap((row) => {
    const states = row.states.map((state) => {
      if (state === undefined) return '<td></td>'
      const kind = bad.includes(state) ? 'bad' : good.includes(state) ? 'good' : ''
      return `<td class="${kind}" title="${escapeXml(state)}">${symbols[state]}</td>`
    })
    const line = `<tr><td>${escapeXml(row.injection)}</td>${states.join('')}</tr>`
    if (row.family === family) return [line]
    family = row.family
    return [`<tr class="family"><td colspan="${places.length + 1}">${escapeXml(family)}</td></tr>`, line]
  })
  return `<table><tr><th></th>${heads.join('')}</tr>\n${body.join('\n')}</table>`
}
