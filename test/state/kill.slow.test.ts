import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { TaskSummary } from '../../src/index.ts'
import { call, commandOf, serve } from './served.ts'

const draws = keyedDraws('kills')
const rounds = 12

/** What was acknowledged. */
interface Known {
  /** By task: its life as it was last told, and how often it was looked at. Not of one that is just being changed. */
  readonly tasks: Map<string, { timeline: TaskSummary['timeline'] | undefined; looks: number }>
  /** The latest instant that anybody was told. */
  now: number
}

/** A client that submits, polls, presses and moves time until its server is gone. */
async function work(url: string, name: string, known: Known): Promise<void> {
  const own: string[] = []
  const told = async (id: string): Promise<void> => {
    const { timeline } = await call<TaskSummary>(`${url}/_greenroom/tasks/${id}`, 'GET')
    known.tasks.get(id)!.timeline = timeline
  }
  const made = async (id: string): Promise<void> => {
    known.tasks.set(id, { timeline: undefined, looks: 0 })
    own.push(id)
    await told(id)
  }
  for (let step = 0; ; step++) {
    const die = draws.integer(6, 'step', name, step)
    const id = own[draws.integer(Math.max(1, own.length), 'task', name, step)]
    if (die <= 1 || id === undefined) {
      const sent = { model: 'video-1', prompt: `${name} ${step}` }
      await made((await call<{ task_id: string }>(`${url}/v1/video/generations`, 'POST', sent)).task_id)
    } else if (die === 2) {
      const sent = { prompt: `${name} ${step}` }
      await made((await call<{ result: string }>(`${url}/mj/submit/imagine`, 'POST', sent)).result)
    } else if (die === 3 && id.startsWith('task_')) {
      await call(`${url}/v1/video/generations/${id}`, 'GET')
      known.tasks.get(id)!.looks++
    } else if (die === 4) {
      const { now } = await call<{ now: number }>(`${url}/_greenroom/clock/advance`, 'POST', { by: '700ms' })
      known.now = Math.max(known.now, now)
    } else {
      known.tasks.get(id)!.timeline = undefined
      const change = { status: 'FAILURE', reason: 'by hand' }
      await call(`${url}/_greenroom/tasks/${id}/transition`, 'POST', change).catch((error: Error) => {
        if (!error.message.includes('409')) throw error
      })
      await told(id)
    }
  }
}

it('has every acknowledged task after each of many kills, in the state that it would have had', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-kill-'))
  const known: Known = { tasks: new Map(), now: 0 }
  let served = await serve(commandOf(folder, ['--clock', 'manual']))
  try {
    for (let round = 0; round < rounds; round++) {
      const { child, url } = served
      const clients = Promise.allSettled([1, 2, 3].map((client) => work(url, `${round}-${client}`, known)))
      await new Promise((resolve) => setTimeout(resolve, 30 + draws.integer(250, 'kill', 'after', round)))
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      for (const client of await clients) {
        // They end because their server did, and for no other reason.
        expect(String((client as PromiseRejectedResult).reason)).toMatch(/fetch failed|terminated/)
      }
      served = await serve(commandOf(folder, ['--clock', round % 3 === 0 ? 'real' : 'manual']))
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
      // Nobody was given an id that another has.
      expect(byId.size).toBe(tasks.length)
    }
    expect(known.tasks.size).toBeGreaterThan(rounds)
  } finally {
    served.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
