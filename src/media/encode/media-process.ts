import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** A process that draws or encodes ended, or was ended, before its work was done. */
export class ProcessDied extends Error {
  override name = 'ProcessDied'
}

/**
 * How much more willingly than we these processes let others go first, as Unix counts it: films take seconds in any case,
 * while whoever polls for one waits for a millisecond.
 */
const nicer = 5

/**
 * One process that draws or encodes: bytes in, bytes out, a watchdog, and an end that can be waited for. Nothing of it
 * keeps the program that embeds us alive while no work is under way.
 */
export class MediaProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #stallTimeoutMs: number
  readonly #gone: Promise<void>
  #received: Buffer[] = []
  #receivedBytes = 0
  readonly #maxUnreadBytes: number
  #wantedBytes = 0
  #complaints = ''
  /** Why nothing more can be expected; set once. */
  #end: { status: number | null; reason: string } | undefined
  #waiting: (() => void)[] = []

  /**
   * @param options the program, its arguments (no shell reads them), how long it may show no sign of life while we
   *   wait for it, in milliseconds, and how much of its answers may lie here unread: all that it says, if left out.
   * @throws {ProcessDied} when the system has no room for a process.
   */
  constructor(options: {
    program: string
    arguments: string[]
    stallTimeoutMs: number
    maxUnreadBytes?: number
  }) {
    this.#stallTimeoutMs = options.stallTimeoutMs
    this.#maxUnreadBytes = options.maxUnreadBytes ?? Infinity
    this.#child = started(options.program, options.arguments)
    const { stdin, stdout, stderr } = this.#child
    stdout.on('data', (chunk: Buffer) => {
      this.#received.push(chunk)
      this.#receivedBytes += chunk.length
      // It can say no more than fits into its pipe, then, until somebody reads.
      if (this.#receivedBytes > Math.max(this.#maxUnreadBytes, this.#wantedBytes)) stdout.pause()
      this.#wake()
    })
    stderr.on('data', (chunk: Buffer) => (this.#complaints = (this.#complaints + chunk).slice(-2000)))
    stdin.on('drain', () => this.#wake())
    // A pipe that breaks means that the process ended, and its own end says more.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)
    this.#gone = new Promise((resolve) => this.#onEnd(resolve))
    this.idle()
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  /** Work begins: the program that embeds us goes on until it is done. */
  busy(): void {
    for (const handle of this.#handles()) handle.ref?.()
  }

  /** Work is done: the program that embeds us may end, and the process with it. */
  idle(): void {
    for (const handle of this.#handles()) handle.unref?.()
  }

  /**
   * Sends bytes, and comes back when there is room for more.
   * @throws {ProcessDied}
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#refuseIfEnded()
    if (this.#child.stdin.write(bytes)) return
    while (this.#child.stdin.writableNeedDrain) {
      await this.#change()
      this.#refuseIfEnded()
    }
  }

  finishInput(): void {
    this.#child.stdin.end()
  }

  /**
   * Exactly this many bytes of what the process answers.
   * @throws {ProcessDied}
   */
  async read(length: number): Promise<Buffer> {
    this.#wantedBytes = length
    while (this.#receivedBytes < length) {
      this.#refuseIfEnded()
      this.#child.stdout.resume()
      await this.#change()
    }
    const bytes = this.#take(length)
    this.#wantedBytes = 0
    // An end is only noticed by who listens.
    if (this.#receivedBytes <= this.#maxUnreadBytes) this.#child.stdout.resume()
    return bytes
  }

  /**
   * All that the process answers until it ends by itself.
   * @throws {ProcessDied} when it ends with anything but success.
   */
  async readToEnd(): Promise<Buffer> {
    while (!this.#end) await this.#change()
    if (this.#end.status !== 0) this.#refuseIfEnded()
    return Buffer.concat(this.#received)
  }

  /** Ends the process, however busy it is, and waits until it is gone. */
  async kill(reason: string): Promise<void> {
    this.#end ??= { status: null, reason }
    // Idle or not, whoever waits for its end must be kept alive until then.
    this.#child.ref()
    this.#child.kill('SIGKILL')
    this.#child.stdin.destroy()
    this.#wake()
    await this.#gone
  }

  /** Takes the first of what was received, as many bytes as there are, in one piece. */
  #take(length: number): Buffer {
    const taken = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length;) {
      const piece = this.#received[0]!
      const part = piece.subarray(0, length - filled)
      taken.set(part, filled)
      filled += part.length
      if (part.length < piece.length) this.#received[0] = piece.subarray(part.length)
      else this.#received.shift()
    }
    this.#receivedBytes -= length
    return taken
  }

  #onEnd(gone: () => void): void {
    const { stdout, stderr } = this.#child
    const ended = (status: number | null, reason: string) => {
      this.#end ??= { status, reason }
      this.idle()
      this.#wake()
      gone()
    }
    this.#child.on('error', ({ message }) => ended(null, `it could not be started (${message})`))
    this.#child.on('close', (status, signal) =>
      ended(status, signal ? `it was ended by ${signal}` : `it ended with status ${status}`),
    )
    this.#child.on('exit', () => {
      if (!this.#end) return
      // We ended it ourselves. Its own children may still hold the pipes: don't wait for those.
      stdout.destroy()
      stderr.destroy()
      gone()
    })
  }

  #refuseIfEnded(): void {
    if (!this.#end) return
    const complaints = this.#complaints.trim().split('\n').slice(-3).join(' / ')
    throw new ProcessDied(complaints ? `${this.#end.reason}; it said: ${complaints}` : this.#end.reason)
  }

  /** Waits until something happens to the process, and ends it when nothing does. */
  async #change(): Promise<void> {
    const watchdog = hostTimers.setTimeout(
      () => void this.kill(`it showed no sign of life for ${this.#stallTimeoutMs} ms and was ended`),
      this.#stallTimeoutMs,
    )
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
    hostTimers.clearTimeout(watchdog)
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }

  #handles(): Handle[] {
    // Pipes of a child are sockets, which can be told not to hold the program; their types don't say so.
    const { stdin, stdout, stderr } = this.#child
    return [this.#child, stdin as Handle, stdout as Handle, stderr as Handle]
  }
}

interface Handle {
  ref?: () => void
  unref?: () => void
}

function started(program: string, args: string[]): ChildProcessWithoutNullStreams {
  // What an embedding test runner wants of its Node processes (loaders, inspectors, coverage) is not for us.
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...environment } = process.env
  try {
    const child = spawn(program, args, { stdio: 'pipe', env: environment, windowsHide: true })
    // Out of file descriptors there are no pipes; the error that says so comes later, to whoever listens.
    if (child.stdin as unknown) {
      stepBack(child.pid)
      return child
    }
    child.on('error', () => undefined)
    throw new Error('too many files are open')
  } catch (error) {
    throw new ProcessDied(`it could not be started (${(error as Error).message})`, { cause: error })
  }
}

function stepBack(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + nicer))
  } catch {
    // It is gone already, or may not be told: it works all the same.
  }
}
