import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Snapshot } from '../../src/index.ts'
import { hostile } from './expensive-requests.ts'
import { MeasuredServer, type Measured, type Sent } from './measured-server.ts'

/** No request stops the server for longer, on a machine that does the reference work in 40 ms. A slower one may take longer. */
const maxTurnMs = 1_000
const referenceMs = 40
/** Code that is compiled on its first run, and the collector, are no request's: the best of some measurements counts. */
const attempts = 6

let server: MeasuredServer
beforeAll(async () => {
  server = await MeasuredServer.open()
})
afterAll(() => server[Symbol.asyncDispose]())

/**
 * Sends a request, and scales its longest turn to a machine that is as fast as the one for which the limit holds. A turn within
 * the limit stays within it: then the reference is not measured.
 */
async function sendScaled(sent: Sent): Promise<Measured> {
  const { maxMs, ...measured } = await server.send(sent)
  const isWithin = maxMs < maxTurnMs
  return {
    ...measured,
    maxMs: isWithin ? maxMs : maxMs / Math.max(1, server.measureReference() / referenceMs),
  }
}

async function measure(of: (n: number) => Sent): Promise<Measured> {
  let best = await sendScaled(of(0))
  for (let n = 1; n < attempts && best.maxMs >= maxTurnMs; n++) {
    const again = await sendScaled(of(n))
    expect(again.status).toBe(best.status)
    if (again.maxMs < best.maxMs) best = again
  }
  // Printed with --reporter=verbose.
  console.info(`${best.maxMs.toFixed(0)} ms, status ${best.status}, ${best.bytes} bytes`)
  return best
}

it.each(Object.entries(hostile))(
  'keeps no turn longer than a second for %s',
  { timeout: 120_000 },
  async (_, of) => {
    const { maxMs, status } = await measure(of)
    expect(status).toBeLessThan(500)
    expect(maxMs).toBeLessThan(maxTurnMs)
  },
)

/** A snapshot with many copies of its only task. */
function multiplied({ state, ...head }: Snapshot, count: number): Snapshot {
  const ofTask = new Set(['task', 'look', 'attempt', 'acceptance'])
  const copies = state.flatMap(([part, names, value]) => {
    if (!ofTask.has(part)) return [[part, names, value] as const]
    return Array.from({ length: count }, (_, n) => {
      const name = `${names.at(-1)!.slice(0, -6)}${String(n).padStart(6, '0')}`
      const { record } = value as { record?: object }
      const own = record === undefined ? value : { ...(value as object), record: { ...record, id: name } }
      return [part, [...names.slice(0, -1), name], own] as const
    })
  })
  return { ...head, state: copies }
}

it(
  'keeps no turn longer than a second when it lists 100,000 tasks, or writes them down',
  { timeout: 120_000 },
  async () => {
    server.sim.clear()
    const body = '{"model":"video-1","prompt":"a kite"}'
    const { beginning } = await server.send({ path: '/v1/video/generations', body })
    const { task_id: id } = JSON.parse(beginning) as { task_id: string }
    await server.send({ method: 'GET', path: `/v1/video/generations/${id}` })
    server.sim.restore(multiplied(server.sim.snapshot(), 100_000))
    for (const path of ['/_greenroom/tasks', '/_greenroom/snapshot']) {
      const { status, bytes, maxMs } = await measure(() => ({ method: 'GET', path }))
      expect([status, bytes > 30_000_000], path).toEqual([200, true])
      expect(maxMs, path).toBeLessThan(maxTurnMs)
    }
  },
)
