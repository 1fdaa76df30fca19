import { readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { drawFrames } from '../../src/media/encode/drawn-frames.ts'
import { FrameDrawers } from '../../src/media/encode/full-clip.ts'
import { childProcesses } from './child-processes.ts'
import { boxesOf, specOf } from './clips.ts'
import { flat, openMedia } from './open.ts'

const isLinux = process.platform === 'linux'

function openDrawers() {
  const drawers = new FrameDrawers({ stallTimeoutMs: 20_000 })
  return Object.assign(drawers, { [Symbol.asyncDispose]: () => drawers.close() })
}

async function all(frames: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts = []
  for await (const frame of frames) parts.push(Uint8Array.from(frame))
  return Buffer.concat(parts)
}

it('draws in another process the frames that would be drawn in this one', async () => {
  await using drawers = openDrawers()
  const spec = specOf({ width: 160, height: 90, seconds: 1, framesPerSecond: 4 })
  const picture = await flat('#3366cc')

  expect((await all(drawers.frames(spec))).equals(await all(drawFrames(spec)))).toBe(true)
  expect((await all(drawers.frames(spec, [picture]))).equals(await all(drawFrames(spec, [picture])))).toBe(
    true,
  )
})

it('says what went wrong with a frame, and draws the next clip as if nothing was', async () => {
  await using drawers = openDrawers()
  const spec = specOf({ width: 64, height: 64, seconds: 1, framesPerSecond: 2 })

  await expect(all(drawers.frames(spec, [new Uint8Array([1, 2, 3])]))).rejects.toThrow(
    /unsupported image format/,
  )

  expect(await all(drawers.frames(spec))).toHaveLength(64 * 64 * 1.5 * 2)
})

it('draws no further ahead than is wanted', async () => {
  await using drawers = openDrawers()
  const spec = specOf({ width: 640, height: 360, seconds: 60, framesPerSecond: 24 })
  const frames = drawers.frames(spec)
  await frames.next()
  const externalBytes = process.memoryUsage().external
  const [drawer] = isLinux ? await childProcesses('frame-drawer') : []

  // Until it waits, as long as that takes. One that runs from source asks now and then whether it may go on.
  let ticks = -100
  await expect
    .poll(async () => (drawer === undefined ? 0 : -ticks + (ticks = await ticksOf(drawer))), {
      interval: 200,
    })
    .toBeLessThan(5)

  expect(process.memoryUsage().external - externalBytes).toBeLessThan(10_000_000)
  await frames.return(undefined)
})

it.runIf(isLinux)('makes a clip whose frames stop half-way', async () => {
  await using media = openMedia()
  let killed: string | undefined

  const { bytes } = await media.clip(specOf(), (frame) => {
    if (frame !== 10 || killed) return
    killed = 'at once'
    void childProcesses('frame-drawer').then(([drawer]) => process.kill(Number((killed = drawer)), 'SIGKILL'))
  })

  expect(killed).toMatch(/^\d+$/)
  expect(boxesOf(bytes).frames).toBe(24)
})

it.runIf(isLinux)('answers polls before it draws and encodes', async () => {
  await using media = openMedia()
  await media.clip(specOf({ width: 64, height: 64, seconds: 1 }))

  for (const name of ['frame-drawer', 'wasm-encoder'] as const) {
    const [child] = await childProcesses(name)
    expect(getPriority(Number(child)), name).toBe(Math.min(19, getPriority() + 5))
  }
})

/** Processor time that a process has used, in ticks. */
async function ticksOf(id: string): Promise<number> {
  const [, rest = ''] = (await readFile(`/proc/${id}/stat`, 'utf8')).split(') ')
  const fields = rest.split(' ')
  return Number(fields[11]) + Number(fields[12])
}
