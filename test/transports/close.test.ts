import { expect, it } from 'vitest'
import type { Rule } from '../../src/index.ts'
import { describeTransportsAnd } from '../support/transports.ts'
import { outcomeOf } from '../support/faults.ts'
import { ask, postChat } from '../support/text.ts'
import { authorization } from '../support/video.ts'

const endless: readonly [string, Rule][] = [
  ['hangs', { match: { op: '*' }, fault: { type: 'hang' } }],
  ['is delayed forever', { match: { op: '*' }, delay: 'forever' }],
  ['is delayed on a stopped clock', { match: { op: '*' }, delay: '5s' }],
  ['starts its body never', { match: { op: '*' }, fault: { type: 'slow-start', for: 'forever' } }],
  ['drips on a stopped clock', { match: { op: '*' }, fault: { type: 'drip', bytesPerSecond: 10 } }],
]

describeTransportsAnd('express')((open, transport) => {
  it.each(endless)(
    'closes the connection of a response that %s when the simulator closes',
    async (_, rule) => {
      for (const stream of [false, true]) {
        await using gateway = await open({ clock: { mode: 'manual' }, rules: [rule] })
        const seen = outcomeOf(() => postChat(gateway, { ...ask('tell me of kites'), stream }))
        await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
        await gateway.sim.close()
        const { where, name, code } = await seen
        expect(where).not.toBe('nowhere')
        expect([name, code]).toEqual(['TypeError', 'UND_ERR_SOCKET'])
        expect(gateway.sim.journal()[0]!.outcome).toBe('failed')
      }
    },
  )

  it('ends a paced stream early when the simulator closes', async () => {
    await using gateway = await open({ clock: { mode: 'manual' }, text: { timing: 'natural' } })
    const response = await postChat(gateway, { ...ask('tell me of kites'), stream: true })
    const body = response.text()
    body.catch(() => {})
    await expect.poll(() => gateway.sim.clock.status().waiters).toBe(1)
    await gateway.sim.close()
    await expect(body).rejects.toThrow('terminated')
    expect(gateway.sim.journal()[0]!.stream).toMatchObject({ ended: 'cut' })
  })

  it('answers a closed simulator with a clear error', async () => {
    await using gateway = await open()
    await gateway.sim.close()
    const pending = gateway.call('/v1/models?key=sk-secret', { headers: { authorization } })
    const message = 'Failed to answer GET /v1/models: the simulator is closed.'
    if (transport === 'direct') return expect(pending).rejects.toThrow(message)
    const response = await pending
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining(message) as string, code: 'simulator_closed' },
    })
    expect(response.headers.get('x-greenroom-hint')).toContain('create another one')
    expect(response.headers.get('x-should-retry')).toBe('false')
  })
})
