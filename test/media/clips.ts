import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createFile, MP4BoxBuffer } from 'mp4box'
import type { ClipSpec } from '../../src/media/spec.ts'

/** A small clip of two seconds; say what should differ. */
export function specOf(changes: Partial<ClipSpec> = {}): ClipSpec {
  return {
    kind: 'clip',
    prompt: 'a deer in a misty forest at dawn',
    model: 'motion-1',
    seed: '7',
    taskId: 'task_1',
    width: 320,
    height: 180,
    seconds: 2,
    framesPerSecond: 12,
    quality: 'full',
    caption: true,
    ...changes,
  }
}

export interface Decoded {
  /** rgb24. */
  frames: Uint8Array[]
  /** The decoder's line about the stream. */
  stream: string
  /** One channel at 48 kHz; none without an audio track. */
  sound: Int16Array
}

/** Decodes every frame in a process of its own; the first error in the stream is an error here. */
export async function decode(
  clip: Uint8Array,
  { width, height }: { width: number; height: number },
): Promise<Decoded> {
  const folder = await mkdtemp(join(tmpdir(), 'greenroom-decode-'))
  try {
    const [file, output, pcm] = ['clip.mp4', 'frames.rgb', 'sound.pcm'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(file, clip)
    const hasSound = Buffer.from(clip).includes('mp4a')
    const program = fileURLToPath(new URL('./decode-clip.js', import.meta.url))
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, file, output, ...(hasSound ? [pcm] : [])],
      {
        maxBuffer: 10_000_000,
      },
    )
    const { status, log } = JSON.parse(stdout) as { status: number; log: string[] }
    const complaint = log.find((line) => /error|corrupt|conceal|invalid/i.test(line))
    if (status !== 0 || complaint) throw new Error(`The clip does not decode: ${log.slice(-6).join('\n')}`)
    const all = await readFile(output)
    const size = width * height * 3
    const frames = Array.from({ length: all.length / size }, (_, i) => all.subarray(i * size, (i + 1) * size))
    const sound = hasSound ? new Int16Array(Uint8Array.from(await readFile(pcm)).buffer) : new Int16Array()
    return { frames, sound, stream: log.find((line) => /Stream #0:0.*Video: h264/.test(line)) ?? '' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What another parser than ours reads in the file's boxes. */
export function boxesOf(clip: Uint8Array) {
  const file = createFile()
  let parsed: Parameters<NonNullable<typeof file.onReady>>[0] | undefined
  file.onReady = (info) => (parsed = info)
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(clip).buffer, 0))
  file.flush()
  const track = parsed?.videoTracks[0]
  if (!parsed || !track) throw new Error('The file has no video track that mp4box understands.')
  return {
    order: file.boxes.map(({ type }) => type),
    codec: track.codec,
    width: track.video?.width,
    height: track.video?.height,
    frames: track.nb_samples,
    seconds: parsed.duration / parsed.timescale,
    trackSeconds: track.duration / track.timescale,
    isProgressive: parsed.isProgressive,
    audio: parsed.audioTracks.map(
      ({ codec, audio, duration, timescale, movie_duration, movie_timescale }) => ({
        codec,
        rate: audio?.sample_rate,
        channels: audio?.channel_count,
        seconds: duration / timescale,
        movieSeconds: movie_duration / movie_timescale,
      }),
    ),
  }
}

export function meanDifference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((total, value, index) => total + Math.abs(value - b[index]!), 0) / a.length
}

/** Mean red, green and blue of an rgb24 picture. */
export function meanColour(rgb: Uint8Array): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0]
  rgb.forEach((value, index) => (sums[(index % 3) as 0 | 1 | 2] += value))
  const pixels = rgb.length / 3
  return [sums[0] / pixels, sums[1] / pixels, sums[2] / pixels]
}
