import { expect, it } from 'vitest'
import { orderForBudget } from '../../../src/judge/runs/budget-order.ts'
import { injections } from '../../../src/judge/runs/injections.ts'
import { listSingles, type Schedule } from '../../../src/judge/runs/schedules.ts'
import { content, poll, Story, submit } from '../entries.ts'

const story = new Story()
for (const made of [
  submit(),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ sendsFile: true }),
])
  story.add(made)
const run = { exchanges: story.entries, operations: story.operations }
const variants = [{ id: 'other words', operation: 'video.poll', advice: '' }]
const all = listSingles(run, () => true, injections, variants)
const namesOf = (schedules: readonly Schedule[]): string[] => schedules.map(({ name }) => name)

it('spends a budget on what finds most: a lost answer, silence, refusals, a cut download, a date', () => {
  expect(namesOf(orderForBudget(all)).slice(0, 8)).toEqual([
    'no answer @ video.submit',
    'hang @ video.poll queued',
    '503 @ video.poll queued',
    '429 seconds @ video.submit',
    'truncate @ video.content',
    '429 date @ video.submit',
    'no media @ video.content',
    'fails @ video.submit',
  ])
})

it('tries each schedule once, and other requests before other faults', () => {
  const order = namesOf(orderForBudget(all))
  expect(order.toSorted()).toEqual(namesOf(all).toSorted())
  expect(order.indexOf('hang @ video.content')).toBeLessThan(order.indexOf('other words'))
})

it('comes to the same order from any order', () => {
  const useful = (schedules: readonly Schedule[]): string[] => namesOf(orderForBudget(schedules)).slice(0, 5)
  const [gateway, ...rest] = all
  expect(useful([...rest, gateway!])).toEqual(useful(all))
})
