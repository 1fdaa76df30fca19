import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { constants, tmpdir } from 'node:os'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { UsageError, type Environment, type Terminal } from '../terminal/command.ts'
import { setVariables, systemProgram, toProcessStart } from '../terminal/windows-process.ts'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How long a process may take to end after SIGTERM. */
const graceMs = 3_000

/** What a command wrote to standard output or standard error, or its last part. */
export interface CapturedOutput {
  readonly text: string
  /** The length of the whole output. */
  readonly bytes: number
  readonly isWhole: boolean
}

/** Beyond this size, output is copied, but only its last part is compared. */
export const maxCapturedBytes = 1024 * 1024

/** Functions that receive what a command writes, byte for byte. */
interface OutputCopies {
  readonly stdout?: ((chunk: Uint8Array) => void) | undefined
  readonly stderr?: ((chunk: Uint8Array) => void) | undefined
}

/** A command with all processes that it starts. */
export interface Child {
  /** The id of the process. */
  readonly pid: number
  /** The exit code, or 128 plus the number of the signal, as in shells. */
  readonly ended: Promise<number>
  /** Standard output so far, if it is captured. Complete after `end`. */
  readonly output: () => CapturedOutput
  /** The same for standard error. */
  readonly errors: () => CapturedOutput
  /**
   * Sends SIGTERM to the whole process group, and SIGKILL after a grace period. Windows has neither, so the command and its
   * descendants are killed at once. Resolves when all have ended.
   */
  readonly end: () => Promise<void>
  /** Sends SIGKILL to the whole process group at once. Resolves when the process has ended. */
  readonly kill: () => Promise<void>
}

/**
 * Starts a command without a shell, in its own process group, so that all its processes can be ended. It inherits our
 * standard streams.
 *
 * @param copies receives a stream, which is then captured instead of shared.
 * @param isQuiet captures both streams without a copy, and gives the command no input.
 * @throws {UsageError} if it can't be started.
 */
export async function startChild(
  command: readonly string[],
  terminal: Pick<Terminal, 'folder' | 'environment' | 'atExit'>,
  variables: Readonly<Record<string, string>>,
  copies: OutputCopies = {},
  isQuiet = false,
): Promise<Child> {
  const environment = setVariables(terminal.environment, variables)
  const { program, words, windowsVerbatimArguments } = toProcessStart(command, {
    folder: terminal.folder,
    environment,
  })
  const start = (): ChildProcess =>
    spawn(program, words, {
      cwd: terminal.folder,
      env: environment,
      windowsVerbatimArguments,
      stdio: isQuiet
        ? ['ignore', 'pipe', 'pipe']
        : ['inherit', copies.stdout ? 'pipe' : 'inherit', copies.stderr ? 'pipe' : 'inherit'],
      detached: process.platform !== 'win32',
    })
  const child = startOrExplain(start, command[0] ?? '')
  const captured = captureOutput(child.stdout, copies.stdout)
  const errors = captureOutput(child.stderr, copies.stderr)
  await waitForStart(child, command[0] ?? '')
  const signal = (name: 'SIGTERM' | 'SIGKILL' | 0): boolean => signalProcesses(child, name, environment)
  const removeCleanUp = terminal.atExit?.(() => signal('SIGKILL')) ?? (() => {})
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, by) => resolve(code ?? 128 + (constants.signals[by!] ?? 0)))
  })
  const kill = async (): Promise<void> => {
    signal('SIGKILL')
    await ended
    await Promise.all([captured.ended(), errors.ended()])
    removeCleanUp()
  }
  const end = async (): Promise<void> => {
    signal('SIGTERM')
    // In containers without an init process, orphans stay in the group as zombies.
    const deadlineMs = hostTimers.elapsedMs() + graceMs
    while (signal(0) && hostTimers.elapsedMs() < deadlineMs) await delay(20)
    await kill()
  }
  return { pid: child.pid!, ended, end, kill, output: captured.output, errors: errors.output }
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
      // A daemon outside the process group may hold the pipe open.
      await Promise.race([closed, delay(graceMs)])
      stream.destroy()
    },
  }
}

/** The signal of an exit code, as in shells; undefined without one. */
export function signalName(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0]
}

/** Describes the end of a command, such as `exited with 134 (SIGABRT)`. */
export function describeExit(code: number): string {
  const name = signalName(code)
  return `exited with ${code}${name === undefined ? '' : ` (${name})`}`
}

/** Starts a process. Node throws for some errors, such as an empty name or a file that is not a Windows program. */
function startOrExplain(start: () => ChildProcess, command: string): ChildProcess {
  try {
    return start()
  } catch (error) {
    throw startError(command, error as NodeJS.ErrnoException)
  }
}

function waitForStart(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(startError(command, error)))
  })
}

function startError(command: string, { message, code = '' }: NodeJS.ErrnoException): UsageError {
  const reasons = new Map([
    ['ENOENT', 'there is no such program'],
    ['EACCES', 'it is not executable'],
    ['ERR_INVALID_ARG_VALUE', 'it is not a name'],
  ])
  const why = reasons.get(code) ?? message
  return new UsageError(`Failed to run "${command}": ${why}. Name a program after "--"; there is no shell.`)
}

/**
 * Signals a command and its descendants: its process group, or on Windows its child processes.
 * @returns whether there was a process to signal.
 */
export function signalProcesses(
  child: Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'>,
  name: 'SIGTERM' | 'SIGKILL' | 0,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
  run: (program: string, words: readonly string[]) => { readonly status: number | null } = runHidden,
): boolean {
  try {
    if (platform !== 'win32') return process.kill(-child.pid!, name)
    // Another process may have the id of a process that has ended.
    if (child.exitCode !== null || child.signalCode !== null) return false
    if (name === 0) return true
    const words = ['/pid', String(child.pid), '/t', '/f']
    return run(systemProgram('taskkill.exe', environment), words).status === 0 || child.kill(name)
  } catch {
    return false
  }
}

function runHidden(program: string, words: readonly string[]): { readonly status: number | null } {
  return spawnSync(program, words, { stdio: 'ignore', windowsHide: true })
}

function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => void hostTimers.setTimeout(resolve, durationMs))
}

/** The variable that names the folder in which a program keeps what must survive a crash. */
export const runFolderVariable = 'GREENROOM_RUN_DIR'

/** A folder of one run, which all its processes share. */
interface RunFolder {
  readonly path: string
  /** Removes it with everything in it. A folder that has taken its place stays. */
  readonly remove: () => Promise<void>
}

/** Creates an empty folder among the temporary files. A mark next to it proves that it is ours. */
export async function createRunFolder(): Promise<RunFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'greenroom-run-'))
  const [path, mark] = [join(parent, 'run'), join(parent, 'made-by-greenroom')]
  const token = `${process.pid} ${parent}`
  await writeFile(mark, token)
  await mkdir(path)
  const remove = async (): Promise<void> => {
    const found = await readFile(mark, 'utf8').catch(() => undefined)
    if (found === token) await rm(parent, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  return { path, remove }
}
