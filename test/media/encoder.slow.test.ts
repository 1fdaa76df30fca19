import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { splitPictures } from '../../src/media/h264/annex-b.ts'
import { mp4 } from '../../src/media/h264/mp4.ts'
import { ChosenEncoder } from '../../src/media/encode/chosen-encoder.ts'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import { yuv420 } from '../../src/media/h264/yuv.ts'
import { childProcesses } from './child-processes.ts'
import { boxesOf, decode, meanDifference, specOf } from './clips.ts'
import { folder, program } from './folders.ts'

const isWindows = process.platform === 'win32'
const standIn = fileURLToPath(new URL('./stand-in-ffmpeg.js', import.meta.url))
const runStandIn = `exec "${process.execPath}" "${standIn}" "$@"`

function open(options: NodeMediaOptions = {}) {
  const media = nodeMedia({ cacheDir: false, ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

/** A slope of colours that slides, in rgb24: it owes nothing to sharp. */
function slope(frame: number): Uint8Array {
  return Uint8Array.from({ length: 64 * 48 * 3 }, (_, index) => {
    const [x, y] = [Math.floor(index / 3) % 64, Math.floor(index / 192)]
    return [4 * x + frame * 6, 5 * y, 128 + frame * 2][index % 3]!
  })
}

const synthetic = {
  width: 64,
  height: 48,
  framesPerSecond: 12,
  frames: 24,
  async *source() {
    for (let frame = 0; frame < 24; frame += 1) {
      yield yuv420({ data: slope(frame), width: 64, height: 48, channels: 3 })
    }
  },
}

function encoder(candidate: ConstructorParameters<typeof ChosenEncoder>[0]['candidate'], processes = 1) {
  const limits = { processes, stallTimeoutMs: 20_000 }
  const chosen = new ChosenEncoder({ candidate, limits, onWarning: () => undefined })
  return Object.assign(chosen, { [Symbol.asyncDispose]: () => chosen.close() })
}

it('gives with WebAssembly the same bytes on every machine', async () => {
  await using wasm = encoder({ kind: 'wasm', reason: 'for a test' })

  const stream = await wasm.encode(synthetic)

  expect(createHash('sha256').update(stream).digest('hex')).toBe(
    'af75664cd6eb4eb956385e301de575bcb95079624017248272b37a5f99051893',
  )
})

it('names the version of the WebAssembly that is installed', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  await using wasm = encoder({ kind: 'wasm', reason: 'for a test' })

  expect(await wasm.identity()).toBe(`wasm: @ffmpeg/core ${manifest.dependencies['@ffmpeg/core']}`)
})

it('shows the frames that went in', async () => {
  await using wasm = encoder({ kind: 'wasm', reason: 'for a test' })
  const clip = mp4({ ...synthetic, stream: splitPictures(await wasm.encode(synthetic)) })

  const { frames } = await decode(clip, synthetic)

  // Sharp colour edges at every 64th pixel blur; the rest is within a few steps.
  expect(meanDifference(frames[20]!, slope(20))).toBeLessThan(12)
})

it('names its candidate without starting anything, and its version after the first clip', async () => {
  await using media = open({ ffmpeg: 'wasm' })
  expect(media.encoder()).toEqual({
    candidate: 'wasm',
    verified: false,
    reason: expect.stringMatching(/^set by GREENROOM_FFMPEG/),
  })

  await media.clip(specOf())

  expect(media.encoder()).toMatchObject({ candidate: 'wasm', verified: true })
  expect(media.encoder().version).toMatch(/^ffmpeg version 5\.1\.4/)
})

it('refuses at once a path that is no program', () => {
  expect(() => nodeMedia({ ffmpeg: '/nowhere/ffmpeg' })).toThrow(
    /"\/nowhere\/ffmpeg".*does not exist.*"wasm"/,
  )
  expect(() => nodeMedia({ ffmpeg: '/tmp' })).toThrow(/is not a file/)
})

it.skipIf(isWindows)('uses the ffmpeg of the option', async () => {
  await using files = await folder()
  const ffmpeg = await program(files, 'ffmpeg', runStandIn)
  await using media = open({ ffmpeg })

  const { bytes } = await media.clip(specOf({ width: 160, height: 90, seconds: 1 }))

  expect(media.encoder()).toMatchObject({ candidate: ffmpeg, verified: true })
  expect(boxesOf(bytes)).toMatchObject({ width: 160, height: 90, frames: 12, seconds: 1 })
})

it.skipIf(isWindows)(
  'takes ffmpeg-static where it works, and WebAssembly with a warning where not',
  async () => {
    await using files = await folder()
    const good = await program(files, 'good', runStandIn)
    const bad = await program(files, 'bad', 'echo "wrong architecture" >&2; exit 8')
    const onWarning = vi.fn()
    await using withGood = open({ ffmpegStatic: good, onWarning })
    await using withBad = open({ ffmpegStatic: bad, onWarning })
    await using without = open({ ffmpegStatic: `${files.path}/none` })
    expect([withGood, withBad, without].map((media) => media.encoder().candidate)).toEqual([
      'ffmpeg-static',
      'ffmpeg-static',
      'wasm',
    ])
    const spec = specOf({ width: 64, height: 64, seconds: 1 })

    await withGood.clip(spec)
    expect(withGood.encoder()).toMatchObject({ candidate: 'ffmpeg-static', verified: true })
    expect(onWarning).not.toHaveBeenCalled()

    await Promise.all([withBad.clip(spec), withBad.clip({ ...spec, taskId: 'b' })])
    expect(withBad.encoder()).toMatchObject({ candidate: 'wasm', verified: true })
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/status 8.*wrong architecture.*wasm/),
    )
  },
)

it.skipIf(isWindows)('fails with the reason and what to do for an invalid ffmpeg', async () => {
  await using files = await folder()
  const ffmpeg = await program(files, 'ffmpeg', 'echo "no such encoder list"')
  await using media = open({ ffmpeg })

  await expect(media.clip(specOf())).rejects.toThrow(
    expect.objectContaining({
      name: 'RenderFailed',
      message: expect.stringMatching(/ffmpeg can't be used.*libx264/),
    }),
  )
  // Fast clips don't need it.
  expect((await media.clip(specOf({ quality: 'fast' }))).bytes.length).toBeGreaterThan(1000)
})

it.skipIf(isWindows)(
  'tries a second time when an encoder dies, and makes the next clips as if nothing was',
  async () => {
    await using files = await folder()
    const runs = `${files.path}/runs`
    const ffmpeg = await program(
      files,
      'ffmpeg',
      `case "$*" in *pipe:0*) echo run >> "${runs}"; [ $(wc -l < "${runs}") = 1 ] && kill -9 $$;; esac\n${runStandIn}`,
    )
    await using media = open({ ffmpeg })
    const spec = specOf({ width: 64, height: 64, seconds: 1 })

    expect(boxesOf((await media.clip(spec)).bytes).frames).toBe(12)

    expect((await readFile(runs, 'utf8')).trim().split('\n')).toHaveLength(2)
  },
)

it.skipIf(isWindows)(
  'reports the output of an encoder that always crashes, and recovers with it',
  async () => {
    await using files = await folder()
    const broken = `${files.path}/broken`
    const ffmpeg = await program(
      files,
      'ffmpeg',
      `case "$*" in *pipe:0*) [ -e "${broken}" ] && { echo "out of luck" >&2; exit 3; };; esac\n${runStandIn}`,
    )
    await writeFile(broken, '')
    await using media = open({ ffmpeg })
    const spec = specOf({ width: 64, height: 64, seconds: 1 })

    await expect(media.clip(spec)).rejects.toThrow(
      /Failed to encode a clip of 64x64 with .*ffmpeg, twice: it ended with status 3; its last output: out of luck.*Give another/,
    )
    await rm(broken)
    expect(boxesOf((await media.clip(spec)).bytes).frames).toBe(12)
  },
)

it.skipIf(isWindows)('ends an encoder that shows no sign of life', async () => {
  await using files = await folder()
  const answers = `*-encoders*) echo libx264;; *-version*) echo ffmpeg version 0;; *) exec sleep 60;;`
  const ffmpeg = await program(files, 'ffmpeg', `case "$*" in ${answers} esac`)
  await using media = open({ ffmpeg, stallTimeoutMs: 800 })

  await expect(media.clip(specOf({ width: 640, height: 360 }))).rejects.toThrow(/no sign of life for 800 ms/)
})

it.runIf(process.platform === 'linux')('serves a clip whose encoder is killed half-way', async () => {
  await using wasm = encoder({ kind: 'wasm', reason: 'for a test' })
  let killed: string | undefined
  const source = async function* () {
    let frame = 0
    for await (const picture of synthetic.source()) {
      frame += 1
      if (frame === 10 && !killed) {
        killed = (await childProcesses('wasm-encoder'))[0]
        process.kill(Number(killed), 'SIGKILL')
      }
      yield picture
    }
  }

  const stream = await wasm.encode({ ...synthetic, source })

  expect(killed).toBeDefined()
  expect(splitPictures(stream).pictures).toHaveLength(24)
})

it.runIf(process.platform === 'linux')('leaves no process behind, whether idle or at work', async () => {
  const programs = ['frame-drawer', 'wasm-encoder'] as const
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false })
  await media.clip(specOf())
  for (const name of programs) expect(await childProcesses(name), name).toHaveLength(1)
  const long = media.clip(specOf({ seconds: 30 }))
  const waiting = media.clip(specOf({ seconds: 30, taskId: 'b' }))
  const late = Promise.allSettled([long, waiting])
  await sleep(300)

  await media.close()

  for (const name of programs) expect(await childProcesses(name), name).toEqual([])
  for (const outcome of await late) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'RenderFailed' } })
  }
  await expect(media.clip(specOf())).rejects.toThrow(/greenroom is closed/)
})

it('ends with the program that started it', async () => {
  const file = fileURLToPath(new URL('../../src/media/encode/wasm-encoder.js', import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'ignore', 'inherit'] })

  child.stdin.destroy()

  expect(await once(child, 'exit')).toEqual([0, null])
})

it('does not hold up the event loop while it renders', async () => {
  await using media = open({ ffmpeg: 'wasm' })
  let maxMs = 0
  const began = performance.now()
  let last = began
  const ticking = setInterval(() => {
    maxMs = Math.max(maxMs, performance.now() - last)
    last = performance.now()
  }, 1)

  await media.clip(specOf({ width: 640, height: 360 }))
  clearInterval(ticking)

  // A share, since a busy machine stretches both.
  expect(maxMs).toBeLessThan((performance.now() - began) / 4)
})
