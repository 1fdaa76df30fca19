import { fileURLToPath } from 'node:url'
import { Semaphore } from '../semaphore.ts'
import { MediaProcess, ProcessDied } from './media-process.ts'
import { frameMessage, ProcessPool, readMessage, type Message } from './process-pool.ts'

/** The frames of one clip for an encoder. */
export interface EncodeJob {
  width: number
  height: number
  framesPerSecond: number
  /** How many frames `source` yields. */
  frames: number
  /**
   * Returns the frames in order, in parts of any length: planar YUV 4:2:0, width * height * 1.5 bytes each. Called again for
   * a second try.
   */
  source: () => AsyncIterable<Uint8Array>
}

/** A separate program that encodes frames as H.264. */
export interface Encoder {
  /**
   * Encodes all frames into an Annex B stream.
   * @throws {ProcessDied} if its process ends. Another call starts a new one.
   */
  encode(job: EncodeJob): Promise<Uint8Array>
  /** Ends its processes and waits until they have ended. */
  close(): Promise<void>
}

/**
 * The arguments of both encoders. The bytes must not depend on time, machine or number of threads. `ultrafast`, because
 * WebAssembly has no hand-written x264 routines. CABAC and adaptive quantisation take 10 % more time, and save a third of
 * the bytes of flat pictures. Only numbers and constants, so no text of a client becomes an argument.
 */
function encoderArguments({ width, height, framesPerSecond }: EncodeJob, input: string): string[] {
  return `
    -f rawvideo -pix_fmt yuv420p -s ${width}x${height} -r ${framesPerSecond} -i ${input}
    -an -pix_fmt yuv420p
    -c:v libx264 -preset ultrafast -crf 28 -bf 0 -g ${2 * framesPerSecond} -sc_threshold 0
    -x264-params cabac=1:aq-mode=1
    -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv
    -threads 1 -map_metadata -1 -fflags +bitexact -flags:v +bitexact
    -bsf:v filter_units=remove_types=6 -f h264
  `
    .trim()
    .split(/\s+/)
}

/** An ffmpeg program: one process per clip, frames through stdin, H.264 through stdout. */
export class NativeEncoder implements Encoder {
  readonly #program: string
  readonly #slots: Semaphore
  readonly #stallTimeoutMs: number
  readonly #children = new Set<MediaProcess>()
  #isClosed = false

  constructor(options: { program: string; processes: number; stallTimeoutMs: number }) {
    this.#program = options.program
    this.#slots = new Semaphore(options.processes)
    this.#stallTimeoutMs = options.stallTimeoutMs
  }

  /**
   * Runs the program to check that it is an ffmpeg with an H.264 encoder.
   * @returns its version line.
   * @throws {ProcessDied} if it can't be run, {Error} if it lacks libx264.
   */
  async verify(): Promise<string> {
    const encoders = await this.#run(['-hide_banner', '-nostdin', '-encoders'], (child) => child.readToEnd())
    if (!/\blibx264\b/.test(encoders.toString())) throw new Error('it does not list the encoder libx264')
    const version = await this.#run(['-version'], (child) => child.readToEnd())
    return version.toString().split('\n', 1)[0]?.trim() ?? ''
  }

  encode(job: EncodeJob): Promise<Uint8Array> {
    const input = encoderArguments(job, 'pipe:0')
    return this.#slots.use(() =>
      this.#run(['-hide_banner', '-loglevel', 'error', '-nostdin', ...input, 'pipe:1'], async (child) => {
        for await (const part of job.source()) await child.write(part)
        child.finishInput()
        return child.readToEnd()
      }),
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#children].map((child) => child.kill('it was closed')))
  }

  async #run<Result>(args: string[], work: (child: MediaProcess) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new ProcessDied('it was closed')
    const stallTimeoutMs = this.#stallTimeoutMs
    const child = new MediaProcess({ program: this.#program, arguments: args, stallTimeoutMs })
    this.#children.add(child)
    try {
      child.busy()
      return await work(child)
    } finally {
      await child.kill('it was ended after a failure')
      this.#children.delete(child)
    }
  }
}

/** ffmpeg as WebAssembly, in processes that run `wasm-encoder.js`. */
export class WasmEncoder implements Encoder {
  readonly #slots: Semaphore
  readonly #pool: ProcessPool
  readonly #onReady: (version: string) => void

  constructor(options: { processes: number; stallTimeoutMs: number; onReady: (version: string) => void }) {
    const program = fileURLToPath(new URL('./wasm-encoder.js', import.meta.url))
    const { stallTimeoutMs } = options
    this.#slots = new Semaphore(options.processes)
    this.#pool = new ProcessPool({ program: process.execPath, arguments: [program], stallTimeoutMs })
    this.#onReady = options.onReady
  }

  encode(job: EncodeJob): Promise<Uint8Array> {
    return this.#slots.use(() =>
      this.#pool.use(async (child, isNew) => {
        if (isNew) this.#onReady((await readAnswer(child)).version ?? 'ffmpeg')
        const { width, height, frames } = job
        const header = { width, height, frames, arguments: encoderArguments(job, '/frames') }
        try {
          await child.write(frameMessage(header))
          for await (const part of job.source()) await child.write(part)
        } catch (error) {
          // A failing encoder writes the reason before it ends.
          if (child.hasEnded) await readAnswer(child)
          throw error
        }
        return child.read((await readAnswer(child)).byteLength ?? 0)
      }),
    )
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** @throws {ProcessDied} with the error that the encoder reports before it ends. */
async function readAnswer(child: MediaProcess): Promise<Message> {
  const message = await readMessage(child)
  if (message.error !== undefined) throw new ProcessDied(message.error)
  return message
}
