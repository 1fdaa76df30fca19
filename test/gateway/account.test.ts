import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { planTask } from '../../src/engine/tasks/plan-task.ts'
import { TaskStore } from '../../src/engine/tasks/tasks.ts'
import { Account } from '../../src/gateway/accounts/account.ts'
import { Billing } from '../../src/gateway/accounts/billing.ts'
import { defaultPrice, quotaPerDollar } from '../../src/gateway/accounts/prices.ts'
import { videoLifecycle } from '../support/lifecycles.ts'

it('has no balance for anything at 0, not even for what costs nothing', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const shortage = (balance: number, quota: number): string | undefined =>
    new Account('sk-test', balance, tasks).shortage(quota, 0)?.code
  expect(shortage(0, 0)).toBe('insufficient_user_quota')
  const unit = 1 / quotaPerDollar
  expect(shortage(unit, 0)).toBe(undefined)
  expect(shortage(unit, 1)).toBe(undefined)
  expect(shortage(unit, 2)).toBe('insufficient_user_quota')
})

interface Submitted {
  at: number
  dollars: number
  lastsMs: number
  fails: boolean
}

/** Submits tasks to an account, asking it at the given instants on the way; says what is left at the end. */
function balanceAt(end: number, submitted: readonly Submitted[], reads: readonly number[]): number | null {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', 1_000, tasks)
  const steps = [
    ...submitted.map((each, index) => ({ ...each, index })),
    ...reads.map((at) => ({ at, index: -1, dollars: 0, lastsMs: 0, fails: false })),
  ].toSorted((one, other) => one.at - other.at)
  for (const { at, index, dollars, lastsMs, fails } of steps) {
    if (at > end) break
    if (index < 0) {
      account.usage(at)
      continue
    }
    const plan = {
      steps: [
        { state: 'queued', lastsMs: 0 },
        { state: 'IN_PROGRESS', lastsMs },
        { state: fails ? 'FAILURE' : 'SUCCESS', lastsMs: null },
      ],
    }
    const task = tasks.submit({
      id: `task_${index}`,
      row: 1,
      namespace: 'default',
      operation: 'video.submit',
      lifecycle: videoLifecycle.name,
      identity: '',
      occurrence: 0,
      submittedAt: at,
      plan,
      request: {},
    })
    account.charge({ quota: dollars * quotaPerDollar, task }, at)
  }
  return account.usage(end).balance
}

const instant = fc.integer({ min: 0, max: 1_000 })
const submission = fc.record({
  at: instant,
  dollars: fc.integer({ min: 0, max: 5 }),
  lastsMs: instant,
  fails: fc.boolean(),
})

it('is a function of tasks and time: reading it in between changes nothing', () => {
  fc.assert(
    fc.property(fc.array(submission), fc.array(instant), instant, (submitted, reads, end) => {
      const charged = submitted.filter(
        ({ at, lastsMs, fails }) => at <= end && !(fails && at + lastsMs <= end),
      )
      const spent = charged.reduce((sum, { dollars }) => sum + dollars, 0)
      expect(balanceAt(end, submitted, [])).toBe(1_000 - spent)
      expect(balanceAt(end, submitted, reads)).toBe(1_000 - spent)
    }),
  )
})

it('notes that the end of a task has changed that it holds money for', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const changed: (string | undefined)[] = []
  const account = new Account('sk-test', 10, tasks, (task) => changed.push(task))
  const task = tasks.submit({
    id: 'task_1',
    row: 1,
    namespace: 'default',
    operation: 'video.submit',
    lifecycle: videoLifecycle.name,
    identity: '',
    occurrence: 0,
    submittedAt: 0,
    plan: planTask(videoLifecycle, { queued: '1s', render: '9s' }, () => 0.5),
    request: {},
  })
  account.charge({ quota: quotaPerDollar, task }, 0)
  changed.length = 0
  account.usage(1_000)
  expect(changed).toEqual([])
  tasks.endAt(task, { at: 2_000, ends: 20_000, state: 'SUCCESS' })
  expect(account.usage(10_000)).toMatchObject({ reserved: 1, spent: 0 })
  expect(changed).toEqual(['task_1'])
  expect(account.usage(20_000)).toMatchObject({ reserved: 0, spent: 1 })
})

it('lets a key without a balance spend any sum', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', undefined, tasks)
  expect(account.shortage(1e9, 0)).toBeUndefined()
  expect(account.usage(0)).toMatchObject({ balance: null, spent: 0 })
})

it('prices by the first pattern that fits, and rounds units up', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const prices = [{ models: 'cheap-*', input: 0.001 }, { models: 'mj_*', perTask: 0.05 }, defaultPrice]
  const billing = new Billing({ prices, discount: 0.7, tasks })
  expect(billing.quotaFor('cheap-1', { tokens: { input: 1, output: 5 } })).toBe(1)
  expect(billing.quotaFor('video-1', { task: true, seconds: 5 })).toBe(0.7 * 5 * 40_000)
  expect(billing.quotaFor('mj_imagine', { task: true })).toBe(0.7 * 25_000)
  expect(billing.quotaFor('any', { tokens: { input: 1_000_000, output: 1_000_000 } })).toBe(0.7 * 1_250_000)
})
