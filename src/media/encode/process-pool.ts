import { MediaProcess, ProcessDied } from './media-process.ts'

/** Processes of one program, kept warm between jobs: loading it takes longer than a small job. */
export class ProcessPool {
  readonly #options: ConstructorParameters<typeof MediaProcess>[0]
  readonly #all = new Set<MediaProcess>()
  readonly #idle: MediaProcess[] = []
  #closed = false

  constructor(options: ConstructorParameters<typeof MediaProcess>[0]) {
    this.#options = options
  }

  /** Starts the first process before its job is there. */
  warmUp(): void {
    if (this.#closed || this.#all.size > 0) return
    try {
      this.release(this.#start())
    } catch {
      // The job will find out for itself.
    }
  }

  /**
   * A process for a job; whoever takes it gives it back, or ends it.
   * @returns the process, and whether it was started for this job.
   * @throws {ProcessDied} when none can be started.
   */
  take(): { child: MediaProcess; isNew: boolean } {
    if (this.#closed) throw new ProcessDied('it was closed')
    const warm = this.#warm()
    const child = warm ?? this.#start()
    child.busy()
    return { child, isNew: warm === undefined }
  }

  /** The job is done, and nothing of it is on its way any more. */
  release(child: MediaProcess): void {
    child.idle()
    this.#idle.push(child)
  }

  /** The job was broken off: something of it may still be on its way, and the process is of no more use. */
  async end(child: MediaProcess): Promise<void> {
    await child.kill('it was ended after a failure')
    this.#all.delete(child)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#all].map((child) => child.kill('it was closed')))
  }

  #warm(): MediaProcess | undefined {
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
