import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** Thrown if a process that draws or encodes ends, or is stopped, before its work is done. */
export class ProcessDied extends Error {
  override name = 'ProcessDied'
}

/** By how much the priority of these processes is lower than ours: clips take seconds, polls take milliseconds. */
const niceness = 5

/**
 * A process that draws or encodes, with a watchdog. It reads and writes bytes. While it has no work, it does not keep this
 * program alive.
 */
export class MediaProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #stallTimeoutMs: number
  readonly #maxUnreadBytes: number
  readonly #closed: Promise<void>
  #received: Buffer[] = []
  #receivedBytes = 0
  /** The end of its output on stderr. */
  #log = ''
  /** Why the process can do nothing more. Set once. */
  #end: { status: number | null; reason: string } | undefined
  #listeners: (() => void)[] = []

  /**
   * @param options.stallTimeoutMs how long it may be silent while we wait for it.
   * @param options.maxUnreadBytes the maximum number of unread bytes; unlimited by default.
   * @throws {ProcessDied} if the system can't start a process.
   */
  constructor(options: {
    program: string
    arguments: string[]
    stallTimeoutMs: number
    maxUnreadBytes?: number
  }) {
    this.#stallTimeoutMs = options.stallTimeoutMs
    this.#maxUnreadBytes = options.maxUnreadBytes ?? Infinity
    this.#child = start(options.program, options.arguments)
    const { stdin, stdout, stderr } = this.#child
    stdout.on('data', (chunk: Buffer) => {
      this.#received.push(chunk)
      this.#receivedBytes += chunk.length
      // Back-pressure: the process blocks when its pipe is full.
      if (this.#receivedBytes > this.#maxUnreadBytes) stdout.pause()
      this.#notify()
    })
    stderr.on('data', (chunk: Buffer) => (this.#log = (this.#log + chunk).slice(-2000)))
    stdin.on('drain', () => this.#notify())
    // A pipe breaks when the process ends. Its exit code says more.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)
    this.#closed = new Promise((resolve) => this.#onEnd(resolve))
    this.idle()
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Begins work: keeps this program alive. */
  busy(): void {
    for (const handle of this.#handles()) handle.ref?.()
  }

  /** Ends work: this program may end, and the process with it. */
  idle(): void {
    for (const handle of this.#handles()) handle.unref?.()
  }

  /**
   * Sends bytes. Resolves when the pipe accepts more.
   * @throws {ProcessDied}
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#throwIfEnded()
    if (this.#child.stdin.write(bytes)) return
    while (this.#child.stdin.writableNeedDrain) {
      await this.#nextEvent()
      this.#throwIfEnded()
    }
  }

  finishInput(): void {
    this.#child.stdin.end()
  }

  /**
   * Reads exactly this many bytes of its output.
   * @throws {ProcessDied}
   */
  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.readParts(length)) parts.push(part)
    return Buffer.concat(parts, length)
  }

  /**
   * Reads exactly this many bytes of its output, in parts as they come. A copy of each frame would double the garbage
   * collections.
   * @throws {ProcessDied}
   */
  async *readParts(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      const part = await this.#readPart(left)
      left -= part.length
      yield part
    }
  }

  /**
   * Reads its output until it ends.
   * @throws {ProcessDied} if it does not end successfully.
   */
  async readToEnd(): Promise<Buffer> {
    while (!this.#end) await this.#nextEvent()
    if (this.#end.status !== 0) this.#throwIfEnded()
    return Buffer.concat(this.#received)
  }

  /** Kills the process and waits until it has ended. */
  async kill(reason: string): Promise<void> {
    this.#end ??= { status: null, reason }
    // Keeps this program alive until then.
    this.#child.ref()
    this.#child.kill('SIGKILL')
    this.#child.stdin.destroy()
    this.#notify()
    await this.#closed
  }

  async #readPart(maxBytes: number): Promise<Buffer> {
    while (this.#received.length === 0) {
      this.#throwIfEnded()
      await this.#nextEvent()
    }
    const first = this.#received[0]!
    const part = first.subarray(0, maxBytes)
    if (part.length < first.length) this.#received[0] = first.subarray(maxBytes)
    else this.#received.shift()
    this.#receivedBytes -= part.length
    // A paused stream does not report its end.
    if (this.#receivedBytes <= this.#maxUnreadBytes) this.#child.stdout.resume()
    return part
  }

  #onEnd(closed: () => void): void {
    const { stdout, stderr } = this.#child
    const end = (status: number | null, reason: string) => {
      this.#end ??= { status, reason }
      this.idle()
      this.#notify()
      closed()
    }
    this.#child.on('error', ({ message }) => end(null, `it could not be started (${message})`))
    this.#child.on('close', (status, signal) =>
      end(status, signal ? `it was ended by ${signal}` : `it ended with status ${status}`),
    )
    this.#child.on('exit', () => {
      if (!this.#end) return
      // The process was killed. Its children may still hold the pipes, so don't wait for those.
      stdout.destroy()
      stderr.destroy()
      closed()
    })
  }

  #throwIfEnded(): void {
    if (!this.#end) return
    const lines = this.#log.trim().split('\n').slice(-3).join(' / ')
    throw new ProcessDied(lines ? `${this.#end.reason}; its last output: ${lines}` : this.#end.reason)
  }

  /** Waits for an event of the process, and kills it if there is none in time. */
  async #nextEvent(): Promise<void> {
    const watchdog = hostTimers.setTimeout(
      () => void this.kill(`it showed no sign of life for ${this.#stallTimeoutMs} ms and was ended`),
      this.#stallTimeoutMs,
    )
    await new Promise<void>((resolve) => this.#listeners.push(resolve))
    hostTimers.clearTimeout(watchdog)
  }

  #notify(): void {
    for (const resume of this.#listeners.splice(0)) resume()
  }

  #handles(): { ref?: () => void; unref?: () => void }[] {
    // The pipes of a child are sockets with ref and unref, which are missing in their types.
    const { stdin, stdout, stderr } = this.#child
    return [this.#child, stdin, stdout, stderr] as { ref?: () => void; unref?: () => void }[]
  }
}

function start(program: string, args: string[]): ChildProcessWithoutNullStreams {
  // Loaders, inspectors and coverage of an embedding test runner must not run in this process.
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...environment } = process.env
  try {
    const child = spawn(program, args, { stdio: 'pipe', env: environment, windowsHide: true })
    // Without free file descriptors there are no pipes, and the error is emitted later.
    if (child.stdin as unknown) {
      lowerPriority(child.pid)
      return child
    }
    child.on('error', () => undefined)
    throw new Error('too many files are open')
  } catch (error) {
    throw new ProcessDied(`it could not be started (${(error as Error).message})`, { cause: error })
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined)
      setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness))
  } catch {
    // The process has ended, or the system forbids it. Both are harmless.
  }
}
