import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Changes } from '../../src/engine/tasks/changes.ts'
import { Clock } from '../../src/engine/clock/clock.ts'
import { Counters } from '../../src/engine/counters.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { Namespaces, newNamespace, type Namespace } from '../../src/engine/namespace.ts'
import { createSimulator } from '../../src/index.ts'
import { Rules } from '../../src/scenario/rules/rules.ts'
import { keptIn } from '../../src/server/state-folder.ts'
import { settings } from './support.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

it('is as large after ten days of traffic as after two, in memory and on the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-retention-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sim = createSimulator({
    ...settings,
    cacheDir: false,
    throttles: [],
    retention: { tasks: 60, age: '6h' },
    limits: { journalEntries: 50 },
    keys: [],
  })
  const clock = { mode: 'manual', rate: 1 } as const
  const core = keptIn(folder, sim.core, { clock, onWarning: () => {}, defaultBytes: 50_000 })
  onTestFinished(core.close)
  const door = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const sizes: Record<string, number>[] = []
  for (let day = 0; day < 10; day++) {
    for (let n = 0; n < 40; n++) {
      // Prompts come again, as in the tests of a team; keys and what is asked for in vain do, too.
      const headers = { authorization: `Bearer sk-${n % 7}` }
      const id = await submitVideo(
        door,
        { prompt: `a kite ${n} [[${n % 3 === 0 ? 'stuck' : 'render 1m'}]]` },
        headers,
      )
      await door.call(`/v1/video/generations/${id}`, { headers })
      await door.call(`/v1/video/generations/none-${n}`, { headers })
      const drawn = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      await door.call('/mj/submit/imagine', { ...drawn, body: JSON.stringify({ prompt: `a fox ${n}` }) })
      await sim.clock.advance('36m')
    }
    sizes.push(sizesOf(sim.core.state.values()))
  }
  const [early, late] = [sizes[1]!, sizes.at(-1)!]
  expect(late['task']).toBeGreaterThan(5)
  for (const [part, size] of Object.entries(late)) {
    expect(size, `${part} grows`).toBeLessThanOrEqual(early[part]! * 1.1 + 3)
  }
  expect(sim.journal().length).toBe(50)
  expect(statSync(join(folder, 'state.jsonl')).size).toBeLessThan(400_000)
}, 60_000)

it.each([
  ['count', { tasks: 60 }],
  ['age', { age: '4m' }],
])(
  'keeps its file level through an hour of traffic, where tasks go by %s',
  async (_, retention) => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-hour-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const options = { clock: { mode: 'manual' }, cacheDir: false, retention, seed: 7 } as const
    const keep = (): ReturnType<typeof createSimulator> & { stop: () => Promise<void> } => {
      const sim = createSimulator(options)
      const clock = { mode: 'manual', rate: 1 } as const
      const { close } = keptIn(folder, sim.core, { clock, onWarning: () => {}, defaultBytes: 40_000 })
      return Object.assign(sim, { stop: close })
    }
    let sim = keep()
    const bytes: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      // A server that is started anew in the middle goes on likewise.
      if (minute === 30) {
        await sim.stop()
        sim = keep()
      }
      const door = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
      let largest = 0
      for (let n = 0; n < 12; n++) {
        const id = await submitVideo(door, { prompt: `a kite ${n}` })
        await pollVideo(door, id)
        await sim.clock.advance('5s')
        await pollVideo(door, id)
        // A slow disk takes its time to write it anew, and it grows as long.
        const isDrafted = (): boolean => existsSync(join(folder, 'state.jsonl.new'))
        if (isDrafted()) await expect.poll(isDrafted, { timeout: 20_000, interval: 2 }).toBe(false)
        largest = Math.max(largest, statSync(join(folder, 'state.jsonl')).size)
      }
      bytes.push(largest)
    }
    const count = sim.tasks().length
    await sim.stop()
    expect(count).toBeGreaterThan(40)
    expect(count).toBeLessThanOrEqual(60)
    // It grows and is written anew, over and over; and what stands in it grows no more.
    expect(new Set(bytes).size).toBeGreaterThan(5)
    expect(Math.max(...bytes.slice(40))).toBeLessThan(1.2 * Math.max(...bytes.slice(10, 30)))
    expect(Math.max(...bytes)).toBeLessThan(400_000)
  },
  120_000,
)

function sizesOf(values: Iterable<readonly [part: string, ...rest: unknown[]]>): Record<string, number> {
  const sizes: Record<string, number> = {}
  for (const [part] of values) sizes[part] = (sizes[part] ?? 0) + 1
  return sizes
}

it('forgets a namespace that nobody has used for a day, tasks and all, when another comes', () => {
  let elapsedMs = 0
  const day = 86_400_000
  const gone: string[] = []
  const uses = new Map<string, number>()
  const namespaces = new Namespaces<Namespace>({
    create: (name) => newNamespace(name, new Clock({ mode: 'manual' }), new Changes()),
    canRemove: () => false,
    onRemove: ({ name }) => gone.push(name),
    max: 100,
    idle: { afterMs: day, activity: ({ name }) => uses.get(name) ?? 0, elapsedMs: () => elapsedMs },
  })
  for (const name of ['default', 'left', 'used']) namespaces.get(name)
  for (let hour = 0; hour <= 50; hour++) {
    elapsedMs += day / 24
    uses.set('used', hour)
    namespaces.get(`other-${hour}`)
    if (hour === 20) expect(gone).toEqual([])
  }
  expect(gone).toContain('left')
  expect(gone).not.toContain('used')
  expect(gone).not.toContain('default')
  expect(namespaces.all().length).toBeLessThan(35)
})

it('keeps so many counts and rules that were added, and no more', () => {
  const counters = new Counters(100)
  for (let n = 0; n < 1_000; n++) counters.next(`subject ${n}`)
  expect([...counters.subjects()].length).toBe(100)
  const rules = new Rules(keyedDraws(1))
  const request = {
    operationName: 'video.poll',
    namespaceName: 'default',
    keyName: '',
    subject: 's',
    attempt: 0,
    now: 0,
    elapsedMs: 0,
    body: {},
    header: () => '',
    query: '',
  }
  for (let n = 0; n < 300; n++) {
    rules.next({ match: { op: 'video.poll' }, respond: { status: 500 } })
    expect(rules.decide(request).respond).toEqual({ status: 500 })
  }
  // The latest of those that are spent can still be seen.
  expect(rules.list().map(({ id, fired, spent }) => [id, fired, spent])).toEqual(
    Array.from({ length: 20 }, (_, index) => [`next-${281 + index}`, 1, true]),
  )
  for (let n = 0; n < 1_000; n++) rules.next({ match: { op: 'video.poll' }, times: 2 })
  expect(rules.list().length).toBe(1_000)
  expect(() => rules.next({ match: { op: 'video.poll' } })).toThrow('Take one away first')
  for (let n = 0; n < 1_000; n++) rules.add({ match: { op: 'video.poll' } })
  expect(() => rules.add({ match: { op: 'video.poll' } })).toThrow('Take one away first')
})
