import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openSocket } from '../support/transports.ts'
import { ask, postChat } from '../support/text.ts'

/** Makes this system one that does not show the queues of connections. */
function hideQueues(): void {
  const { readFile } = fs
  vi.spyOn(fs, 'readFile').mockImplementation(((path: string, ...rest: []) =>
    String(path).startsWith('/proc/')
      ? Promise.reject(new Error('ENOENT'))
      : readFile(path, ...rest)) as typeof readFile)
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
}

it('marks a cut as approximated if the bytes that the client read are unknown', async () => {
  hideQueues()
  const rules = [{ match: { op: 'chat.complete' }, fault: 'split-character' }] as const
  await using transport = await openSocket({ cacheDir: false, rules })
  const response = await postChat(transport, { ...ask('[[say: one twö three]]'), stream: true })
  expect(await response.text()).toContain('twö')
  await expect.poll(() => transport.sim.journal().at(-1)!.outcome).toBe('completed')
  expect(transport.sim.journal().at(-1)).toMatchObject({ fault: 'split-character', approximated: true })
})
