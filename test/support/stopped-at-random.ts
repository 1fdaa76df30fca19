import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Which processes are stopped for a while, again and again, as on a machine that has no time for them. */
export type Stopped = 'nothing' | 'the client' | 'the server' | 'either'

/** Processes that a process has started, and those that they have started. */
function descendantsOf(pid: number): number[] {
  let text = ''
  try {
    text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  } catch {
    // It has ended.
  }
  const children = text.split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}

/** Stops processes below a process for 100 to 300 ms, as long as it runs. Load decides nothing here: it is only one more stop. */
async function stopAtRandom(root: number, stopped: Stopped, isOver: () => boolean): Promise<void> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  while (!isOver()) {
    await pause(10 + Math.random() * 60)
    const clients = descendantsOf(root)
    const some = [root, ...clients].filter(() => Math.random() < 0.5)
    const pids = stopped === 'the server' ? [root] : stopped === 'the client' ? clients : some
    signal(pids, 'SIGSTOP')
    await pause(100 + Math.random() * 200)
    signal(pids, 'SIGCONT')
  }
}

/** A folder with these files, which goes with the test. */
export function temporaryFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** All that must not depend on the machine, without ports. */
interface StoppedRun {
  readonly code: number | null
  readonly printed: string
  readonly report: string
}

/**
 * Runs `greenroom` in a process of its own, in a folder, while processes are stopped at random.
 * @returns how it ended, with the report in `report.json`.
 */
export async function runStopped(
  folder: string,
  words: readonly string[],
  stopped: Stopped,
): Promise<StoppedRun> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const child = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: '', NO_COLOR: '1' },
  })
  let printed = ''
  let isOver = false
  child.stdout.on('data', (bytes: Buffer) => void (printed += bytes.toString()))
  child.stderr.resume()
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stopping = stopped === 'nothing' ? Promise.resolve() : stopAtRandom(child.pid!, stopped, () => isOver)
  const code = await ended
  isOver = true
  await stopping
  const mask = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
  return { code, printed: mask(printed), report: mask(readFileSync(report, 'utf8')) }
}
