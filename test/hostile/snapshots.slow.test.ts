import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Snapshot } from '../../src/index.ts'
import { settings, take, type Step } from '../support/steps.ts'
import { runs, seed } from './open.ts'
import { expectSound } from './sound.ts'

/** What a value may be put in the place of another. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    0.5,
    1e300,
    253_402_300_799_999,
    Number.MAX_SAFE_INTEGER,
    '',
    'x',
    '__proto__',
    'constructor',
    'default',
    'another',
    '../etc',
    'x'.repeat(5_000),
    true,
    [],
    {},
    [[]],
    ['default'],
    { id: 'x' },
    { steps: [] },
    { regex: '(' },
  ),
  fc.jsonValue({ maxDepth: 1 }),
)

/** A change of a document: its nth value is replaced, removed, doubled or moved. */
const change = fc.record({
  at: fc.nat({ max: 100_000 }),
  how: fc.constantFrom('put', 'put', 'put', 'delete', 'double', 'first'),
  value: odd,
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never
type Place = readonly [holder: unknown[] | Record<string, unknown>, name: string]

function placesIn(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return places
  for (const [name, inner] of Object.entries(value)) {
    places.push([value as Record<string, unknown>, name])
    placesIn(inner, places)
  }
  return places
}

/** A copy of a snapshot to which all that was done. */
function changed(snapshot: Snapshot, changes: readonly Change[]): unknown {
  const document = structuredClone(snapshot) as unknown as Record<string, unknown>
  for (const { at, how, value } of changes) {
    const places = placesIn(document['state'])
    const [holder, name] = places[at % places.length]!
    if (how === 'put') (holder as Record<string, unknown>)[name] = value
    else if (!Array.isArray(holder)) delete holder[name]
    else if (how === 'delete') holder.splice(Number(name), 1)
    else holder.splice(how === 'double' ? Number(name) : 0, 0, structuredClone(holder[Number(name)]))
  }
  return document
}

const done: Step[] = [
  { do: 'video', prompt: 'a kite', key: 'sk-rich' },
  { do: 'imagine', prompt: 'a fox' },
  { do: 'chat' },
  { do: 'advance', byMs: 90_000 },
  { do: 'press', task: 1 },
  { do: 'video', prompt: 'a boat', key: 'sk-poor' },
  { do: 'fail', task: 2 },
  { do: 'poll', task: 0 },
]

const options = { ...settings, seed: 7, cacheDir: false, quality: 'fast' } as const

async function lived(
  onWarning: (message: string) => void,
): Promise<{ sim: EmbeddedSimulator; made: string[] }> {
  const sim = createSimulator({ ...options, onWarning })
  const made: string[] = []
  sim.addRule({ id: 'mine', match: { op: 'video.submit' }, on: 9, respond: { status: 500 } })
  sim.next('video.poll', { id: 'once', respond: { status: 503 } })
  for (const step of done) await take(step, { call: sim.fetch, made })
  return { sim, made }
}

/** The state, without the time of the request. */
function stateOf({ core }: EmbeddedSimulator): string {
  return JSON.stringify(core.control.state.snapshot()).replaceAll(/"wall":\d+/g, '')
}

it(
  'puts a changed snapshot in the place of what is there, or changes nothing, and goes on',
  { timeout: runs(60_000) },
  async () => {
    const mistakes: string[] = []
    await using other = (await lived(() => {})).sim
    const snapshot = other.core.control.state.snapshot()
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const { sim, made } = await lived((message) => mistakes.push(message))
        await using _ = sim
        await sim.fetch('/_greenroom/clock/advance', { method: 'POST', body: '{"by":"1s"}' })
        const before = stateOf(sim)
        const body = JSON.stringify(changed(snapshot, changes))
        const ask = async (path: string, init: RequestInit = {}): Promise<number> => {
          const response = await sim.fetch(path, {
            ...init,
            headers: { authorization: 'Bearer sk-rich', 'content-type': 'application/json' },
          })
          const type = response.headers.get('content-type') ?? ''
          const text = await response.text()
          expectSound({ status: response.status, type, text: type.includes('json') ? text : '' }, path)
          return response.status
        }
        const status = await ask('/_greenroom/snapshot', { method: 'PUT', body })
        expect([200, 400]).toContain(status)
        if (status === 400) expect(stateOf(sim)).toBe(before)
        // Whatever was accepted, everything can be requested.
        for (const path of ['clock', 'tasks', 'rules', 'usage', 'snapshot', 'journal']) {
          expect(await ask(`/_greenroom/${path}`), path).toBe(200)
        }
        for (const id of made) {
          await ask(`/v1/video/generations/${id}`)
          await ask(`/v1/video/generations/${id}/content`)
          await ask(`/v1/videos/${id}`)
          await ask(`/mj/task/${id}/fetch`)
        }
        const submit = { method: 'POST', body: '{"model":"video-1","prompt":"a hare"}' }
        await ask('/v1/video/generations', submit)
        await ask('/_greenroom/clock/advance', { method: 'POST', body: '{"by":"1h"}' })
        expect(mistakes).toEqual([])
      }),
      { numRuns: runs(60), seed, endOnFailure: true },
    )
  },
)
