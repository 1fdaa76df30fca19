import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventLog } from '../../src/engine/tasks/events.ts'
import { planTask } from '../../src/engine/tasks/plan-task.ts'
import { TaskStore } from '../../src/engine/tasks/tasks.ts'
import { Account } from '../../src/gateway/accounts/account.ts'
import { Billing, maxKeys } from '../../src/gateway/accounts/billing.ts'
import { Callers } from '../../src/gateway/accounts/keys.ts'
import { Changes } from '../../src/engine/tasks/changes.ts'
import { hashApiKey } from '../../src/engine/random/hash.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { Task } from '../../src/engine/tasks/tasks.ts'
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

/** Submits a task that lasts ten seconds, at the instant 0. */
function submit(tasks: TaskStore, id: string, render: '9s' | 'forever' = '9s'): Task {
  return tasks.submit({
    id,
    row: 1,
    namespace: 'default',
    operation: 'video.submit',
    lifecycle: videoLifecycle.name,
    identity: '',
    occurrence: 0,
    submittedAt: 0,
    plan: planTask(videoLifecycle, { queued: '1s', render }, () => 0.5),
    request: {},
  })
}

it('says what a key has left, and what it would have to pay', () => {
  const account = new Account('sk-test', 1, new TaskStore([videoLifecycle], new EventLog()))
  account.charge({ quota: 400_000 }, 0)
  expect(account.shortage(100_000, 0)).toBeUndefined()
  expect(account.shortage(100_001, 0)).toEqual({
    code: 'insufficient_user_quota',
    message: '预扣费额度失败, 用户剩余额度: ＄0.200000, 需要预扣费额度: ＄0.200002',
    left: 100_000,
    quota: 100_001,
  })
  account.charge({ quota: 100_000 }, 0)
  expect(account.shortage(1, 0)).toEqual({
    code: 'insufficient_user_quota',
    message: '用户额度不足, 剩余额度: ＄0.000000',
    left: 0,
    quota: 1,
  })
  account.charge({ quota: 50_000 }, 0)
  expect(account.shortage(0, 0)?.message).toBe('用户额度不足, 剩余额度: ＄-0.100000')
})

it('adds up tasks, seconds, tokens and money, and restores them', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', 10, tasks)
  account.charge({ quota: 250_000, tokens: { input: 3, output: 5 } }, 0)
  account.charge({ quota: 250_000, tokens: { input: 10, output: 20 }, seconds: 2 }, 0)
  account.charge({ quota: 500_000, task: submit(tasks, 'task_1'), seconds: 4 }, 0)
  const usage = { key: 'sk-test', tasks: 1, seconds: 6, tokens: { input: 13, output: 25 } }
  expect(account.usage(0)).toEqual({ ...usage, spent: 1, reserved: 1, balance: 8 })
  expect(account.usage(9_999)).toEqual({ ...usage, spent: 1, reserved: 1, balance: 8 })
  expect(account.usage(10_000)).toEqual({ ...usage, spent: 2, reserved: 0, balance: 8 })
  const restored = new Account('sk-other', undefined, tasks)
  restored.restore(account.past)
  expect(restored.usage(0)).toEqual({ ...usage, key: 'sk-other', spent: 2, reserved: 0, balance: null })
})

it('returns the money of a task that was removed, unless its end was known', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', 10, tasks)
  account.charge({ quota: quotaPerDollar, task: submit(tasks, 'task_1') }, 0)
  account.charge({ quota: quotaPerDollar, task: submit(tasks, 'task_2', 'forever') }, 0)
  expect(account.usage(60_000)).toMatchObject({ spent: 1, reserved: 1, balance: 8 })
  account.charge({ quota: quotaPerDollar, task: submit(tasks, 'task_3') }, 0)
  tasks.clear('default', 5_000)
  expect(account.usage(5_000)).toMatchObject({ spent: 1, reserved: 1, balance: 8 })
  expect(account.usage(10_000)).toMatchObject({ spent: 2, reserved: 0, balance: 8 })
})

it('refunds a task that failed before it refuses another', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', 1, tasks)
  const task = submit(tasks, 'task_1')
  account.charge({ quota: quotaPerDollar, task }, 0)
  expect(account.shortage(1, 5_000)).toMatchObject({ left: 0 })
  tasks.transition(task, { at: 6_000, state: 'FAILURE', cause: 'control' })
  expect(account.shortage(1, 6_000)).toBeUndefined()
  expect(account.shortage(quotaPerDollar + 1, 6_000)).toMatchObject({ left: quotaPerDollar })
})

it('reserves the money of a task once, and releases only what is reserved', () => {
  const account = new Account('sk-test', 10, new TaskStore([videoLifecycle], new EventLog()))
  const reservation = { quota: quotaPerDollar, endsAt: 9_000, spends: true }
  account.reserve('task_1', reservation)
  account.reserve('task_1', { ...reservation, quota: 2 * quotaPerDollar })
  account.release('task_2')
  expect(account.usage(0)).toMatchObject({ reserved: 2, balance: 8 })
  expect([account.reservation('task_1')?.endsAt, account.reservation('task_2')]).toEqual([9_000, undefined])
  expect([...account.reservedTasks()]).toEqual(['task_1'])
  account.release('task_1')
  expect(account.usage(0)).toMatchObject({ reserved: 0, spent: 0, balance: 10 })
})

it('settles two of more than sixteen reservations with each further task', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', undefined, tasks)
  const open: number[] = []
  for (let count = 1; count <= 20; count++) {
    // All before are over by now.
    account.charge({ quota: 1, task: submit(tasks, `task_${count}`) }, count < 17 ? 0 : 60_000)
    open.push([...account.reservedTasks()].length)
  }
  expect(open.slice(14)).toEqual([15, 16, 16, 16, 16, 16])
  for (let count = 21; count <= 40; count++)
    account.charge({ quota: 1, task: submit(tasks, `task_${count}`, 'forever') }, 60_000)
  expect([...account.reservedTasks()]).toHaveLength(20)
  expect(account.past.spent).toBe(20)
})

it('notes every change of an account, and the task whose reservation it concerns', () => {
  const changes = new Changes()
  const noted: unknown[] = []
  changes.note = (...change) => void noted.push(change)
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const billing = new Billing({ prices: [], discount: 1, tasks, changes })
  const callers = new Callers([], keyedDraws(1), { strict: false })
  const caller = callers.get('sk-0123456789', undefined)
  const name = hashApiKey('sk-0123456789')
  const account = billing.account('mine', caller)
  expect(noted).toEqual([])
  account.charge({ quota: 1 }, 0)
  expect(noted.splice(0)).toEqual([['account', 'mine', name]])
  account.charge({ quota: 1, task: submit(tasks, 'task_1') }, 0)
  const both = [
    ['account', 'mine', name],
    ['reserved', 'mine', name, 'task_1'],
  ]
  expect(noted.splice(0)).toEqual(both)
  account.usage(5_000)
  expect(noted).toEqual([])
  account.usage(10_000)
  expect(noted).toEqual(both)
})

it('has an account for each key in each namespace, with a label that shows little of it', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const keys = ['sk-plain', { key: 'sk-0123456789', balance: 2 }]
  const billing = new Billing({ prices: [], discount: 1, tasks, keys })
  const callers = new Callers(keys, keyedDraws(1), { strict: false })
  const accountOf = (namespace: string, key: string): Account =>
    billing.account(namespace, callers.get(key, undefined))
  accountOf('mine', 'sk-0123456789').charge({ quota: quotaPerDollar }, 0)
  expect(accountOf('mine', 'sk-0123456789')).toBe(accountOf('mine', 'sk-0123456789'))
  accountOf('mine', 'sk-sim-mine.worker')
  accountOf('other', 'sk-0123456789')
  const balancesOf = (namespace: string): unknown =>
    billing.usage(namespace, 0).map(({ key, balance }) => [key, balance])
  expect(balancesOf('mine')).toEqual([
    ['sk-01…89', 1],
    ['…mine.worker', null],
  ])
  expect(balancesOf('other')).toEqual([['sk-01…89', 2]])
  expect(balancesOf('nowhere')).toEqual([])
  expect([...billing.all()]).toEqual([
    ['mine', hashApiKey('sk-0123456789')],
    ['mine', hashApiKey('sk-sim-mine.worker')],
    ['other', hashApiKey('sk-0123456789')],
  ])
  billing.forget('mine')
  expect([balancesOf('mine'), balancesOf('other')]).toEqual([[], [['sk-01…89', 2]]])
})

it('restores an account with the balance of its key, known or not', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const billing = new Billing({ prices: [], discount: 1, tasks, keys: [{ key: 'sk-a', balance: 2 }] })
  const spent = {
    label: 'sk-…',
    spent: quotaPerDollar,
    tasks: 3,
    seconds: 4,
    tokens: { input: 5, output: 6 },
  }
  for (const name of [hashApiKey('sk-a'), hashApiKey('sk-b'), hashApiKey('sk-a')])
    billing.restore('mine', name, spent)
  const usage = { key: 'sk-…', tasks: 3, seconds: 4, tokens: { input: 5, output: 6 }, spent: 1, reserved: 0 }
  expect(billing.usage('mine', 0)).toEqual([
    { ...usage, balance: 1 },
    { ...usage, balance: null },
  ])
})

it('lets the keys above the maximum share one account', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const billing = new Billing({ prices: [], discount: 1, tasks })
  const accountOf = (number: number): Account =>
    billing.account('mine', {
      credential: `sk-${number}`,
      account: `sk-${number}`,
      hashedKey: `hash-${number}`,
      key: undefined,
      namespace: undefined,
      label: { masked: '', hash: '' },
    })
  for (let number = 0; number < maxKeys; number++) accountOf(number)
  expect(billing.known('mine', '')).toBeUndefined()
  expect(billing.known('mine', `hash-${maxKeys - 1}`)).toBe(accountOf(maxKeys - 1))
  expect(accountOf(maxKeys)).toBe(accountOf(maxKeys + 1))
  expect(billing.known('mine', '')).toBe(accountOf(maxKeys))
  expect(billing.usage('mine', 0)).toHaveLength(maxKeys + 1)
})

it('settles no more than two reservations at once, however many tasks have ended', () => {
  const tasks = new TaskStore([videoLifecycle], new EventLog())
  const account = new Account('sk-test', undefined, tasks)
  const charge = (number: number, render: '9s' | 'forever', now: number): number => {
    account.charge({ quota: 1, task: submit(tasks, `task_${number}`, render) }, now)
    return [...account.reservedTasks()].length
  }
  for (let number = 1; number <= 20; number++) expect(charge(number, '9s', 0)).toBe(number)
  const counts = [21, 22, 23, 24, 25].map((number) => charge(number, 'forever', 60_000))
  expect(counts).toEqual([19, 18, 17, 16, 16])
})
