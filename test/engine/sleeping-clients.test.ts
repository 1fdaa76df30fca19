import { expect, it } from 'vitest'
import { SleepingClients } from '../../src/engine/clock/holds/sleeping-clients.ts'
import { fakeHost, passInSteps } from '../support/fake-host.ts'

const graceMs = 25

function clients(): { host: ReturnType<typeof fakeHost>; clients: SleepingClients; gone: () => number } {
  const host = fakeHost()
  let gone = 0
  return { host, clients: new SleepingClients(host, graceMs, () => void gone++), gone: () => gone }
}

/** A client sleeps, and is woken. */
function wake(sleeping: SleepingClients, name?: string): void {
  const { expectBack, over } = sleeping.arrive(name)
  expectBack()
  over()
}

it('expects a woken client back by its name', () => {
  const { clients: sleeping } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping, 'worker-b')
  expect([sleeping.expected, sleeping.names()]).toEqual([2, ['worker-a', 'worker-b']])
  sleeping.arrive('worker-a')
  expect(sleeping.names()).toEqual(['worker-b'])
})

it('expects a client for a moment only', () => {
  const { host, clients: sleeping, gone } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping)
  expect(sleeping.names()).toEqual(['worker-a', 'a client without a name'])
  passInSteps(host, graceMs - 1)
  expect([sleeping.expected, gone()]).toEqual([2, 0])
  host.pass(1)
  expect([sleeping.expected, gone()]).toEqual([0, 2])
})

it('still expects a client after a pause in which the machine ran nothing', () => {
  const { host, clients: sleeping } = clients()
  wake(sleeping, 'worker-a')
  host.pass(1_000)
  expect(sleeping.names()).toEqual(['worker-a'])
  passInSteps(host, graceMs - 5)
  expect(sleeping.names()).toEqual([])
})

it('takes a client without a name for a new one while there are more than ever before', () => {
  const { host, clients: sleeping } = clients()
  wake(sleeping)
  const second = sleeping.arrive(undefined)
  expect(sleeping.expected).toBe(1)
  passInSteps(host, graceMs)
  second.expectBack()
  second.over()
  expect(sleeping.expected).toBe(1)
  wake(sleeping)
  expect(sleeping.expected).toBe(1)
  sleeping.arrive(undefined)
  expect(sleeping.expected).toBe(0)
})

it('forgets the expected clients, and how many there were', () => {
  const { host, clients: sleeping, gone } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping)
  sleeping.forget()
  passInSteps(host, graceMs)
  expect([sleeping.expected, sleeping.names(), gone()]).toEqual([0, [], 0])
  wake(sleeping)
  sleeping.arrive(undefined)
  expect(sleeping.expected).toBe(1)
})
