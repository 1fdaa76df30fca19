import { expect, it } from 'vitest'
import { Ledger } from '../../src/engine/clock/holds/ledger.ts'
import { returning, SleepingClients } from '../../src/engine/clock/holds/sleeping-clients.ts'
import { fakeHost, passInSteps } from '../support/fake-host.ts'

const graceMs = 25

function clients() {
  const host = fakeHost()
  let gone = 0
  const ledger = new Ledger(host, () => void gone++)
  const expected = (): string[] => ledger.list(returning).map(({ who }) => who)
  return { host, clients: new SleepingClients(ledger), expected, gone: () => gone }
}

/** A client sleeps, and is woken. */
function wake(sleeping: SleepingClients, name?: string): void {
  const { expectBack, over } = sleeping.arrive(name)
  expectBack()
  over()
}

it('expects a woken client back by its name', () => {
  const { clients: sleeping, expected } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping, 'worker-b')
  expect(expected()).toEqual(['worker-a', 'worker-b'])
  sleeping.arrive('worker-a')
  expect(expected()).toEqual(['worker-b'])
})

it('expects a client for a moment only', () => {
  const { host, clients: sleeping, expected, gone } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping)
  expect(expected()).toEqual(['worker-a', 'a client without a name'])
  passInSteps(host, graceMs - 1)
  expect([expected().length, gone()]).toEqual([2, 0])
  host.pass(1)
  expect([expected(), gone()]).toEqual([[], 2])
})

it('still expects a client after a pause in which the machine ran nothing', () => {
  const { host, clients: sleeping, expected } = clients()
  wake(sleeping, 'worker-a')
  host.pass(1_000)
  expect(expected()).toEqual(['worker-a'])
  passInSteps(host, graceMs - 5)
  expect(expected()).toEqual([])
})

it('takes a client without a name for a new one while there are more than ever before', () => {
  const { host, clients: sleeping, expected } = clients()
  wake(sleeping)
  const second = sleeping.arrive(undefined)
  expect(expected()).toHaveLength(1)
  passInSteps(host, graceMs)
  second.expectBack()
  second.over()
  expect(expected()).toHaveLength(1)
  wake(sleeping)
  expect(expected()).toHaveLength(1)
  sleeping.arrive(undefined)
  expect(expected()).toHaveLength(0)
})

it('forgets the expected clients, and how many there were', () => {
  const { host, clients: sleeping, expected, gone } = clients()
  wake(sleeping, 'worker-a')
  wake(sleeping)
  sleeping.forget()
  passInSteps(host, graceMs)
  expect([expected(), gone()]).toEqual([[], 2])
  wake(sleeping)
  sleeping.arrive(undefined)
  expect(expected()).toHaveLength(1)
})
