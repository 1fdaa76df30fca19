import { MediaProcess, ProcessDied } from './media-process.ts'
import { encoderArguments, type EncodeJob, type Encoder } from './encoder.ts'
import { Semaphore } from '../semaphore.ts'

/** An ffmpeg of this machine: one process for each clip, frames in through stdin, H.264 out through stdout. */
export class NativeEncoder implements Encoder {
  readonly #program: string
  readonly #slots: Semaphore
  readonly #stallTimeoutMs: number
  readonly #children = new Set<MediaProcess>()
  #closed = false

  constructor(options: { program: string; processes: number; stallTimeoutMs: number }) {
    this.#program = options.program
    this.#slots = new Semaphore(options.processes)
    this.#stallTimeoutMs = options.stallTimeoutMs
  }

  /**
   * Runs the program to see whether it is an ffmpeg that can make H.264.
   * @returns its version line.
   * @throws {ProcessDied} when it can't be run, {Error} when it lacks libx264.
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
        for await (const frame of job.source()) await child.write(frame)
        child.finishInput()
        return child.readToEnd()
      }),
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#children].map((child) => child.kill('it was closed')))
  }

  async #run<Result>(args: string[], work: (child: MediaProcess) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new ProcessDied('it was closed')
    const child = new MediaProcess({
      program: this.#program,
      arguments: args,
      stallTimeoutMs: this.#stallTimeoutMs,
    })
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
