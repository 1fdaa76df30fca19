import { MediaProcess, ProcessDied } from './media-process.ts'

/** Processes of one program, reused between jobs: starting one takes longer than a small job. */
export class ProcessPool {
  readonly #options: ConstructorParameters<typeof MediaProcess>[0]
  readonly #all = new Set<MediaProcess>()
  readonly #idle: MediaProcess[] = []
  #isClosed = false

  constructor(options: ConstructorParameters<typeof MediaProcess>[0]) {
    this.#options = options
  }

  /** Starts a process before there is a job for it. */
  warmUp(): void {
    if (this.#isClosed || this.#all.size > 0) return
    try {
      this.giveBack(this.#start())
    } catch {
      // The job reports the failure.
    }
  }

  /**
   * A process for a job. Return it with `giveBack`, or `end` it.
   * @returns the process, and whether it was started for this job.
   * @throws {ProcessDied} if no process can be started.
   */
  take(): { child: MediaProcess; isNew: boolean } {
    if (this.#isClosed) throw new ProcessDied('it was closed')
    const idle = this.#takeIdle()
    const child = idle ?? this.#start()
    child.busy()
    return { child, isNew: idle === undefined }
  }

  /** Takes a process for one job, and ends it if the job fails. */
  async use<Result>(job: (child: MediaProcess, isNew: boolean) => Promise<Result>): Promise<Result> {
    const { child, isNew } = this.take()
    try {
      const result = await job(child, isNew)
      this.giveBack(child)
      return result
    } catch (error) {
      await this.end(child)
      throw error
    }
  }

  giveBack(child: MediaProcess): void {
    child.idle()
    this.#idle.push(child)
  }

  /** Ends a process whose job was interrupted, because some of its output may still arrive. */
  async end(child: MediaProcess): Promise<void> {
    await child.kill('it was ended after a failure')
    this.#all.delete(child)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((child) => child.kill('it was closed')))
  }

  #takeIdle(): MediaProcess | undefined {
    for (let child = this.#idle.pop(); child; child = this.#idle.pop()) {
      if (!child.hasEnded) return child
      this.#all.delete(child)
    }
    return undefined
  }

  #start(): MediaProcess {
    const child = new MediaProcess(this.#options)
    this.#all.add(child)
    return child
  }
}

/** A message of our programs; see `wasm-encoder.js` and `frame-drawer.ts`. */
export interface Message {
  version?: string
  /** How many bytes follow the message. */
  byteLength?: number
  error?: string
  /** Whether a required package is missing. */
  isMissing?: boolean
}

/** A message to our programs: a u32 length and JSON. */
export function frameMessage(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}

/** @throws {ProcessDied} */
export async function readMessage(child: MediaProcess): Promise<Message> {
  const length = (await child.read(4)).readUInt32LE()
  return JSON.parse((await child.read(length)).toString()) as Message
}
