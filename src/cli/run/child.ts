import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { UsageError, type Terminal } from '../terminal/command.ts'

/** How long a process may take to end after SIGTERM. */
const graceMs = 3_000

/** Standard output of a command, or the end of it. */
export interface CapturedOutput {
  readonly text: string
  /** The length of the whole output. */
  readonly bytes: number
  readonly isWhole: boolean
}

/** More output is copied, but only the end is compared. */
export const maxCapturedBytes = 1024 * 1024

/** A command with all processes that it starts. */
export interface Child {
  /** The exit code, or 128 and the signal's number, as shells count. */
  readonly ended: Promise<number>
  /** Standard output so far, if it is captured. Complete after `end`. */
  readonly output: () => CapturedOutput
  /** The same of standard error, if the child is quiet. */
  readonly errors: () => CapturedOutput
  /** Sends SIGTERM to the whole process group, and SIGKILL after a grace period. Resolves when all have ended. */
  readonly end: () => Promise<void>
}

/**
 * Starts a command without a shell, in a process group of its own, so that all its processes can be ended. It shares our
 * standard streams.
 *
 * @param copyOutput receives standard output, which is then captured instead of shared.
 * @param isQuiet captures standard error as well, and gives the command no input.
 * @throws {UsageError} if it can't be started.
 */
export async function startChild(
  [command = '', ...words]: readonly string[],
  terminal: Pick<Terminal, 'folder' | 'environment' | 'atExit'>,
  variables: Readonly<Record<string, string>>,
  copyOutput?: (chunk: Uint8Array) => void,
  isQuiet = false,
): Promise<Child> {
  const hasGroup = process.platform !== 'win32'
  const child = spawn(command, words, {
    cwd: terminal.folder,
    env: { ...terminal.environment, ...variables },
    stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : ['inherit', copyOutput ? 'pipe' : 'inherit', 'inherit'],
    detached: hasGroup,
  })
  const captured = captureOutput(child.stdout, copyOutput)
  const errors = captureOutput(child.stderr)
  await waitForStart(child, command)
  const removeCleanUp = terminal.atExit?.(() => signal(child, 'SIGKILL', hasGroup)) ?? (() => {})
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, by) => resolve(code ?? 128 + (constants.signals[by!] ?? 0)))
  })
  const end = async (): Promise<void> => {
    signal(child, 'SIGTERM', hasGroup)
    // Orphans stay in the group as zombies if no init process reaps them, as in many containers.
    const deadlineMs = hostTimers.elapsedMs() + graceMs
    while (signal(child, 0, hasGroup) && hostTimers.elapsedMs() < deadlineMs) await delay(20)
    signal(child, 'SIGKILL', hasGroup)
    await ended
    await Promise.all([captured.ended(), errors.ended()])
    removeCleanUp()
  }
  return { ended, end, output: captured.output, errors: errors.output }
}

function captureOutput(
  stream: ChildProcess['stdout'],
  copy?: (chunk: Uint8Array) => void,
): { readonly output: () => CapturedOutput; readonly ended: () => Promise<void> } {
  const chunks: Uint8Array[] = []
  let [heldBytes, bytes] = [0, 0]
  stream?.on('data', (chunk: Uint8Array) => {
    copy?.(chunk)
    chunks.push(chunk)
    bytes += chunk.length
    heldBytes += chunk.length
    while (heldBytes - chunks[0]!.length >= maxCapturedBytes) heldBytes -= chunks.shift()!.length
  })
  return {
    output: () => ({ text: Buffer.concat(chunks).toString('utf8'), bytes, isWhole: heldBytes === bytes }),
    ended: async () => {
      if (!stream || stream.readableEnded || stream.destroyed) return
      const closed = new Promise<void>((resolve) => void stream.once('close', resolve))
      // A daemon that left the process group may hold the pipe open.
      await Promise.race([closed, delay(graceMs)])
      stream.destroy()
    },
  }
}

/** The signal that an exit code means, as shells count. */
export function signalName(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
}

/** How a command ended, such as `exited with 134 (SIGABRT)`. */
export function describeExit(code: number): string {
  const name = signalName(code)
  return `exited with ${code}${name === undefined ? '' : ` (${name})`}`
}

function waitForStart(child: ChildProcess, command: string): Promise<void> {
  const reasons = new Map([
    ['ENOENT', 'there is no such program'],
    ['EACCES', 'it is not executable'],
  ])
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', ({ message, code = '' }: NodeJS.ErrnoException) => {
      const why = reasons.get(code) ?? message
      reject(
        new UsageError(`Failed to run "${command}": ${why}. Name a program after "--"; there is no shell.`),
      )
    })
  })
}

/** @returns whether the signal was delivered. */
function signal(child: ChildProcess, name: NodeJS.Signals | 0, hasGroup: boolean): boolean {
  try {
    return hasGroup ? process.kill(-child.pid!, name) : child.kill(name)
  } catch {
    return false
  }
}

function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => void hostTimers.setTimeout(resolve, durationMs))
}
