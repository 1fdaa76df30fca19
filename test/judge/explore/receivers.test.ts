import { expect, it } from 'vitest'
import { defineApi, standardWebhooks, submit, z } from '../../../src/apis/own/index.ts'
import { createSelection, explore } from '../../../src/judge/explore/index.ts'
import { acme, create } from '../../apis/own/acme.ts'
import { inProcess } from './in-process.ts'
import { careful, runReceiver, secret, type Habits } from './planted/receiver.ts'

const body = z.object({ text: z.string(), hook: z.string() })
const api = defineApi({
  ...acme,
  operations: { ...acme.operations, create: submit({ ...create, body } as never) },
  webhook: {
    to: (call) => call.body['hook'],
    on: ['work', 'success', 'failure'],
    body: ({ id, status }) => ({ id, status }),
    sign: standardWebhooks(secret),
    retries: ['5s', '1m'],
  },
})

/** Explores a receiver with all that can happen to callbacks. */
async function exploreReceiver(habits: Partial<Habits>) {
  const { findings, score, cells } = await explore(
    inProcess((gateway) => runReceiver(gateway, { ...careful, ...habits })),
    {
      scenario: { version: 1, config: { apis: [api] } },
      isSelected: createSelection(['acme.webhook', 'early'], []),
    },
  )
  return {
    found: findings.map(({ habit }) => habit),
    score,
    tried: cells.map(({ schedule }) => schedule.name),
  }
}

it.each<[string, Partial<Habits>]>([
  ['remembers the jobs that have ended', {}],
  ['remembers the ids of messages', { knows: 'message' }],
  ['answers first, and works after that', { worksLater: true }],
  ['takes callbacks for hints, and asks the gateway', { verifies: false, asks: 'always' }],
])('finds nothing in a receiver that %s', async (_, habits) => {
  const { found, score, tried } = await exploreReceiver(habits)
  expect(found).toEqual([])
  expect(score).toBe(100)
  for (const fault of ['lost', 'twice', 'late', 'forged', 'stale'])
    expect(tried).toContain(`${fault} @ acme.webhook done`)
  expect(tried).toContain('early @ acme.create')
})

it.each<[string, Partial<Habits>, string]>([
  ['checks no signature', { verifies: false }, 'believes-forged-callbacks'],
  ['handles a callback as often as it comes', { knows: 'nothing' }, 'handles-callbacks-twice'],
  ['takes the last callback for the latest state', { keepsEnds: false }, 'depends-on-order'],
  ['relies on callbacks alone', { asks: 'never' }, 'relies-on-callbacks'],
  ['crashes at a wrong signature', { crashes: true }, 'crashes'],
])('finds once that a receiver %s', async (_, habits, habit) => {
  expect((await exploreReceiver(habits)).found).toEqual([habit])
})
