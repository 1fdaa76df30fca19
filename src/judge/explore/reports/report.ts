import { version } from '../../../version.ts'
import { escapeXml, element } from '../../reports/junit.ts'
import { escape as escapeMarkdown, fenced } from '../../reports/markdown.ts'
import { toOneLine } from '../../reports/text.ts'
import type { Finding } from '../findings.ts'
import { symbols, toMatrix } from './matrix.ts'
import { formatSeconds, type ReportedExploration } from './reported.ts'

/** Formats of `--report`. */
export const explorationFormats = ['junit', 'json', 'html', 'markdown'] as const
export type ExplorationFormat = (typeof explorationFormats)[number]

/** A case for each fault at each place; those of accepted findings are skipped. */
export function explorationJunit({ title, cells, findings, elapsedMs }: ReportedExploration): string {
  const families = [...new Set(cells.map(({ schedule }) => familyOf(schedule)))]
  const cases = cells.map(({ schedule, state }) => {
    const of = findings.filter(({ schedules }) => schedules.includes(schedule.name))
    const fresh = of.filter(({ isAccepted }) => !isAccepted)
    const message = (fresh.length > 0 ? fresh : of).map(({ sentence }) => sentence).join(' ')
    const isSkipped = state === 'not reached' || (of.length > 0 && fresh.length === 0)
    const children =
      fresh.length > 0
        ? [
            element(
              'failure',
              { message, type: state },
              fresh.map(({ yaml }) => escapeXml(yaml ?? '')),
            ),
          ]
        : isSkipped
          ? [element('skipped', { message: message || state })]
          : []
    const name = schedule.name
    return {
      family: familyOf(schedule),
      isFailed: fresh.length > 0,
      isSkipped,
      xml: element('testcase', { name, classname: `explore.${familyOf(schedule)}` }, children),
    }
  })
  const countsOf = (of: typeof cases): Record<string, number> => ({
    tests: of.length,
    failures: of.filter(({ isFailed }) => isFailed).length,
    errors: 0,
  })
  const suites = families.map((family) => {
    const of = cases.filter((each) => each.family === family)
    const skipped = of.filter(({ isSkipped }) => isSkipped).length
    return element(
      'testsuite',
      { name: `${title}: ${family}`, ...countsOf(of), skipped },
      of.map(({ xml }) => xml),
    )
  })
  const time = (elapsedMs / 1000).toFixed(3)
  const root = element('testsuites', { name: 'greenroom explore', ...countsOf(cases), time }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

const familyOf = ({ parts, variant }: Finding['schedule']): string =>
  variant ? 'gateway variant' : parts.length > 1 ? 'pairs' : (parts[0]?.injection.family ?? 'baseline')

/** `format` is bumped on breaking changes. `--accept` reads the keys of its findings. */
export function explorationJson({
  title,
  score,
  left,
  elapsedMs,
  cells,
  findings,
}: ReportedExploration): string {
  const report = {
    format: 1,
    greenroom: version,
    title,
    score,
    runs: cells.length,
    left,
    elapsedMs: Math.round(elapsedMs),
    findings: findings.map(
      ({
        key,
        severity,
        habit,
        operations,
        families,
        sentence,
        advice,
        detail,
        schedule,
        schedules,
        isAccepted,
        file,
      }) => ({
        key,
        severity,
        habit,
        operations,
        families,
        sentence,
        advice,
        detail,
        smallest: schedule.name,
        schedules,
        accepted: isAccepted,
        ...(file !== undefined && { file }),
      }),
    ),
    cells: cells.map(({ schedule, state }) => ({ schedule: schedule.name, state })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

export function explorationMarkdown(exploration: ReportedExploration): string {
  const { title, cells, findings, score, left, elapsedMs } = exploration
  const { places, rows } = toMatrix(cells)
  const head = ['| |', ...places.map(({ name }) => ` ${escapeMarkdown(name)} |`)].join('')
  const table = [
    head,
    `|---|${places.map(() => '---|').join('')}`,
    ...rows.map(
      ({ injection, states }) =>
        `| ${escapeMarkdown(injection)} |${states.map((state) => ` ${state ? symbols[state] : ''} |`).join('')}`,
    ),
  ].join('\n')
  const isGood = findings.every(({ isAccepted }) => isAccepted)
  const list = findings.map(({ severity, sentence, advice, yaml, isAccepted }) =>
    [
      `### ${isAccepted ? '➖' : '❌'} ${escapeMarkdown(severity)}: ${escapeMarkdown(toOneLine(sentence))}`,
      escapeMarkdown(advice),
      ...(yaml === undefined ? [] : [fenced(yaml.trimEnd(), 'yaml')]),
    ].join('\n\n'),
  )
  const leftOut = left > 0 ? `, ${left} left out` : ''
  return `${[
    `## ${isGood ? '✅' : '❌'} explore: ${escapeMarkdown(title)}`,
    `Score ${score} of 100; ${cells.length} runs in ${formatSeconds(elapsedMs)}${leftOut}.`,
    ...list,
    `<details><summary>Matrix</summary>\n\n${table}\n\n${Object.entries(symbols)
      .map(([state, symbol]) => `${symbol} ${state}`)
      .join(' · ')}\n\n</details>`,
  ].join('\n\n')}\n`
}
