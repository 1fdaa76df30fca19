import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import {
  explorationColumns,
  explore,
  reportExplorations,
  toFindingScenario,
  type ReportedExploration,
  type RunClient,
} from '../../../src/judge/explore/index.ts'
import type { Selection } from '../../../src/judge/runs/schedules.ts'
import { readReportPage } from '../../../src/judge/reports/html/files.ts'
import { terminalReport } from '../../../src/judge/reports/terminal.ts'
import { writeReport, type ReportFormat } from '../../../src/judge/reports/write-report.ts'
import { parseXml } from '../xml.ts'
import { inProcess } from './in-process.ts'

/** Asks for a text once, whatever comes. */
const run = inProcess(async ({ fetch, baseUrl, key }) => {
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-text-1', messages: [{ role: 'user', content: 'a <kite> | & more' }] }),
  })
  if (!response.ok) throw new Error(`returned ${response.status}`)
  return response.json()
})

const reported = async (): Promise<ReportedExploration> => {
  const exploration = await explore(run, {
    jobs: 8,
    isSelected: ({ injection }) => injection.family !== 'silence',
  })
  const findings = exploration.findings.map((finding, index) => ({
    ...finding,
    isAccepted: index > 0,
    fails: index === 0,
    yaml: JSON.stringify(toFindingScenario(finding, exploration)),
    reproduce: 'greenroom run finding.yaml',
  }))
  return { ...exploration, title: 'node client.js', findings }
}

const textOf = (...explorations: ReportedExploration[]): string =>
  terminalReport(reportExplorations(explorations), explorationColumns)
const write = (format: ReportFormat, exploration: ReportedExploration): string =>
  writeReport(format, reportExplorations([exploration]), { readPage: readReportPage })

it('reports an exploration for people, CI systems, pages and programs', async () => {
  const exploration = await reported()
  const keys = exploration.findings.map(({ key }) => key)
  expect(keys).toContain('gave up | not-retried | chat.complete | server error')
  const text = textOf(exploration)
  const widths = text.split('\n').map((line) => line.length)
  expect(Math.max(...widths.slice(1))).toBeLessThanOrEqual(100)
  expect(text).toMatch(/^ {2}503 +✗$/m)
  expect(text).toContain(`core ${exploration.score} of 100; `)
  const junit = write('junit', exploration)
  expect(parseXml(junit.replace(/(<failure[^>]*>)[^<]*/g, '$1')).name).toBe('testsuites')
  expect(junit.match(/<testcase /g)).toHaveLength(exploration.cells.length)
  expect(junit).toContain('<skipped')
  const { explorations } = JSON.parse(write('json', exploration)) as {
    explorations: { findings: { key: string; accepted: boolean }[]; score: number | null }[]
  }
  const { findings, score } = explorations[0]!
  expect(findings.map(({ accepted }) => accepted)).toEqual(keys.map((_, index) => index > 0))
  expect(score).toBe(exploration.score)
  expect(write('markdown', exploration)).toMatch(/^503 +✗$/m)
  const annotations = write('github', exploration)
  expect(annotations.match(/^::error title=.+$/gm)).toHaveLength(1)
  expect(annotations.match(/^::notice /gm)).toHaveLength(keys.length - 1)
}, 30_000)

it('says last how much was not tried, and gives no score then', async () => {
  const whole = await reported()
  const [first, ...rest] = whole.cells
  const left = rest.map(({ schedule }) => schedule)
  const early: ReportedExploration = { ...whole, cells: [first!], left, findings: [], score: null }
  const text = textOf(early, early)
  expect(text.trimEnd().split('\n').at(-1)).toMatch(
    new RegExp(
      `^stopped early: ${2 * left.length} of ${2 * left.length + 2} schedules were not tried; they would take about .+s$`,
    ),
  )
  expect(text).toContain('found nothing in what was tried')
  for (const report of [text, write('markdown', early), write('html', early)])
    expect(report).not.toMatch(/score:? \d/i)
  expect(write('json', early)).toContain('"score": null')
})

it('names the runs of a finding that did not show it again', async () => {
  const { findings, ...exploration } = await reported()
  const [name] = findings[0]!.schedules
  const partly = { ...exploration, findings: [{ ...findings[0]!, unrepeated: [name!] }] }
  const sentence = `1 run of it did not repeat: ${name}.`
  expect(textOf(partly).replace(/\s+/g, ' ')).toContain(sentence)
  expect(write('github', partly)).toContain(sentence)
})

it('writes JUnit that is valid for the schema of Jenkins, with the baseline run as a case of its own', async () => {
  const { findings, ...exploration } = await reported()
  const [first] = findings
  const ofBaseline = {
    ...first!,
    schedule: { ...first!.schedule, parts: [], name: 'baseline' },
    schedules: [],
  }
  const report = write('junit', { ...exploration, findings: [ofBaseline] })
  const schema = readFileSync(new URL('../../../fixtures/schemas/junit-10.xsd', import.meta.url), 'utf8')
  const { errors } = await validateXML({
    xml: [{ fileName: 'out.xml', contents: report }],
    schema: [{ fileName: 'junit-10.xsd', contents: schema }],
  })
  expect(errors).toEqual([])
  const { attributes, children } = parseXml(report.replace(/(<failure[^>]*>)[^<]*/g, '$1')).children[0]!
  expect(attributes).toMatchObject({ name: 'explore: node client.js', failures: '1' })
  expect(children[0]!.attributes).toMatchObject({ name: 'baseline', classname: 'explore.baseline' })
  expect(children[0]!.children[0]!.name).toBe('failure')
})

it('does not count a slow response as survived if the time-outs of the client pass in real time', async () => {
  const isSelected: Selection = ({ injection }) => injection.id === 'slow 40s' || injection.id === '503'
  const inReal: RunClient = async (...args) => ({ ...(await run(...args)), hasRealTimeouts: true })
  const exploration = { ...(await explore(inReal, { isSelected })), title: 'node client.js', findings: [] }
  const states = exploration.cells.map(({ schedule, state }) => [schedule.name, state])
  expect(states).toEqual([
    ['503 @ chat.complete', 'gave up'],
    ['slow 40s @ chat.complete', 'not judged'],
  ])
  expect(exploration.score).toBe(0)
  const text = textOf(exploration)
  expect(text).toContain('not judged (–): 1 schedule: slow 40s\n')
  expect(text).toContain('--virtual-timers for Node')
  expect(write('junit', exploration)).toContain('<skipped')
})

it('says of a finding whether it was accepted before, or does not repeat', async () => {
  const { findings, ...exploration } = await reported()
  const [first] = findings
  const titleOf = (more: Partial<ReportedExploration['findings'][number]>): string => {
    const report = write('junit', { ...exploration, findings: [{ ...first!, ...more }] })
    const text = textOf({ ...exploration, findings: [{ ...first!, ...more }] })
    expect(report).toContain('<testcase ')
    return /GAVE UP( \([a-z]+\))?/.exec(text)![0]
  }
  expect(titleOf({})).toBe('GAVE UP')
  expect(titleOf({ isAccepted: true, fails: false })).toBe('GAVE UP (accepted)')
  expect(titleOf({ isFlaky: true, fails: false })).toBe('GAVE UP (flaky)')
})
