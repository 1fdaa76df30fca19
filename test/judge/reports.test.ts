import { readFileSync } from 'node:fs'
import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { audit } from '../../src/judge/audit.ts'
import { invariantsOnly, judge } from '../../src/judge/judge.ts'
import { reportRuns, type RunReportOptions, type Verdicts } from '../../src/judge/reports/run-report.ts'
import { terminalReport } from '../../src/judge/reports/terminal.ts'
import { reportFormats, writeReport, type ReportFormat } from '../../src/judge/reports/write-report.ts'
import { judgeSeeds, type Verdict } from '../../src/judge/verdict.ts'
import { content, poll, start, Story, submit } from './entries.ts'
import { parseXml, type Element } from './xml.ts'
import { codePoint } from '../support/arbitraries.ts'

/** A run with results of each kind. */
function example(more: { name?: string; seed?: number; reason?: string } = {}): Verdict {
  const story = new Story({
    tasks: [{ kind: 'video', count: 1, status: 'SUCCESS' }],
    requests: [{ op: 'video.poll', count: { max: 1 } }],
    always: ['one-key', 'poll-interval', 'no-poll-after-terminal', 'modal-follows-its-action'],
    sometimes: [{ rule: 'storm' }],
  })
  story.add(submit({ timing: 'assumed' }))
  story.add(poll('queued', { atMs: 5_000, timing: 'assumed' }))
  story.add(poll('SUCCESS', { atMs: 40_000, timing: 'assumed' }))
  story.add(content({ atMs: 40_000, timing: 'assumed' }))
  story.add(
    poll('SUCCESS', {
      atMs: 41_000,
      key: 'sk-other',
      timing: 'assumed',
      approximated: true,
      fault: 'garbage',
    }),
  )
  const { name = 'happy path', seed = 7, reason = '' } = more
  return judge({
    watch: story.watch,
    now: start + 41_000,
    name,
    seed,
    file: 'scenarios/happy.yaml',
    reproduce: `greenroom run --seed ${seed} scenarios/happy.yaml -- npm test`,
    at: (path) =>
      path[0] === 'sometimes'
        ? undefined
        : { file: 'scenarios/happy.yaml', line: 20 + Number(path[1]), column: 5 },
    rules: [{ id: 'storm', eligible: 3, fired: 0, optional: true }],
    tasks: [
      {
        id: 'task_1',
        operation: 'video.submit',
        kind: 'video',
        status: 'SUCCESS',
        reason,
        submittedAt: start,
        finishedAt: start + 40_000,
        request: {},
        timeline: [
          { status: 'queued', from: start },
          { status: 'IN_PROGRESS', from: start + 10_000 },
          { status: 'SUCCESS', from: start + 40_000 },
        ],
      },
    ],
  })
}

const judged: Verdicts = [judgeSeeds([example(), example({ seed: 8 })])]

const textOf = (verdicts: Verdicts, options?: RunReportOptions): string =>
  terminalReport(reportRuns(verdicts, options))
const write = (format: ReportFormat, verdicts: Verdicts, options?: RunReportOptions): string =>
  writeReport(format, reportRuns(verdicts, options))

it.each(reportFormats.filter((format) => format !== 'html'))(
  'writes the same %s report as before',
  async (format) => {
    const written = write(format, judged).replace(/"greenroom": "[^"]+"/, '"greenroom": "VERSION"')
    await expect(written).toMatchFileSnapshot(`golden/${format}.golden`)
  },
)

it('writes the same plain-text report as before', async () => {
  await expect(textOf(judged)).toMatchFileSnapshot('golden/terminal.golden')
})

describe('for people', () => {
  it('ends with the command that reproduces a failure', () => {
    const lines = textOf([example()]).trimEnd().split('\n')
    expect(lines.at(-1)!.trim()).toBe('greenroom run --seed 7 scenarios/happy.yaml -- npm test')
  })

  it('names the requests of a failed run at which rules fired', () => {
    const story = new Story({ tasks: [{ kind: 'video', status: 'SUCCESS' }] })
    story.add(submit({ rules: ['slow', 'same-text'] }))
    story.add(poll('queued'))
    story.add(poll('queued', { rules: ['outage'], status: 503 }))
    story.add(poll('queued', { rules: ['broken'], fault: 'garbage' }))
    const failed = judge({ watch: story.watch, now: start, tasks: [] })
    expect(textOf([failed])).toContain(
      '  rules fired: slow + same-text at video.submit 1 (#1), outage at video.poll 2 (#3, 503), broken at video.poll 3 (#4, garbage)\n',
    )
    expect(failed.fired[1]).toEqual({
      number: 3,
      operation: 'video.poll',
      nth: 2,
      rules: ['outage'],
      status: 503,
      fault: null,
    })
    expect(textOf([{ ...failed, passed: true }])).not.toContain('rules fired')
  })

  it('lists the first ten such requests', () => {
    const story = new Story({ tasks: [{ kind: 'video', status: 'SUCCESS' }] })
    for (let request = 1; request <= 101; request++) story.add(poll('queued', { rules: ['slow'] }))
    const failed = judge({ watch: story.watch, now: start, tasks: [] })
    expect(failed.fired).toHaveLength(100)
    expect(textOf([failed])).toMatch(/slow at video\.poll 10 \(#10\), and more\n/)
  })

  it('removes control characters from the texts of clients', () => {
    const report = textOf([example({ name: 'a\u001b[2Jb\nc', reason: '\u202eevil\u0007' })])
    // eslint-disable-next-line no-control-regex
    expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  })

  it('escapes names in Markdown', () => {
    const [head] = write('markdown', [example({ name: 'a | b <script> `x` [y](z)' })]).split('\n')
    expect(head).toBe('## ❌ scenarios/happy.yaml: a \\| b &lt;script&gt; \\`x\\` \\[y\\](z), seed 7')
  })
})

it('wraps long lines at spaces, and indents the rest, if it is given a width', () => {
  const lines = terminalReport(reportRuns([example()]), 60).split('\n')
  const at = lines.indexOf('      Task task_1 was submitted with sk-test, but video.poll')
  expect(lines[at + 1]).toBe('      used sk-other.  #1 #5')
  expect(lines).toContain('  - sometimes: in at least one run: rule storm fires at')
  expect(lines).toContain('    least once')
})

it('sorts the failure with the earliest request first', () => {
  const failures = textOf([example()]).match(/✗ .*/g)!

  expect(failures[1]).toContain('one-key')
  expect(failures.at(-1)).not.toContain('one-key')
})

it('says how to inspect the request of a failure', () => {
  const report = textOf([example()], { howToExplain: (number) => `To see #${number}: explain it` })

  expect(report).toMatch(/\nhint: To see #\d+: explain it\n/)
  expect(textOf([example()])).not.toContain('To see #')
})

describe('JUnit', () => {
  const casesOf = (root: Element): Element[] =>
    root.children.flatMap(({ children }) => children).filter(({ name }) => name === 'testcase')

  it('has a case for each expectation, with its line, and counts that agree', () => {
    const verdict = example()
    const root = parseXml(write('junit', [verdict]))
    const cases = casesOf(root)
    expect(cases).toHaveLength(verdict.results.length)
    for (const { attributes, children } of cases) {
      const { at, fails, verdict: how } = verdict.results.find(({ title }) => title === attributes['name'])!
      expect(children.map(({ name }) => name)).toEqual(
        fails ? ['failure'] : how === 'pass' ? [] : ['skipped'],
      )
      const place = at && fails ? `${at.file}:${at.line}:${at.column}: ` : ''
      expect(children[0]?.attributes['message'] ?? '').toContain(place)
    }
    const failures = cases.filter(({ children }) => children[0]?.name === 'failure').length
    expect(root.attributes).toMatchObject({ tests: String(cases.length), failures: String(failures) })
  })

  it("is valid for Jenkins' schema, with the real seconds of each run", async () => {
    const verdict = example()
    const schema = readFileSync(new URL('../../fixtures/schemas/junit-10.xsd', import.meta.url), 'utf8')
    const report = write('junit', [verdict, example({ name: 'other' })], {
      durationsMs: new Map([[verdict, 1_234]]),
    })
    const { errors } = await validateXML({
      xml: [{ fileName: 'out.xml', contents: report }],
      schema: [{ fileName: 'junit-10.xsd', contents: schema }],
    })

    expect(errors).toEqual([])
    const [measured, unmeasured] = parseXml(report).children
    expect([measured!.attributes['time'], unmeasured!.attributes['time']]).toEqual(['1.234', undefined])
  })

  it('carries any text through XML', () => {
    assert(
      property(string({ unit: codePoint, maxLength: 30 }), (name) => {
        const root = parseXml(write('junit', [example({ name })]))
        // eslint-disable-next-line no-control-regex
        const sayable = name.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '?')
        const heading = name === '' ? 'scenarios/happy.yaml' : `scenarios/happy.yaml: ${sayable}`
        expect(root.children[0]!.attributes['name']).toBe(`${heading}, seed 7`)
      }),
      { seed: 1 },
    )
  })
})

describe('GitHub', () => {
  it('annotates the lines of failures, and escapes text that looks like a command', () => {
    const report = write('github', [example({ name: '100%, a:b\n::set-output name=x::y' })])
    const lines = report.trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^::(error|notice) [^\n]*::/)
    expect(lines[0]).toMatch(
      /^::error file=scenarios\/happy.yaml,line=20,col=5,title=[^:]*::always: one-key%0ATask task_1 was /,
    )
    expect(lines[0]).toContain('100%25%2C a%3Ab%0A')
  })
})

describe('JSON', () => {
  it('contains the verdicts', () => {
    const report = JSON.parse(write('json', judged)) as {
      format: number
      passed: boolean
      verdicts: unknown
    }
    expect(report).toMatchObject({ format: 2, passed: false })
    expect(report.verdicts).toEqual(JSON.parse(JSON.stringify(judged)))
  })
})

describe('a run without a scenario', () => {
  const story = new Story(invariantsOnly)
  story.add(submit())
  for (const atMs of [5_000, 10_000, 11_000, 16_000]) story.add(poll('queued', { atMs }))
  story.add(poll(null, { status: 429, retryAfterMs: 10_000, atMs: 22_000 }))
  story.add(poll('SUCCESS', { atMs: 32_000 }))
  story.add(content({ content: 'partial', outcome: 'failed', bytes: 100 }))
  story.add(content())
  story.add(poll('SUCCESS', { atMs: 40_000 }))
  const judgeAlone = ({ watch }: Story): Verdict =>
    judge({ watch, now: start + 40_000, tasks: [], isWithoutScenario: true })

  it('says why the gateway refused a request, and names one that a rule answered', () => {
    const refused = new Story(invariantsOnly)
    const unknown = { operation: null, role: null, task: null, path: '/v1/vidoes', status: 404 } as const
    refused.add(submit({ ...unknown, hint: 'Did you mean /v1/videos?' }))
    refused.add(submit({ ...unknown, rules: ['mine'] }))
    expect(textOf([judgeAlone(refused)])).toContain(
      '\n  refused: #1 POST /v1/vidoes → 404: Did you mean /v1/videos?\n  no operation: #2 POST /v1/vidoes\n',
    )
  })

  it('lists violations first, then the numbers', async () => {
    await expect(textOf([judgeAlone(story)])).toMatchFileSnapshot('golden/without-scenario.golden')
  })

  it('reports requests without a status', () => {
    const cut = new Story(invariantsOnly)
    cut.add(submit())
    cut.add(poll(null, { outcome: 'failed', status: 0, fault: 'reset' }))
    expect(textOf([judgeAlone(cut)])).toContain('video.poll: 1 request, no response ×1, 1 broken')
  })

  it('counts', () => {
    const audited = audit(story.watch)
    const polls = audited.operations.find(({ operation }) => operation === 'video.poll')!
    expect(polls).toMatchObject({
      requests: 7,
      statuses: { '2xx': 6, '4xx': 1 },
      retries: 1,
      retryAfters: 1,
      intervalsMs: { min: 1_000, median: 5_000, max: 10_000 },
    })
    expect(audited.downloads).toMatchObject({ times: 2, complete: 1, partial: 1, intact: 1 })
    expect(audited.tasks).toEqual({ submitted: 1, followedToEnd: 1, abandoned: 0 })
  })
})
