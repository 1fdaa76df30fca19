import { expect, it, vi } from 'vitest'
import { openSocket } from '../support/transports.ts'
import { ask, postChat } from '../support/text.ts'

// A system that does not show the queues of connections.
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  const readFile = (path: string, ...rest: []): unknown =>
    String(path).startsWith('/proc/') ? Promise.reject(new Error('ENOENT')) : real.readFile(path, ...rest)
  return { ...real, readFile }
})

it('marks a cut as approximated if the bytes that the client read are unknown', async () => {
  const rules = [{ match: { op: 'chat.complete' }, fault: 'split-character' }] as const
  await using transport = await openSocket({ cacheDir: false, rules })
  const response = await postChat(transport, { ...ask('[[say: one twö three]]'), stream: true })
  expect(await response.text()).toContain('twö')
  await expect.poll(() => transport.sim.journal().at(-1)!.outcome).toBe('completed')
  expect(transport.sim.journal().at(-1)).toMatchObject({ fault: 'split-character', approximated: true })
})
