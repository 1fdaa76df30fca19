import { expect, it } from 'vitest'
import {
  explorationGithub,
  explorationJson,
  explorationJunit,
  explorationMarkdown,
  explorationText,
  explore,
  toFindingScenario,
  type ReportedExploration,
} from '../../../src/judge/explore/index.ts'
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
    file: undefined,
    yaml: JSON.stringify(toFindingScenario(finding, exploration)),
    reproduce: 'greenroom run finding.yaml',
  }))
  return { ...exploration, title: 'node client.js', findings }
}

it('reports an exploration for people, CI systems, pages and programs', async () => {
  const exploration = await reported()
  const keys = exploration.findings.map(({ key }) => key)
  expect(keys).toContain('gave up | not-retried | chat.complete | server error')
  const text = explorationText(exploration)
  expect(
    Math.max(
      ...text
        .split('\n')
        .slice(1)
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(100)
  expect(text).toMatch(/^503 +✗$/m)
  const junit = explorationJunit([exploration])
  expect(parseXml(junit.replace(/(<failure[^>]*>)[^<]*/g, '$1')).name).toBe('testsuites')
  expect(junit.match(/<testcase /g)).toHaveLength(exploration.cells.length)
  expect(junit).toContain('<skipped')
  const { explorations } = JSON.parse(explorationJson([exploration])) as {
    explorations: { findings: { key: string; accepted: boolean }[]; score: number }[]
  }
  const { findings, score } = explorations[0]!
  expect(findings.map(({ accepted }) => accepted)).toEqual(keys.map((_, index) => index > 0))
  expect(score).toBe(exploration.score)
  expect(explorationMarkdown([exploration])).toContain('| 503 | ✗ |')
  const annotations = explorationGithub([exploration], (file) => file)
  expect(annotations.match(/^::error title=.+$/gm)).toHaveLength(1)
  expect(annotations.match(/^::notice /gm)).toHaveLength(keys.length - 1)
}, 30_000)
