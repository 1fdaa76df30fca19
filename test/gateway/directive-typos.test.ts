import { expect, it } from 'vitest'
import { DirectiveAdvice } from '../../src/gateway/directive-advice.ts'
import type { Reply } from '../../src/gateway/replies/reply.ts'

const reply: Reply = { status: 200, headers: { 'X-Own': 'a' }, body: '', delayMs: 0 }
const directives = ['fail', 'stuck', 'queued', 'render']
const known = 'Known are [[fail]], [[stuck]], [[queued]], [[render]].'
const directiveUsage = (word: string, rest: string): string | undefined =>
  word === 'render' && !/\d/.test(rest) ? '[[render 5s]]' : undefined

function adviceFor(prompt: string, support: { directives?: string[] } = { directives }): string | undefined {
  const advice = new DirectiveAdvice(
    () => [...directives, 'cut', 'say'],
    () => {},
  )
  const { headers } = advice.addTo(reply, { operation: 'video.submit', directiveUsage, ...support }, prompt)
  return headers['X-Greenroom-Hint']
}

it.each([
  ['a kite [[fial: x]]', '[[fial: x]]', 'fail'],
  ['[[afil]]', '[[afil]]', 'fail'],
  ['[[fali]]', '[[fali]]', 'fail'],
  ['[[fai1]] [[fails]]', '[[fails]]', 'fail'],
  ['[[fall]]', '[[fall]]', 'fail'],
  ['[[stack]]', '[[stack]]', 'stuck'],
  ['[[stakk]]', '[[stakk]]', 'stuck'],
  ['[[ STUKC ]]', '[[ STUKC ]]', 'stuck'],
  ['[[delay 5s]]', '[[delay 5s]]', 'render'],
  ['[[hang]]', '[[hang]]', 'stuck'],
  ['[[pending]]', '[[pending]]', 'queued'],
  ['[[error 503]]', '[[error 503]]', 'fail'],
  ['[[failure]]', '[[failure]]', 'fail'],
])('corrects %s', (prompt, written, meant) => {
  expect(adviceFor(prompt)).toBe(
    `The directive ${written} has no effect here. Did you mean [[${meant}]]? ${known}`,
  )
})

it.each([
  'a kite',
  '[fail',
  '[[fai]]',
  '[[faux]]',
  '[[soup]]',
  '[[stxyz]]',
  '[[render 5s]]',
  '[[fail]] [[stuck: why]]',
  '[[constructor]]',
  '[[fail5]]',
  '[[2]]',
  '[[kite',
  '[[fial',
])('leaves %s alone', (prompt) => {
  expect(adviceFor(prompt)).toBeUndefined()
})

it('knows the directives of other operations, and words for those that are missing here', () => {
  expect(adviceFor('[[cut 5]]')).toBe(`The directive [[cut 5]] has no effect here. ${known}`)
  expect(adviceFor('[[delay]]', { directives: ['fail'] })).toBe(
    'The directive [[delay]] has no effect here. Known are [[fail]].',
  )
  expect(adviceFor('[[fail]]', {})).toBe('The directive [[fail]] has no effect here. Known are .')
})

it.each([
  ['[[render]]', 'it needs a value. Write [[render 5s]].'],
  ['[[render : ]]', 'it needs a value. Write [[render 5s]].'],
  ['[[render soon]]', "its value can't be read. Write [[render 5s]]."],
  ['[[fail: [x]]]', 'it contains a bracket, or does not end with ]].'],
])('says what is wrong with %s', (prompt, why) => {
  const written = prompt.includes('[x') ? '[[fail: ' : prompt
  expect(adviceFor(prompt)).toBe(`The directive ${written} has no effect: ${why}`)
})

it('quotes at most sixty characters', () => {
  const whole = `[[fial ${'x'.repeat(51)}]]`
  expect(adviceFor(whole)).toContain(`The directive ${whole} has`)
  expect(adviceFor(whole.replace('x', 'xx'))).toContain(`The directive ${whole.slice(0, -2)}x]... has`)
})

it('reads fifty brackets of a prompt', () => {
  expect(adviceFor(`${'[[a]]'.repeat(49)}[[fial]]`)).toContain('Did you mean [[fail]]?')
  expect(adviceFor(`${'[[a]]'.repeat(50)}[[fial]]`)).toBeUndefined()
})

it('warns once of each typo in each operation, and of a thousand at most', () => {
  const warnings: string[] = []
  const advice = new DirectiveAdvice(
    () => directives,
    (message) => warnings.push(message),
  )
  const add = (operation: string, prompt: string): Reply =>
    advice.addTo(reply, { operation, directives }, prompt)
  for (let time = 0; time < 2; time++) for (const each of ['a', 'b']) add(each, '[[fial]]')
  expect(warnings).toEqual(
    ['a', 'b'].map(
      (operation) =>
        `${operation}: The directive [[fial]] has no effect here. Did you mean [[fail]]? ${known}`,
    ),
  )
  for (let count = 0; count < 1_000; count++) add('a', `[[fial ${count}]]`)
  expect(warnings).toHaveLength(1_000)
  expect(add('a', '[[fial: not warned of]]').headers).toMatchObject({
    'X-Own': 'a',
    'X-Greenroom-Hint': expect.stringContaining('[[fial: not warned of]]') as unknown,
  })
})

it('leaves a hint that the response has already', () => {
  const hinted = { ...reply, headers: { 'X-Greenroom-Hint': 'own' } }
  const advice = new DirectiveAdvice(
    () => directives,
    () => {},
  )
  expect(advice.addTo(hinted, { operation: 'a', directives }, '[[fial]]').headers).toEqual(hinted.headers)
  expect(advice.addTo(hinted, { operation: 'a', directives }, '[[fail]]')).toBe(hinted)
})
