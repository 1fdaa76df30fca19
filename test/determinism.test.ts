import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { JournalEntry, TaskSummary } from '../src/index.ts'
import { describeDoors, type OpenDoor } from './support/doors.ts'
import { getContent, pollVideo, submitVideo } from './support/video.ts'

const prompts = ['a paper boat', 'a red kite', 'a paper boat', 'a fox [[fail: no]]', '夜の灯台']

/** Everything a client could see of a story: ids, bodies, journal, bytes. */
interface Story {
  tasks: TaskSummary[]
  polls: string[]
  journal: object[]
  videos: string[]
}

const options = {
  seed: 7,
  ffmpeg: 'wasm',
  publicUrl: 'http://127.0.0.1:4646',
  clock: { mode: 'manual' as const },
  rules: [{ id: 'slow', match: { op: 'video.poll' }, chance: 0.5, delay: 0 }],
}

/** Submits, polls and downloads, each step for all tasks in the given order. */
async function live(door: OpenDoor, order: readonly number[]): Promise<Story> {
  const ids: string[] = []
  const polls: string[] = []
  for (const index of order) ids.push(await submitVideo(door, { prompt: prompts[index] }))
  for (const step of ['3s', '5s', '1m']) {
    await door.sim.clock.advance(step)
    for (const id of ids) polls.push(JSON.stringify(await pollVideo(door, id)))
  }
  const videos: string[] = []
  for (const id of ids) {
    const bytes = Buffer.from(await (await getContent(door, id)).arrayBuffer())
    videos.push(`${id} ${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return {
    tasks: door.sim.tasks().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    polls: polls.toSorted(),
    journal: door.sim.journal().map(comparable).toSorted(byContent),
    videos: videos.toSorted(),
  }
}

/** The number of an exchange is its place in the order, as are other counts; wall time and door are not of this world. */
function comparable({
  number: _number,
  wallAt: _wallAt,
  transport: _door,
  settledBefore: _settledBefore,
  reasons,
  ...entry
}: JournalEntry): object {
  return { ...entry, fired: reasons().map(({ rule, fired }) => [rule, fired]) }
}

function byContent(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}

const stories: Story[] = []

describeDoors((open) => {
  it('lives the same story twice, whatever the order across tasks', async () => {
    for (const order of [
      [0, 1, 2, 3, 4],
      [4, 2, 1, 3, 0],
    ]) {
      await using door = await open(options)
      stories.push(await live(door, order))
    }
    for (const story of stories) expect(story).toEqual(stories[0])
    expect(new Set(stories[0]!.tasks.map(({ id }) => id)).size).toBe(prompts.length)
    expect(new Set(stories[0]!.videos.map((video) => video.split(' ')[1])).size).toBe(prompts.length)
  })
})

it('lives another story with another seed', async () => {
  const { openSocket } = await import('./support/doors.ts')
  await using door = await openSocket({ ...options, seed: 8, cacheDir: false })
  const id = await submitVideo(door, { prompt: prompts[0]! })
  expect(stories[0]!.tasks.map((task) => task.id)).not.toContain(id)
})

it('makes the same random draws for a retry in every namespace, and other ids', async () => {
  const { openSocket } = await import('./support/doors.ts')
  await using door = await openSocket({ ...options, cacheDir: false })
  const [alice, bob] = ['alice', 'bob'].map((name) => ({ authorization: `Bearer sk-sim-${name}` }))
  const ids = [await submitVideo(door, {}, alice), await submitVideo(door, {}, bob)]
  const [one, other] = ['alice', 'bob'].map((name) => door.sim.namespace(name).tasks()[0]!)
  expect(ids[0]).not.toBe(ids[1])
  expect(one!.timeline).toEqual(other!.timeline)
})
