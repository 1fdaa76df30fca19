import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { JournalEntry, TaskSummary } from '../src/index.ts'
import { describeTransports, type OpenTransport } from './support/transports.ts'
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
async function live(transport: OpenTransport, order: readonly number[]): Promise<Story> {
  const ids: string[] = []
  const polls: string[] = []
  for (const index of order) ids.push(await submitVideo(transport, { prompt: prompts[index] }))
  for (const step of ['3s', '5s', '1m']) {
    await transport.sim.clock.advance(step)
    for (const id of ids) polls.push(JSON.stringify(await pollVideo(transport, id)))
  }
  const videos: string[] = []
  for (const id of ids) {
    const bytes = Buffer.from(await (await getContent(transport, id)).arrayBuffer())
    videos.push(`${id} ${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return {
    tasks: transport.sim.tasks().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    polls: polls.toSorted(),
    journal: transport.sim.journal().map(comparable).toSorted(byContent),
    videos: videos.toSorted(),
  }
}

/** Omits what depends on the order of requests (numbers, counts), on wall time and on the transport. */
function comparable({
  number: _number,
  wallAt: _wallAt,
  transport: _transport,
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

describeTransports((open) => {
  it('lives the same story twice, whatever the order across tasks', async () => {
    for (const order of [
      [0, 1, 2, 3, 4],
      [4, 2, 1, 3, 0],
    ]) {
      await using transport = await open(options)
      stories.push(await live(transport, order))
    }
    for (const story of stories) expect(story).toEqual(stories[0])
    expect(new Set(stories[0]!.tasks.map(({ id }) => id)).size).toBe(prompts.length)
    expect(new Set(stories[0]!.videos.map((video) => video.split(' ')[1])).size).toBe(prompts.length)
  })
})

it('lives another story with another seed', async () => {
  const { openSocket } = await import('./support/transports.ts')
  await using transport = await openSocket({ ...options, seed: 8, cacheDir: false })
  const id = await submitVideo(transport, { prompt: prompts[0]! })
  expect(stories[0]!.tasks.map((task) => task.id)).not.toContain(id)
})

it('makes the same random draws for a retry in every namespace, and other ids', async () => {
  const { openSocket } = await import('./support/transports.ts')
  await using transport = await openSocket({ ...options, cacheDir: false })
  const [alice, bob] = ['alice', 'bob'].map((name) => ({ authorization: `Bearer sk-sim-${name}` }))
  const ids = [await submitVideo(transport, {}, alice), await submitVideo(transport, {}, bob)]
  const [one, other] = ['alice', 'bob'].map((name) => transport.sim.namespace(name).tasks()[0]!)
  expect(ids[0]).not.toBe(ids[1])
  expect(one!.timeline).toEqual(other!.timeline)
})
