import { version } from '../../../version.ts'
import { annotation } from '../../reports/github.ts'
import { escapeXml, element } from '../../reports/junit.ts'
import { escape as escapeMarkdown, fenced } from '../../reports/markdown.ts'
import { toOneLine } from '../../reports/text.ts'
import type { Finding } from '../findings.ts'
import { symbols, toMatrix } from './matrix.ts'
import {
  describeLeft,
  describeScore,
  describeUnrepeated,
  flakySentence,
  type ReportedExploration,
} from './reported.ts'

/** Formats of `--report`. */
export const explorationFormats = ['junit', 'json', 'html', 'markdown', 'github'] as const

type Explorations = readonly ReportedExploration[]

/** A case for each fault at each place; those of accepted findings are skipped. */
export function explorationJunit(explorations: Explorations): string {
  const suites = explorations.flatMap(toSuites)
  const sum = (count: keyof Suite['counts']): number =>
    suites.reduce((all, { counts }) => all + counts[count], 0)
  const counts = { tests: sum('tests'), failures: sum('failures'), errors: 0 }
  const root = element(
    'testsuites',
    { name: 'greenroom explore', ...counts },
    suites.map(({ name, counts, cases }) => element('testsuite', { name, ...counts }, cases)),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

interface Suite {
  readonly name: string
  readonly counts: Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', number>>
  readonly cases: readonly string[]
}

/** One for each family of faults. */
function toSuites({ title, cells, findings }: ReportedExploration): Suite[] {
  const families = [...new Set(cells.map(({ schedule }) => familyOf(schedule)))]
  return families.map((family) => {
    const cases = cells
      .filter(({ schedule }) => familyOf(schedule) === family)
      .map((cell) => ({
        cell,
        of: findings.filter(({ schedules }) => schedules.includes(cell.schedule.name)),
      }))
    const isFailed = ({ of }: (typeof cases)[number]): boolean => of.some(({ fails }) => fails)
    const isSkipped = (each: (typeof cases)[number]): boolean =>
      !isFailed(each) && (each.of.length > 0 || each.cell.state === 'not reached')
    return {
      name: `${title}: ${family}`,
      counts: {
        tests: cases.length,
        failures: cases.filter(isFailed).length,
        errors: 0,
        skipped: cases.filter(isSkipped).length,
      },
      cases: cases.map((each) => {
        const { schedule, state } = each.cell
        const of = isFailed(each) ? each.of.filter(({ fails }) => fails) : each.of
        const message = of.map(({ sentence }) => sentence).join(' ')
        const scenarios = of.map(({ yaml }) => escapeXml(yaml ?? ''))
        const children = [
          ...(isFailed(each) ? [element('failure', { message, type: state }, scenarios)] : []),
          ...(isSkipped(each) ? [element('skipped', { message: message || state })] : []),
        ]
        return element('testcase', { name: schedule.name, classname: `explore.${family}` }, children)
      }),
    }
  })
}

const familyOf = ({ parts, variant }: Finding['schedule']): string =>
  variant ? 'gateway variant' : parts.length > 1 ? 'pairs' : (parts[0]?.injection.family ?? 'baseline')

/** `format` is bumped on breaking changes. `--accept` reads the keys of its findings. */
export function explorationJson(explorations: Explorations): string {
  const report = {
    format: 2,
    greenroom: version,
    explorations: explorations.map(({ title, score, left, cells, findings }) => ({
      title,
      score,
      runs: cells.length,
      notTried: left.map(({ name }) => name),
      findings: findings.map((finding) => ({
        key: finding.key,
        severity: finding.severity,
        habit: finding.habit,
        operations: finding.operations,
        families: finding.families,
        sentence: finding.sentence,
        advice: finding.advice,
        detail: finding.detail,
        smallest: finding.schedule.name,
        schedules: finding.schedules,
        accepted: finding.isAccepted,
        flaky: finding.isFlaky,
        unrepeated: finding.unrepeated,
        ...(finding.file !== undefined && { file: finding.file }),
      })),
      cells: cells.map(({ schedule, state }) => ({ schedule: schedule.name, state })),
    })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** Annotations for GitHub Actions, one line each: errors for new findings, notices for others. */
export function explorationGithub(explorations: Explorations, toPath: (file: string) => string): string {
  const lines = explorations.flatMap(({ title, findings, left }) => [
    ...findings.map((finding) => {
      const { sentence, advice, schedule, detail, file, reproduce } = finding
      const message = [
        `${sentence} ${advice}`,
        `${schedule.name}: ${toOneLine(detail)}`,
        ...remarksOn(finding),
        ...(reproduce === undefined ? [] : [reproduce]),
      ].join('\n')
      const properties = { file: file && toPath(file), title: `${finding.severity}: ${title}` }
      return annotation(finding.fails ? 'error' : 'notice', properties, message)
    }),
    ...(left.length === 0 ? [] : [annotation('notice', { title }, `not tried: ${describeLeft(left)}`)]),
  ])
  return lines.map((line) => `${line}\n`).join('')
}

/** How far a repetition confirmed a finding, if not wholly. */
function remarksOn(finding: Finding): string[] {
  const unrepeated = describeUnrepeated(finding)
  return [...(finding.isFlaky ? [flakySentence] : []), ...(unrepeated === undefined ? [] : [unrepeated])]
}

export const explorationMarkdown = (explorations: Explorations): string =>
  explorations.map(toMarkdown).join('\n')

function toMarkdown(exploration: ReportedExploration): string {
  const { title, cells, findings, left } = exploration
  const { places, rows } = toMatrix(cells, left)
  const head = ['| |', ...places.map(({ name }) => ` ${escapeMarkdown(name)} |`)].join('')
  const table = [
    head,
    `|---|${places.map(() => '---|').join('')}`,
    ...rows.map(
      ({ injection, states }) =>
        `| ${escapeMarkdown(injection)} |${states.map((state) => ` ${state ? symbols[state] : ''} |`).join('')}`,
    ),
  ].join('\n')
  const isGood = !findings.some(({ fails }) => fails)
  const list = findings.map((finding) => {
    const { severity, sentence, advice, yaml } = finding
    return [
      `### ${finding.fails ? '❌' : '➖'} ${escapeMarkdown(severity)}: ${escapeMarkdown(toOneLine(sentence))}`,
      escapeMarkdown(advice),
      ...remarksOn(finding).map(escapeMarkdown),
      ...(yaml === undefined ? [] : [fenced(yaml.trimEnd(), 'yaml')]),
    ].join('\n\n')
  })
  const notTried = left.length > 0 ? [`Not tried: ${escapeMarkdown(describeLeft(left))}.`] : []
  return `${[
    `## ${isGood ? '✅' : '❌'} explore: ${escapeMarkdown(title)}`,
    describeScore(exploration),
    ...notTried,
    ...list,
    `<details><summary>Matrix</summary>\n\n${table}\n\n${Object.entries(symbols)
      .map(([state, symbol]) => `${symbol} ${state}`)
      .join(' · ')}\n\n</details>`,
  ].join('\n\n')}\n`
}
