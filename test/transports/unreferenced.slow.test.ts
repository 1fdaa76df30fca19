import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { describeTransportsAnd } from '../support/transports.ts'
import { ask, postChat } from '../support/text.ts'

const paced = { text: { timing: { firstToken: '2s', tokensPerSecond: 1 } } } as const

/** Collects garbage, and lets weak references notice. */
async function sweepMemory(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const sweep = runInNewContext('gc') as () => void
  for (let round = 0; round < 5; round++) {
    sweep()
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

describeTransportsAnd('express')((open) => {
  it('sees a client leave that holds no more than its signal and what it reads', async () => {
    await using gateway = await open({ ...paced, clock: { mode: 'manual' } })
    const leaving = new AbortController()
    const given = (async () => {
      const response = await postChat(gateway, { ...ask('hello'), stream: true }, { signal: leaving.signal })
      await response.text()
    })()
    given.catch(() => {})
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    await sweepMemory()
    leaving.abort()
    await expect(given).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
  })
})
