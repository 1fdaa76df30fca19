import type { Role } from '../../src/engine/operations/facts.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shippedOperations } from '../../src/apis/index.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { Matchable } from '../../src/scenario/rules/rule.ts'
import type { Rule } from '../../src/scenario/vocabulary/types.ts'
import { Rules } from '../../src/scenario/rules/rules.ts'

const poll = (subject = 'task-1', attempt = 0): Matchable => ({
  operationName: 'video.poll',
  role: 'poll',
  namespaceName: 'default',
  subject,
  attempt,
  keyName: 'sk-test',
  accountName: 'sk-test',
  now: 0,
  elapsedMs: 0,
  body: {},
  header: () => '',
  query: '',
})

const rulesOf = (...rules: Rule[]): Rules => new Rules(keyedDraws(1), shippedOperations, rules)

it('applies the first rule that matches', () => {
  const rules = rulesOf(
    { id: 'first', match: { op: 'video.poll' }, times: 1, delay: '1s' },
    { id: 'second', match: { op: 'video.*' }, delay: '2s' },
  )
  expect([rules.decide(poll()), rules.decide(poll())]).toMatchObject([
    { rules: ['first'], delayMs: 1_000, task: {} },
    { rules: ['second'], delayMs: 2_000, task: {} },
  ])
})

it('fires every third time, starting with the third', () => {
  const rules = rulesOf({ id: 'third', match: { op: 'video.poll' }, every: 3 })
  const fired = Array.from({ length: 10 }, (_, index) =>
    rules.decide(poll()).rules.length > 0 ? index + 1 : 0,
  )
  expect(fired.filter((ordinal) => ordinal > 0)).toEqual([3, 6, 9])
})

it('counts every request that a rule matches, whether or not another rule fired', () => {
  const rules = rulesOf(
    { id: 'first-two', match: { op: 'video.poll' }, times: 2 },
    { id: 'third', match: { op: 'video.poll' }, on: 3 },
  )
  const fired = [poll(), poll(), poll(), poll()].flatMap((request) => rules.decide(request).rules)
  expect(fired).toEqual(['first-two', 'first-two', 'third'])
  expect(rules.counts()).toMatchObject([
    { id: 'first-two', eligible: 4, fired: 2 },
    { id: 'third', eligible: 4, fired: 1 },
  ])
})

it('fires on one request and all later ones, of each task with per: task', () => {
  const looks = ['a', 'b', 'a', 'b', 'a']
  const fired = (rule: Partial<Rule>): number[] => {
    const rules = rulesOf({ match: { op: 'video.poll' }, from: 3, ...rule })
    return looks.map((task) => rules.decide(poll(task)).rules.length)
  }
  expect(fired({})).toEqual([0, 0, 1, 1, 1])
  expect(fired({ per: 'task' })).toEqual([0, 0, 0, 0, 1])
  expect(fired({ times: 2 })).toEqual([0, 0, 1, 1, 0])
})

it('says from which request on a rule fires', () => {
  const { reasons } = rulesOf({ match: { op: 'video.poll' }, from: 3 }).decide(poll())
  expect(reasons()).toMatchObject([{ fired: false, why: 'request 1 of the namespace, wanted 3 or later' }])
})

it('counts separately for each task with per: task', () => {
  const rules = rulesOf({ id: 'second-look', match: { op: 'video.poll' }, on: 2, per: 'task' })
  const looks = ['a', 'b', 'a', 'b', 'a'].map((task) => rules.decide(poll(task)).rules.length)
  expect(looks).toEqual([0, 0, 1, 1, 0])
})

it('counts separately for each namespace', () => {
  const rules = rulesOf({ id: 'once', match: { op: '*' }, times: 1 })
  const decide = (namespace: string): number =>
    rules.decide({ ...poll(), namespaceName: namespace }).rules.length
  expect([decide('alice'), decide('alice'), decide('bob')]).toEqual([1, 0, 1])
})

it('matches model and prompt by pattern', () => {
  const rules = rulesOf({ id: 'hd', match: { op: 'video.submit', model: 'video-hd-*', prompt: '*boat*' } })
  const submit = (model: string, prompt: string): number =>
    rules.decide({ ...poll(), operationName: 'video.submit', model, prompt }).rules.length
  expect([
    submit('video-hd-1', 'a boat'),
    submit('video-1', 'a boat'),
    submit('video-hd-1', 'a kite'),
  ]).toEqual([1, 0, 0])
})

it('draws chance independently of the order of requests', () => {
  const subjects = Array.from({ length: 40 }, (_, index) => `task-${index}`)
  const victims = (order: readonly string[]): string[] => {
    const rules = rulesOf({ id: 'unlucky', match: { op: 'video.poll' }, chance: 0.25 })
    return order.filter((subject) => rules.decide(poll(subject)).rules.length > 0).toSorted()
  }
  const expected = victims(subjects)
  expect(expected.length).toBeGreaterThan(3)
  expect(expected.length).toBeLessThan(20)
  fc.assert(
    fc.property(fc.shuffledSubarray(subjects, { minLength: subjects.length }), (order) => {
      expect(victims(order)).toEqual(expected)
    }),
    { numRuns: 25 },
  )
})

it.each([
  [
    { match: { op: 'video.sumbit' } },
    'match.op is "video.sumbit": unknown operation. Did you mean "video.submit"?',
  ],
  [{ match: { op: 'video.*' }, delay: '5 sec' }, '"5 sec" is not a duration'],
  [{ match: { op: 'video.*' }, task: { render: 'soon' } }, '"soon" is not a duration'],
])('refuses the rule %j before the first request', (rule, message) => {
  expect(() => rulesOf(rule as Rule)).toThrow(message)
})

it('says which random draw made a rule fire, or not', () => {
  const rules = rulesOf({ match: { op: 'video.poll' }, chance: '50%', fault: 'reset' })
  const whys = Array.from({ length: 20 }, (_, attempt) => {
    const [reason] = rules.decide(poll('task-1', attempt)).reasons()
    return [reason!.fired, reason!.why] as const
  })
  expect(new Set(whys.map(([fired]) => fired)).size).toBe(2)
  for (const [fired, why] of whys)
    expect(why).toMatch(
      fired ? /, the random draw 0\.[0-4]\d+ is below 0\.5$/ : /draw 0\.[5-9]\d+ is not below 0\.5$/,
    )
})

it('refuses two rules with the same id, since ids seed the random draws', () => {
  const rule = { id: 'same', match: { op: '*' } }
  expect(() => rulesOf(rule, rule)).toThrow('Failed to add rule "same": there is one of this id.')
})

it('replaces rules, and preserves the counts of unchanged ones', () => {
  const once: Rule = { id: 'once', match: { op: 'video.poll' }, times: 1 }
  const rules = rulesOf(once, { id: 'old', match: { op: '*' } })
  expect(rules.decide(poll()).rules).toEqual(['once'])
  rules.replace([once, { id: 'new', match: { op: '*' } }])
  expect(rules.decide(poll()).rules).toEqual(['new'])
  expect(() => rules.replace([{ match: { op: 'nothing' } }])).toThrow('unknown operation')
  expect(rules.counts().map(({ id }) => id)).toEqual(['once', 'new'])
})

it.each(['add', 'next'] as const)('keeps the old rules where a new one has the id of one of %s', (how) => {
  const rules = rulesOf({ id: 'old', match: { op: '*' } })
  rules[how]({ id: 'mine', match: { op: '*' }, delay: '1s' })
  expect(() => rules.replace([{ id: 'mine', match: { op: 'video.poll' } }])).toThrow(
    'Failed to add rule "mine": there is one of this id, added at run time. Ids key the random draws; give it another, or',
  )
  expect(rules.list().map(({ id, layer }) => [id, layer])).toContainEqual(['old', 'file'])
  rules.remove('mine')
  rules.replace([{ id: 'mine', match: { op: 'video.poll' } }])
  expect(rules.list().map(({ id, layer }) => [id, layer])).toEqual([['mine', 'file']])
})

it.each([
  ['a file that is read again', (rules: Rules, rule: Rule) => rules.replace([rule])],
  ['one that is added', (rules: Rules, rule: Rule) => void rules.add(rule)],
  ['one for a next request', (rules: Rules, rule: Rule) => void rules.next(rule)],
])('frees the id of a spent next rule for %s', (_, give) => {
  const rules = rulesOf()
  const rule = { id: 'mine', match: { op: 'video.poll' }, delay: '1s' }
  rules.next({ ...rule, times: 2 })
  rules.decide(poll())
  expect(() => give(rules, rule)).toThrow('there is one of this id')
  rules.decide(poll())
  give(rules, rule)
  expect(rules.list().map(({ id, fired }) => [id, fired])).toEqual([['mine', 0]])
  expect(rules.decide(poll()).rules).toEqual(['mine'])
})

it('applies a rule of one namespace to no other', () => {
  const rules = rulesOf({ id: 'all', match: { op: 'video.poll' }, delay: '1s' })
  const inNamespace = (namespace: string): Matchable => ({ ...poll(), namespaceName: namespace })
  expect(rules.add({ id: 'own', match: { op: 'video.poll' }, delay: '2s' }, 'a')).toBe('own')
  expect(rules.add({ id: 'own', match: { op: 'video.poll' }, delay: '3s' }, 'b')).toBe('own')
  expect(['a', 'b', 'c'].map((name) => rules.decide(inNamespace(name)).delayMs)).toEqual([
    2_000, 3_000, 1_000,
  ])
  expect(rules.counts('a')).toMatchObject([
    { id: 'own', fired: 1 },
    { id: 'all', eligible: 1, fired: 0 },
  ])
  expect(rules.counts('c')).toMatchObject([{ id: 'all', fired: 1 }])
  expect(rules.counts().map(({ id, eligible }) => [id, eligible])).toEqual([
    ['own', 1],
    ['own', 1],
    ['all', 3],
  ])
  expect(() => rules.add({ id: 'all', match: { op: 'video.poll' } }, 'a')).toThrow('there is one of this id')
  expect([rules.remove('all', 'a'), rules.remove('own', 'a'), rules.remove('own', 'a')]).toEqual([
    false,
    true,
    false,
  ])
  rules.removeOf('b')
  expect(rules.list().map(({ id }) => id)).toEqual(['all'])
})

it('numbers the rules of each namespace separately, since ids seed the random draws', () => {
  const rules = rulesOf()
  const rule: Rule = { match: { op: 'video.poll' }, chance: 0.5, delay: '1s' }
  expect([rules.add(rule, 'a'), rules.add(rule, 'b'), rules.add(rule, 'b'), rules.next(rule, 'a')]).toEqual([
    'added-1',
    'added-1',
    'added-2',
    'next-2',
  ])
  expect(rules.add(rule)).toBe('added-3')
  expect(rules.add(rule, 'c')).toBe('added-1')
})

it('matches by role, whatever the API, and by name and role together', () => {
  const rules = rulesOf(
    { id: 'polls', match: { role: 'poll' }, delay: '1s', continue: true },
    { id: 'ends', match: { role: ['download', 'cancel'] }, delay: '1s', continue: true },
    { id: 'polls of videos', match: { op: 'video.*', role: 'poll' }, delay: '1s', continue: true },
  )
  const decide = (operationName: string, role: Role): readonly string[] =>
    rules.decide({ ...poll(), operationName, role }).rules
  expect(decide('mj.fetch', 'poll')).toEqual(['polls'])
  expect(decide('video.poll', 'poll')).toEqual(['polls', 'polls of videos'])
  expect(decide('video.submit', 'submit')).toEqual([])
  expect(decide('mj.image', 'download')).toEqual(['ends'])
})

it.each([
  [{ delay: '1s', match: {} }, 'it selects no operation. Write op or role'],
  [{ delay: '1s', match: { role: 'pol' } }, 'Did you mean "poll"?'],
  [{ delay: '1s', match: { op: 'chat.*', role: 'poll' } }, 'no operation of chat.* has the role poll'],
])('refuses %j', (rule, problem) => {
  expect(() => rulesOf(rule as Rule)).toThrow(problem)
})
