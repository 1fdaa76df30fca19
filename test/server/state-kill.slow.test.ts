import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { KeyUsage, TaskSummary } from '../../src/index.ts'
import { call, commandOf, serve } from '../support/served.ts'

const draws = keyedDraws('kills')
/** `GREENROOM_KILLS=200` repeats the proof at length. */
const rounds = Number(process.env['GREENROOM_KILLS'] ?? 6)
const balance = 1_000_000

/** What was acknowledged. */
interface Known {
  /** By task: its timeline in the latest response, unless a change is under way, and how often it was polled. */
  readonly tasks: Map<string, { timeline: TaskSummary['timeline'] | undefined; looks: number }>
  /** The latest instant of a response. */
  now: number
  spent: number
}

/** A client that submits, polls, presses and moves time until its server is gone. */
async function work(url: string, name: string, known: Known): Promise<void> {
  const own: string[] = []
  const refresh = async (id: string): Promise<void> => {
    const { timeline } = await call<TaskSummary>(`${url}/_greenroom/tasks/${id}`, 'GET')
    known.tasks.get(id)!.timeline = timeline
  }
  const add = async (id: string): Promise<void> => {
    known.tasks.set(id, { timeline: undefined, looks: 0 })
    own.push(id)
    await refresh(id)
  }
  for (let step = 0; ; step++) {
    const choice = draws.integer(6, 'step', name, step)
    const id = own[draws.integer(Math.max(1, own.length), 'task', name, step)]
    if (choice <= 1 || id === undefined) {
      const sent = { model: 'video-1', prompt: `${name} ${step}` }
      await add((await call<{ task_id: string }>(`${url}/v1/video/generations`, 'POST', sent)).task_id)
    } else if (choice === 2) {
      const sent = { prompt: `${name} ${step}` }
      await add((await call<{ result: string }>(`${url}/mj/submit/imagine`, 'POST', sent)).result)
    } else if (choice === 3 && id.startsWith('task_')) {
      await call(`${url}/v1/video/generations/${id}`, 'GET')
      known.tasks.get(id)!.looks++
    } else if (choice === 4) {
      const { now } = await call<{ now: number }>(`${url}/_greenroom/clock/advance`, 'POST', { by: '700ms' })
      known.now = Math.max(known.now, now)
    } else {
      known.tasks.get(id)!.timeline = undefined
      const change = { status: 'FAILURE', reason: 'by hand' }
      await call(`${url}/_greenroom/tasks/${id}/transition`, 'POST', change).catch((error: Error) => {
        if (!error.message.includes('409')) throw error
      })
      await refresh(id)
    }
  }
}

it(
  'has every acknowledged task and every balance after each of many kills',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-kill-'))
    const known: Known = { tasks: new Map(), now: 0, spent: 0 }
    const config = join(folder, 'greenroom.json')
    writeFileSync(config, JSON.stringify({ keys: [{ key: 'sk-test', balance }] }))
    const start = (clock: string): ReturnType<typeof serve> =>
      serve(commandOf(join(folder, 'state'), ['--clock', clock, '--config', config]))
    let served = await start('manual')
    try {
      for (let round = 0; round < rounds; round++) {
        const { child, url } = served
        const before = known.tasks.size
        const clients = Promise.allSettled([1, 2, 3].map((client) => work(url, `${round}-${client}`, known)))
        // However slow the machine is, each round has something to lose.
        await expect.poll(() => known.tasks.size, { timeout: 20_000 }).toBeGreaterThan(before)
        await new Promise((resolve) => setTimeout(resolve, draws.integer(250, 'kill', 'after', round)))
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
        for (const client of await clients) {
          // They end because their server did, and for no other reason.
          expect(String((client as PromiseRejectedResult).reason)).toMatch(/fetch failed|terminated/)
        }
        served = await start(round % 3 === 0 ? 'real' : 'manual')
        const { now } = await call<{ now: number }>(`${served.url}/_greenroom/clock`, 'GET')
        expect(now).toBeGreaterThanOrEqual(known.now)
        known.now = now
        const tasks = await call<TaskSummary[]>(`${served.url}/_greenroom/tasks`, 'GET')
        // A real clock goes on between the two calls.
        const { now: later } = await call<{ now: number }>(`${served.url}/_greenroom/clock`, 'GET')
        const byId = new Map(tasks.map((task) => [task.id, task]))
        for (const [id, { timeline, looks }] of known.tasks) {
          const task = byId.get(id)
          expect(task, `task ${id} is lost`).toBeDefined()
          if (timeline) expect(task!.timeline).toEqual(timeline)
          const past = task!.timeline.filter(({ from }) => from <= now)
          const meanwhile = task!.timeline.filter(({ from }) => from > now && from <= later)
          expect([past.at(-1)!, ...meanwhile].map(({ status }) => status)).toContain(task!.status)
          expect(task!.pollCount).toBeGreaterThanOrEqual(looks)
          known.tasks.set(id, { timeline: task!.timeline, looks: task!.pollCount })
        }
        expect(byId.size, 'two tasks have one id').toBe(tasks.length)
        const [usage] = await call<KeyUsage[]>(`${served.url}/_greenroom/usage`, 'GET')
        expect(usage?.tasks ?? 0, 'each task was charged once').toBe(tasks.length)
        if (!usage) continue
        expect(usage.spent + usage.reserved + usage.balance!).toBeCloseTo(balance, 4)
        expect(usage.spent, 'what was spent stays spent').toBeGreaterThanOrEqual(known.spent)
        known.spent = usage.spent
      }
      expect(known.tasks.size).toBeGreaterThanOrEqual(rounds)
    } finally {
      served.child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000 + rounds * 5_000,
)
