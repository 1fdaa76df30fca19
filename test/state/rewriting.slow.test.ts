import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { fileIn, keep, newFolder, type Kept } from './keep.ts'
import { call, commandOf, headers, serve } from './served.ts'
import { pollVideo, submitVideo } from '../support/video.ts'
import { turns } from '../support/turns.ts'

/** What a kill at one moment would leave, and what was acknowledged by then. */
interface Left {
  readonly files: ReadonlyMap<string, Buffer>
  readonly tasks: readonly string[]
  readonly looks: number
}

it('loses nothing by a kill between any two steps of the disk while the file is written anew', async () => {
  const folder = newFolder()
  const left: Left[] = []
  const tasks: string[] = []
  let looks = 0
  const draft = `${fileIn(folder)}.new`
  const note = (): void => {
    if (!fs.existsSync(draft)) return
    const names = fs.readdirSync(folder).filter((name) => name !== 'lock')
    const files = new Map(names.map((name) => [name, fs.readFileSync(join(folder, name))]))
    left.push({ files, tasks: [...tasks], looks })
  }
  const noted = <Result>(step: () => Result): Result => {
    note()
    const result = step()
    note()
    return result
  }
  const disk = {
    ...fs,
    writeSync: ((file: number, bytes: Buffer, from: number, length: number, position: number) => {
      // A kill comes between two calls of the system, and a call may write a part.
      return noted(() => fs.writeSync(file, bytes, from, Math.ceil(length / 2), position))
    }) as typeof fs.writeSync,
    ftruncateSync: (file: number, length?: number) => noted(() => fs.ftruncateSync(file, length)),
    renameSync: (from: string, to: string) => noted(() => fs.renameSync(from, to)),
  }
  await using kept = keep(folder, {}, { defaultBytes: 8_000, disk: disk as typeof fs })
  const first = await submitVideo(kept, { prompt: 'a kite [[stuck]]' })
  tasks.push(first)
  for (let n = 0; n < 30; n++) {
    tasks.push(await submitVideo(kept, { prompt: `a boat ${n}` }))
    await pollVideo(kept, first)
    looks++
    await turns(2)
  }
  await expect.poll(() => fs.existsSync(draft), { timeout: 20_000 }).toBe(false)
  const whole = left.filter((_, index) => index % Math.ceil(left.length / 60) === 0)
  expect(whole.length).toBeGreaterThan(20)
  for (const { files, tasks: known, looks: looked } of whole) {
    const again = newFolder()
    for (const [name, bytes] of files) fs.writeFileSync(join(again, name), bytes)
    await using gone = keep(again)
    const ids = gone.sim.tasks().map(({ id }) => id)
    // What was just being written may be there, too.
    expect(ids.slice(0, known.length)).toEqual(known)
    expect(ids.length).toBeLessThanOrEqual(known.length + 1)
    if (known.length > 0) expect(gone.sim.task(first).pollCount).toBeGreaterThanOrEqual(looked)
    expect(fs.existsSync(`${fileIn(again)}.new`)).toBe(false)
  }
}, 60_000)

it('has what was acknowledged after a kill -9 while the file is written anew', async () => {
  const draws = keyedDraws('rewriting')
  const folder = newFolder()
  const config = join(newFolder(), 'greenroom.json')
  // Each submission changes a million letters of variables, so that the file is written anew with every twentieth.
  const set = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`name-${n}`, 'x'.repeat(90_000)]))
  fs.writeFileSync(config, JSON.stringify({ rules: [{ match: { op: 'video.submit' }, set }] }))
  const command = commandOf(folder, ['--clock', 'manual', '--config', config])
  const known: string[] = []
  for (let round = 0; round < 3; round++) {
    const { child, url } = await serve(command)
    const gone = once(child, 'exit')
    const killSoon = draws.integer(20, 'kill', 'after', round)
    const watcher = fs.watch(folder, (_, name) => {
      if (name !== 'state.jsonl.new') return
      watcher.close()
      setTimeout(() => child.kill('SIGKILL'), killSoon)
    })
    const submitting = async (): Promise<void> => {
      for (let n = 0; ; n++) {
        const body = JSON.stringify({ model: 'video-1', prompt: `${round} ${n}` })
        const response = await fetch(`${url}/v1/video/generations`, { method: 'POST', headers, body })
        known.push(((await response.json()) as { task_id: string }).task_id)
      }
    }
    await expect(submitting()).rejects.toThrow(/fetch failed|terminated/)
    await gone
    const again = await serve(command)
    const ids = (await call<{ id: string }[]>(`${again.url}/_greenroom/tasks`, 'GET')).map(({ id }) => id)
    // One that nobody was told of may have come with each kill.
    expect(ids.filter((id) => known.includes(id))).toEqual(known)
    expect(ids.length - known.length).toBeLessThanOrEqual(round + 1)
    const ended = once(again.child, 'exit')
    again.child.kill('SIGKILL')
    await ended
  }
}, 120_000)

it('writes the file anew also where none of many runs makes it grow by much', async () => {
  const folder = newFolder()
  const run = async (work: (kept: Kept) => Promise<unknown>): Promise<void> => {
    await using kept = keep(folder, {}, { defaultBytes: 8_000 })
    await work(kept)
    // What a rewriting needs of turns and of the disk.
    await turns(20)
    await expect.poll(() => fs.existsSync(`${fileIn(folder)}.new`), { timeout: 20_000 }).toBe(false)
  }
  let task = ''
  await run(async (kept) => (task = await submitVideo(kept, { prompt: 'a kite [[stuck]]' })))
  const sizes: number[] = []
  for (let runs = 0; runs < 12; runs++) {
    await run(async (kept) => {
      for (let polls = 0; polls < 20; polls++) await pollVideo(kept, task)
    })
    sizes.push(fs.statSync(fileIn(folder)).size)
  }
  expect(Math.max(...sizes)).toBeLessThan(20_000)
  // Nor is it written anew with each start.
  expect(sizes.filter((size, index) => size < (sizes[index - 1] ?? 0)).length).toBeLessThan(6)
  await using again = keep(folder)
  expect(again.sim.task(task).pollCount).toBe(240)
})
