import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkConfig } from '../src/cli/config-check.ts'
import { openSocket, type OpenDoor } from './support/doors.ts'
import { pollVideo, submitVideo } from './support/video.ts'

const folder = new URL('../scenarios/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

const open = (name: string): Promise<OpenDoor> =>
  openSocket({ ...checkConfig(name, readFileSync(new URL(name, folder), 'utf8')), cacheDir: false })

/** Submits three videos and polls each to its end, or for a virtual quarter of an hour. */
async function drive(door: OpenDoor): Promise<string[]> {
  const ids = [await submitVideo(door), await submitVideo(door), await submitVideo(door)]
  const results: string[] = []
  for (const id of ids) {
    let video = await pollVideo(door, id)
    for (let poll = 0; poll < 180 && !['SUCCESS', 'FAILURE'].includes(video.status); poll++) {
      video = await pollVideo(door, id)
    }
    results.push(video.status + (video.fail_reason === '' ? '' : `: ${video.fail_reason}`))
  }
  return results
}

it.each(names)('fires every rule of scenarios/%s', async (name) => {
  await using door = await open(name)
  await drive(door)
  for (const { id, fired } of door.sim.core.rules.counts()) expect(fired, id).toBeGreaterThan(0)
})

it('fails the second task only, with its reason', async () => {
  await using door = await open('second-task-fails.yaml')
  expect(await drive(door)).toEqual(['SUCCESS', 'FAILURE: content policy: prompt rejected', 'SUCCESS'])
})

it('keeps the first task in the queue for ever', async () => {
  await using door = await open('stuck-in-the-queue.yaml')
  expect(await drive(door)).toEqual(['queued', 'SUCCESS', 'SUCCESS'])
})

it('delays polls by what the seed says', async () => {
  await using door = await open('slow-answers.yaml')
  await drive(door)
  const delays = door.sim.journal({ operation: 'video.poll' }).map(({ delayMs }) => delayMs)
  expect(delays).toContain(8_000)
  for (const delay of delays) expect(delay === 8_000 || (delay >= 300 && delay <= 900)).toBe(true)
})
