import { spawn } from 'node:child_process'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { Environment } from './command.ts'
import { systemProgram } from './windows-process.ts'

/** Without a desktop, the opener may be the browser itself, and run until its window closes. */
const maxWaitMs = 1_500

/** Opens a URL in the user's browser, without a shell. @returns why that failed, as a sentence; undefined if it worked. */
export function openBrowser(url: string): Promise<string | undefined> {
  const { program, words } = toOpener(process.platform, process.env)
  const failed = `Failed to open a browser by ${program}. Open ${url} yourself.`
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true, windowsHide: true })
    child.once('error', () => resolve(failed))
    child.once('exit', (code) => resolve(code === 0 || process.platform === 'win32' ? undefined : failed))
    child.unref()
    const timer = hostTimers.setTimeout(() => resolve(undefined), maxWaitMs)
    for (const event of ['error', 'exit']) child.once(event, () => hostTimers.clearTimeout(timer))
  })
}

/**
 * The program that opens a URL, and its arguments before the URL. On Windows, explorer.exe would consider a URL with a
 * query a folder. `start` is a command of cmd.exe, which would interpret `&`.
 */
export function toOpener(
  platform: NodeJS.Platform,
  environment: Environment,
): { readonly program: string; readonly words: readonly string[] } {
  if (platform === 'darwin') return { program: 'open', words: [] }
  if (platform !== 'win32') return { program: 'xdg-open', words: [] }
  return { program: systemProgram('rundll32.exe', environment), words: ['url.dll,FileProtocolHandler'] }
}
