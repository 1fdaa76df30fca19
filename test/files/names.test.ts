import { expect, it } from 'vitest'
import { placeOfResult } from '../../src/files/names.ts'
import { parseScenario } from '../../src/files/parse.ts'

/** What is wrong with a scenario, with the position of each mistake. */
const mistakesIn = async (lines: string): Promise<string[]> => {
  const error: unknown = await parseScenario(`version: 1\n${lines}`, 'it.yaml').catch(
    (reason: unknown) => reason,
  )
  return (error as Error).message.split('\n')
}

it('reports an id that a rule and a throttle share', async () => {
  const lines =
    'rules: [{ id: a, match: { op: "*" }, times: 1, delay: 1s }]\nthrottles: [{ id: a, match: { op: "*" }, concurrent: 1 }]\n'
  expect(await mistakesIn(lines)).toEqual([
    'it.yaml:3:19: throttles.0.id: is "a", which is the id of rules.0. Ids select random draws, and name rules in reports: choose another.',
  ])
})

it('reports an id that is the position of another rule', async () => {
  const lines =
    'rules:\n  - { match: { op: video.poll }, on: 1, delay: 1s }\n  - { id: rule-1, match: { op: video.poll }, on: 2, delay: 1s }\n'
  expect(await mistakesIn(lines)).toEqual([
    expect.stringContaining('it.yaml:4:11: rules.1.id: is "rule-1", which is the id of rules.0.'),
  ])
})

it('reports each unknown rule of an expectation, by its key or its value', async () => {
  const lines = `rules: [{ id: flaky, match: { op: video.poll }, delay: 1s }]
throttles: [{ match: { op: video.submit }, concurrent: 1 }]
expect:
  rules: { flakey: { fired: 1 }, flaky: { fired: 1 }, throttle-1: { fired: 1 } }
  requests: [{ op: video.poll, rule: other }, { op: video.poll }]
  sometimes: [{ request: { op: video.poll } }, { rule: flak }]
`
  expect(await mistakesIn(lines)).toEqual([
    'it.yaml:5:12: expect.rules.flakey: "flakey" is neither a rule nor a throttle. Did you mean "flaky"? There is flaky, throttle-1.',
    'it.yaml:6:38: expect.requests.0.rule: "other" is neither a rule nor a throttle. There is flaky, throttle-1.',
    'it.yaml:7:56: expect.sometimes.1.rule: "flak" is neither a rule nor a throttle. Did you mean "flaky"? There is flaky, throttle-1.',
  ])
})

it('says that there are no rules if an expectation names one', async () => {
  expect(await mistakesIn('expect: { sometimes: [{ rule: flaky }] }\n')).toEqual([
    'it.yaml:2:31: expect.sometimes.0.rule: "flaky" is neither a rule nor a throttle. There is none.',
  ])
})

const match = { op: 'video.poll' }
const scenario = {
  rules: [{ match }, { id: 'flaky', match }],
  throttles: [{ match, concurrent: 1 }],
  expect: { rules: { flaky: { fired: 1 } } },
}

it.each([
  [
    ['tasks', 0],
    ['expect', 'tasks', 0],
  ],
  [
    ['rules', 'flaky'],
    ['expect', 'rules', 'flaky'],
  ],
  [
    ['rules', 'rule-1'],
    ['rules', 0],
  ],
  [
    ['rules', 'throttle-1'],
    ['throttles', 0],
  ],
  [
    ['rules', 'unknown'],
    ['expect', 'rules', 'unknown'],
  ],
  [['within'], ['expect', 'within']],
])('finds the place in a scenario of the result %j', (path, place) => {
  expect(placeOfResult(scenario, path)).toEqual(place)
})
