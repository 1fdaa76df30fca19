import { expect, it } from 'vitest'
import { createSimulator, explore, type ExploredClient, type Scenario } from '../../src/index.ts'
import { explainNothingAccepted } from '../../src/judge/nothing-accepted.ts'
import { chat, poll, Story, submit, type Made } from './entries.ts'

const refused: Made = { status: 401, authorized: false, hint: 'Invalid token.' }

function explain(exchanges: readonly Made[], expected?: Scenario['expect']): string | undefined {
  const story = new Story()
  for (const made of exchanges) story.add(made)
  return explainNothingAccepted(story.entries, expected)
}

it('explains the first refusal if the gateway refused every request', () => {
  expect(explain([submit(refused), submit({ ...refused, status: 404, hint: null })])).toBe(
    'The gateway refused every request, 2 of 2. The first is #1 POST /video.submit/task_1, with 401. Invalid token.',
  )
})

it.each<[string, readonly Made[]]>([
  ['nothing was sent', []],
  ['one was accepted', [submit(refused), submit()]],
  ['a rule refused one', [submit({ ...refused, rules: ['busy'] })]],
  ['a fault broke one', [submit({ ...refused, fault: 'reset', status: 0 })]],
  ['the account of a known key refused one', [chat({ status: 403, authorized: true })]],
  ['the gateway failed', [submit({ status: 503 })]],
  ['a poll was accepted', [submit(refused), poll('queued')]],
])('is silent if %s', (_name, exchanges) => {
  expect(explain(exchanges)).toBeUndefined()
})

it.each<[NonNullable<Scenario['expect']>]>([
  [{ requests: [{ op: 'video.submit', status: 401 }] }],
  [{ requests: [{ op: 'video.submit', status: ['4xx'] }] }],
  [{ command: 'fails' }],
])('is silent if the scenario expects the refusal: %j', (expected) => {
  expect(explain([submit(refused)], expected)).toBeUndefined()
})

const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
const wrongKey: ExploredClient<number> = async ({ fetch }) => {
  const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json' }
  return (await fetch('http://gateway.example/v1/video/generations', { method: 'POST', headers, body }))
    .status
}

it('fails the verdict of a scenario', async () => {
  await using sim = createSimulator({ scenario: { version: 1, expect: {} } })
  await wrongKey(sim as never)
  const { passed, results } = await sim.verdict()
  expect([passed, results[0]]).toEqual([
    false,
    expect.objectContaining({ path: 'run', expected: 'a request is accepted' }),
  ])
})

it('ends an exploration', async () => {
  await expect(explore(wrongKey)).rejects.toThrow('The gateway refused every request')
})
