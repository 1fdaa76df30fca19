import { assert, jsonValue, property } from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator, type Verdict } from '../../../src/index.ts'
import { judgeEntries } from '../../../src/judge/judge.ts'
import {
  maxEntries,
  readTrace,
  toReportedRun,
  type CollectedRun,
  dataElement,
  htmlReport,
  RunCollection,
  toInlineJson,
} from '../../../src/judge/reports/html/html.ts'
import type { ReportData } from '../../../src/judge/reports/html/report-data.ts'
import { codePoint } from '../../support/arbitraries.ts'
import { content, poll, Story, submit } from '../entries.ts'

const page = `<!doctype html><title>a page</title>${dataElement.join('')}<script>const $ = 1</script>`

const readData = (html: string): ReportData => {
  const [, json] = new RegExp(`${dataElement[0]}(.*?)${dataElement[1]}`, 's').exec(html) ?? []
  return JSON.parse(json!) as ReportData
}

/** A client that downloads a video before it is finished. */
async function collectRun(prompt = 'a red kite'): Promise<CollectedRun & { readonly verdict: Verdict }> {
  await using sim = createSimulator({ seed: 7, cacheDir: false })
  const headers = { authorization: 'Bearer sk-live-secret', 'content-type': 'application/json' }
  const call = (path: string, init?: RequestInit): Promise<Response> =>
    sim.fetch(`https://gateway.example${path}`, { headers, ...init })
  const body = JSON.stringify({ model: 'video-1', prompt })
  const answer = await call('/v1/video/generations', { method: 'POST', body })
  const { task_id: id } = (await answer.json()) as { task_id: string }
  await call(`/v1/videos/${id}/content`)
  return { verdict: await sim.verdict(), trace: readTrace(sim.core, 'default') }
}

const collectionOf = (...runs: readonly CollectedRun[]): RunCollection => {
  const collection = new RunCollection()
  for (const run of runs) collection.add(run)
  return collection
}

it('holds the tasks with their futures, the requests, and which of them are evidence', async () => {
  const [run] = readData(htmlReport(page, collectionOf(await collectRun()).toData('a test'))).runs
  const { tasks, entries, clock } = run!.trace!

  expect(tasks.map(({ timeline }) => timeline.map(({ status }) => status))).toEqual([
    ['queued', 'IN_PROGRESS', 'SUCCESS'],
  ])
  expect(tasks[0]!.timeline.at(-1)!.from).toBeGreaterThan(clock.now)
  expect(entries.map(({ number, operation, status }) => [number, operation, status])).toEqual([
    [1, 'video.submit', 200],
    [2, 'video.content', 400],
  ])
  expect(run!.evidence).toEqual([
    {
      request: 2,
      path: 'always[6]',
      message: expect.stringContaining('had not ended') as string,
      fails: true,
    },
  ])
  expect(run!.verdict).toMatchObject({ passed: false, seed: '7' })
})

it('contains no key of a client', async () => {
  const html = htmlReport(page, collectionOf(await collectRun()).toData('a test'))

  expect(html).not.toContain('sk-live-secret')
})

it('places any data in the page so that no text in it is read as HTML or as a pattern', () => {
  assert(
    property(jsonValue({ stringUnit: codePoint }), (value) => {
      const data = { hostile: `</script><!--<script>\u2028\u2029$&$'${JSON.stringify(value)}`, value }
      const inline = toInlineJson(data)
      expect(inline).not.toMatch(/[<>&\u2028\u2029]/)
      expect(JSON.parse(inline)).toEqual(JSON.parse(JSON.stringify(data)))
      const html = htmlReport(page, data as unknown as ReportData)
      expect(html.replace(inline, '')).toBe(page)
    }),
    { seed: 1 },
  )
})

it('refuses a page without a place for the data, or with two', () => {
  const data = collectionOf().toData('a test')
  expect(() => htmlReport('<!doctype html>', data)).toThrow('its page has no place for data')
  expect(() => htmlReport(page + page, data)).toThrow('its page has no place for data')
})

it('leaves out requests of a long run, but neither the evidence nor the latest, and says how many', async () => {
  const run = await collectRun()
  const { entries } = run.trace!
  const late = entries[1]!
  const many = Array.from({ length: maxEntries }, (_, index) => ({ ...late, number: index + 3 }))
  const { trace } = toReportedRun({ ...run, trace: { ...run.trace!, entries: [...entries, ...many] } })

  expect(trace!.omitted).toEqual({ entries: 2, tasks: 0 })
  expect(trace!.entries.map(({ number }) => number).slice(0, 2)).toEqual([2, 4])
  expect(trace!.entries.at(-1)!.number).toBe(maxEntries + 2)
})

it('has the headers and bodies of the evidence first, and of others as far as there is room', async () => {
  const run = await collectRun()
  const message = { line: '', headers: [], body: 'x'.repeat(16_000), truncated: false }
  const entries = Array.from({ length: 200 }, (_, index) => ({
    ...run.trace!.entries[1]!,
    number: index + 1,
  }))
  const readExchange: NonNullable<CollectedRun['trace']>['readExchange'] = (number) =>
    number === 199 ? undefined : { request: message, reply: null }
  const { trace } = toReportedRun({ ...run, trace: { ...run.trace!, entries, readExchange } })
  const numbers = trace!.exchanges.map(({ number }) => number)

  expect(numbers.slice(0, 3)).toEqual([2, 200, 198])
  expect(numbers.length).toBe(124)
})

it('cuts long prompts, and says by how much', async () => {
  const { trace } = toReportedRun(await collectRun('kite '.repeat(1_500)))

  expect(trace!.tasks[0]!.request['prompt']).toMatch(/kite  … \(\d+ more characters\)$/)
})

it('drops the traces of passed runs first when the file would become too large', async () => {
  const failed = await collectRun()
  const passed = { ...failed, verdict: { ...failed.verdict, passed: true } }
  const entries = Array.from({ length: maxEntries }, (_, index) => ({
    ...failed.trace!.entries[1]!,
    number: index + 1,
    path: 'x'.repeat(1_500),
  }))
  const large = <Run extends CollectedRun>(run: Run): Run => ({ ...run, trace: { ...run.trace!, entries } })
  const { runs } = collectionOf(large(passed), large(failed), large(failed)).toData('a test')

  expect(runs.map(({ trace }) => trace !== null)).toEqual([false, true, false])
  expect(runs.map(({ evidence }) => evidence.length)).toEqual([1, 1, 1])
})

it('counts passed runs of a long series instead of listing them', async () => {
  const failed = await collectRun()
  const passed = { verdict: { ...failed.verdict, passed: true } }
  const data = collectionOf(...Array.from({ length: 250 }, () => passed), failed).toData('a test')

  expect([data.runs.length, data.omittedRuns]).toEqual([201, 50])
  expect(data.runs.at(-1)!.verdict.passed).toBe(false)
})

it('judges entries by the invariants alone: a strict verdict also fails for what was not exercised', () => {
  const story = new Story()
  story.add(submit())
  story.add(content({ atMs: 1_000, status: 409, final: false }))
  story.add(poll('SUCCESS', { atMs: 40_000, fault: 'garbage', approximated: true }))
  const [lenient, strict] = [false, true].map((strict) => judgeEntries(story.entries, { strict }))
  const failuresOf = ({ results }: Verdict): string[] =>
    results.filter(({ fails }) => fails).map(({ path }) => path)

  expect(lenient!.results.map(({ path }) => path)).toEqual(
    lenient!.invariants.map(({ name }) => `always.${name}`),
  )
  expect(failuresOf(lenient!)).toEqual(['always.no-early-download'])
  expect(lenient!.results.find(({ fails }) => fails)).toMatchObject({ requests: [2] })
  expect(lenient!.statistics).toMatchObject({ tasks: { submitted: 1, followedToEnd: 1 } })
  expect(failuresOf(strict!)[0]).toBe('run')
  expect(failuresOf(strict!)).toContain('always.reads-stream-to-end')
  expect(strict!.results.find(({ path }) => path === 'always.reads-stream-to-end')!.hint).toContain(
    'allow: { notExercised: true }',
  )
})
