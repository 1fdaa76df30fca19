import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { UsageError, type Terminal } from '../terminal/command.ts'

/** So long a process that was asked to end may take. */
const graceMs = 3_000

/** The output of a command, or the end of it. */
export interface CapturedOutput {
  readonly text: string
  /** The length of the whole output. */
  readonly bytes: number
  readonly isWhole: boolean
}

/** More output is passed on, but only the end of it is compared. */
export const maxCapturedBytes = 1024 * 1024

/** A command that runs beside us, with all processes that it starts. */
export interface Child {
  /** The exit code, or 128 and the signal's number, as shells count. */
  readonly ended: Promise<number>
  /** Standard output so far, if it is captured. Complete after `end`. */
  readonly output: () => CapturedOutput
  /** Ends the command and what it has started: asks first, and insists after a moment. Resolves when all is over. */
  readonly end: () => Promise<void>
}

/**
 * Starts a command in a process group of its own, so that it can be ended whole. It shares our streams, and no shell
 * reads its words.
 *
 * @param copyOutput gets standard output, which is then captured instead of shared.
 * @throws {UsageError} when there is no such command.
 */
export async function startChild(
  [command = '', ...words]: readonly string[],
  terminal: Pick<Terminal, 'folder' | 'environment' | 'atExit'>,
  more: Readonly<Record<string, string>>,
  copyOutput?: (chunk: Uint8Array) => void,
): Promise<Child> {
  const ownGroup = process.platform !== 'win32'
  const child = spawn(command, words, {
    cwd: terminal.folder,
    env: { ...terminal.environment, ...more },
    stdio: ['inherit', copyOutput ? 'pipe' : 'inherit', 'inherit'],
    detached: ownGroup,
  })
  const captured = captureOutput(child, copyOutput)
  await started(child, command)
  const callOff = terminal.atExit?.(() => signal(child, 'SIGKILL', ownGroup)) ?? (() => {})
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, by) => resolve(code ?? 128 + (constants.signals[by!] ?? 0)))
  })
  const end = async (): Promise<void> => {
    signal(child, 'SIGTERM', ownGroup)
    await goneWithin(graceMs, child, ownGroup)
    signal(child, 'SIGKILL', ownGroup)
    await ended
    await captured.ended
    callOff()
  }
  return { ended, end, output: captured.output }
}

/** Copies standard output while it is captured. */
function captureOutput(
  { stdout }: ChildProcess,
  copy: ((chunk: Uint8Array) => void) | undefined,
): { readonly output: () => CapturedOutput; readonly ended: Promise<void> } {
  const chunks: Uint8Array[] = []
  let [heldBytes, bytes] = [0, 0]
  stdout?.on('data', (chunk: Uint8Array) => {
    copy?.(chunk)
    chunks.push(chunk)
    bytes += chunk.length
    heldBytes += chunk.length
    while (heldBytes - chunks[0]!.length >= maxCapturedBytes) heldBytes -= chunks.shift()!.length
  })
  return {
    output: () => ({ text: Buffer.concat(chunks).toString('utf8'), bytes, isWhole: heldBytes === bytes }),
    get ended() {
      if (!stdout || stdout.readableEnded || stdout.destroyed) return Promise.resolve()
      const closed = new Promise<void>((resolve) => void stdout.once('close', resolve))
      // A daemon that left the process group may hold the pipe open.
      return Promise.race([closed, elapsed(graceMs)]).then(() => void stdout.destroy())
    },
  }
}

/** The signal that an exit code stands for, as shells count. */
export function signalOf(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
}

/** How a command ended, by its exit code: what shells count for a signal is told by its name. */
export function endInWords(code: number): string {
  const name = signalOf(code)
  return `exited with ${code}${name === undefined ? '' : ` (${name})`}`
}

function started(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', ({ message, code }: NodeJS.ErrnoException) => {
      const why =
        code === 'ENOENT' ? 'there is no such program' : code === 'EACCES' ? 'it is no program' : message
      reject(
        new UsageError(`Failed to run "${command}": ${why}. Name a program behind "--"; no shell reads it.`),
      )
    })
  })
}

/**
 * Resolves when the command and all that it has started are over, or when that takes too long: where nobody asks how orphans
 * have ended, as in many a container, they keep their place for ever.
 */
async function goneWithin(durationMs: number, child: ChildProcess, ownGroup: boolean): Promise<void> {
  const untilMs = hostTimers.elapsedMs() + durationMs
  while (signal(child, 0, ownGroup) && hostTimers.elapsedMs() < untilMs) await elapsed(20)
}

/** @returns whether there was anybody to hear it. */
function signal(child: ChildProcess, name: NodeJS.Signals | 0, ownGroup: boolean): boolean {
  try {
    return ownGroup ? process.kill(-child.pid!, name) : child.kill(name)
  } catch {
    return false
  }
}

function elapsed(durationMs: number): Promise<void> {
  return new Promise((resolve) => void hostTimers.setTimeout(resolve, durationMs))
}
