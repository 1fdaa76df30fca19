import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { NodeSimulator } from '../../../src/index.ts'
import { simulatorWith } from '../../support/own-apis.ts'
import { needs } from '../../support/needs.ts'

/** Definitions that were written for 0.3.0, what it answered to their clients, and its snapshot in between. */
const folder = new URL('../../../fixtures/0.3.0/', import.meta.url)
const { exchanges, snapshotAfter, snapshot } = JSON.parse(
  readFileSync(new URL('exchanges.json', folder), 'utf8'),
) as {
  readonly exchanges: readonly {
    readonly at: number
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: object
    readonly status: number
    readonly type: string | null
    readonly text: string
  }[]
  readonly snapshotAfter: number
  readonly snapshot: Parameters<NodeSimulator['restore']>[0]
}

const open = (): Promise<NodeSimulator> =>
  simulatorWith(
    ['runway.ts', 'suno.ts'].map((name) => fileURLToPath(new URL(name, folder))),
    { clock: { mode: 'manual', start: '2026-01-01T00:00:00Z' } },
  )

async function expectSame(sim: NodeSimulator, part: typeof exchanges): Promise<void> {
  for (const { at, method, path, headers, body, ...expected } of part) {
    await sim.clock.advance(at - sim.clock.now())
    const response = await sim.fetch(path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const type = response.headers.get('content-type')
    const text = type?.includes('json') ? await response.text() : ''
    expect({ path, status: response.status, type, text }).toEqual({ path, ...expected })
  }
}

it('answers clients of definitions of 0.3.0 as 0.3.0 did, to the byte', async () => {
  await using sim = await open()
  await expectSame(sim, exchanges)
})

it('restores a snapshot of 0.3.0, and answers polls of its jobs as 0.3.0 did', async () => {
  needs('video.submit', 'mj.imagine')
  await using sim = await open()
  sim.restore(snapshot)
  await expectSame(sim, exchanges.slice(snapshotAfter))
})
