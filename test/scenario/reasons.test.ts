import { expect, it } from 'vitest'
import { shippedOperations } from '../../src/apis/index.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { Matchable } from '../../src/scenario/rules/rule.ts'
import { Rules } from '../../src/scenario/rules/rules.ts'
import type { Rule, RuleMatch } from '../../src/scenario/vocabulary/types.ts'

const request: Matchable = {
  operationName: 'video.poll',
  role: 'poll',
  namespaceName: 'default',
  subject: 'task_1',
  attempt: 0,
  keyName: 'sk-test',
  accountName: 'sk-test',
  now: 0,
  elapsedMs: 0,
  model: 'sim-video-1',
  prompt: 'a red kite',
  state: 'IN_PROGRESS',
  task: { nth: 2, model: 'sim-video-1', prompt: 'a red kite' },
  body: { image: 'a.png', size: { width: 2 } },
  header: (name) => (name === 'content-type' ? 'multipart/form-data; boundary=b' : ''),
  query: 'page=1&page=2',
}

const reasonsOf = (rules: Rules, times: number): string[] =>
  Array.from({ length: times }, () => rules.decide(request).reasons()[0]!.why)

it.each<[Partial<RuleMatch>, string]>([
  [{ op: 'video.submit' }, 'another operation'],
  [{ op: 'video.*', role: 'submit' }, 'its operation has another role'],
  [{ model: 'sim-video-2' }, 'another model'],
  [{ prompt: 'a blue *' }, 'another prompt'],
  [{ task: { nth: 1 } }, 'it is about task 2, not 1'],
  [{ task: { nth: [1, 3] } }, 'it is about task 2, not 1 or 3'],
  [{ task: { prompt: 'a blue *' } }, 'its task has another prompt'],
  [{ task: { model: 'sim-video-2' } }, 'its task has another model'],
  [{ key: 'sk-other' }, 'another key'],
  [{ namespace: 'other' }, 'another namespace'],
  [{ state: 'queued' }, 'the task is in another state'],
  [{ body: { 'size.width': 3 } }, 'size.width of the body is another'],
  [{ form: { image: 'b.png' } }, 'image of the form is another'],
  [{ form: { constructor: { exists: true } } }, 'constructor of the form is another'],
  [{ headers: { 'x-region': 'eu' } }, 'the header x-region is another'],
  [{ query: { page: '1', alt: 'sse' } }, 'alt of the query is another'],
])('says why %j is not matched: %s', (match, why) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll', ...match }, delay: '1s' },
  ])
  expect(reasonsOf(rules, 1)).toEqual([why])
})

it.each([
  'multipart/form-data',
  'Multipart/Form-Data ; boundary=b',
  'application/x-www-form-urlencoded; charset=utf-8',
])('takes %s for the type of a form', (type) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll', form: { image: 'a.png' } }, delay: '1s' },
  ])
  expect(rules.decide({ ...request, header: () => type }).reasons()[0]!.why).toBe(
    'request 1 of the namespace',
  )
})

it.each(['', 'application/json', 'multipart/form-data-2', 'x-multipart/form-data'])(
  'takes %j for the type of no form',
  (type) => {
    const rules = new Rules(keyedDraws(1), shippedOperations, [
      { match: { op: 'video.poll', form: { image: 'a.png' } }, delay: '1s' },
    ])
    expect(rules.decide({ ...request, header: () => type }).reasons()[0]!.why).toBe('it is no form')
  },
)

it('says that a request is about no task, or is no form', () => {
  const whyOf = (match: Partial<RuleMatch>): string | undefined => {
    const { task: _, ...without } = request
    const rules = new Rules(keyedDraws(1), shippedOperations, [
      { match: { op: 'video.poll', ...match }, delay: '1s' },
    ])
    return rules.decide({ ...without, header: () => 'application/json' }).reasons()[0]?.why
  }
  expect(whyOf({ task: { nth: 1 } })).toBe('it is about no task')
  expect(whyOf({ form: { image: 'a.png' } })).toBe('it is no form')
})

it.each<[Partial<Rule>, string[]]>([
  [{ on: 2 }, ['request 1 of the namespace, wanted 2', 'request 2 of the namespace']],
  [{ on: [2, 3] }, ['request 1 of the namespace, wanted 2 or 3', 'request 2 of the namespace']],
  [{ from: 2 }, ['request 1 of the namespace, wanted 2 or later', 'request 2 of the namespace']],
  [
    { every: 4 },
    ['request 1 of the namespace, wanted every 4th', 'request 2 of the namespace, wanted every 4th'],
  ],
  [
    { times: 2 },
    [
      'request 1 of the namespace',
      'request 2 of the namespace',
      'request 3 of the namespace, fired 2 times already',
    ],
  ],
  [{ per: 'key' }, ['request 1 of this key', 'request 2 of this key']],
  [{ per: 'task' }, ['request 1 of this task', 'request 2 of this task']],
])('says of which request a rule with %j fires', (rule, whys) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll' }, delay: '1s', ...rule },
  ])
  expect(reasonsOf(rules, whys.length)).toEqual(whys)
})

it.each<[NonNullable<Rule['when']>, number, string]>([
  [{ clock: '30s..55s' }, 29_999, 'its time has not come yet'],
  [{ clock: '30s..55s' }, 30_000, 'request 1 of the namespace'],
  [{ clock: '30s..55s' }, 54_999, 'request 1 of the namespace'],
  [{ clock: '30s..55s' }, 55_000, 'its time is over'],
  [{ clock: '1m..' }, 60_000, 'request 1 of the namespace'],
  [{ vars: { mode: null, refusals: { max: 0 } } }, 0, 'request 1 of the namespace'],
  [{ vars: { mode: null, refusals: { min: 1 } } }, 0, 'the variable refusals is another'],
  [{ vars: { mode: 'degraded' } }, 0, 'the variable mode is another'],
])('says whether a rule applies when %j after %i ms: %s', (when, elapsedMs, why) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll' }, delay: '1s', when },
  ])
  expect(rules.decide({ ...request, elapsedMs }).reasons()).toMatchObject([{ why }])
})

it('says of attempts which are to go well', () => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll' }, attempts: [503, 'ok'] },
  ])
  expect(reasonsOf(rules, 3).map((why) => why.replace(/^request \d of [^,]+/, '…'))).toEqual([
    '…',
    '…, which is to go well',
    '…, which is to go well',
  ])
})
