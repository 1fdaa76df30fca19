import { spawn } from 'node:child_process'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** Without a desktop, the opener may be the browser itself and last as long as its window. */
const maxWaitMs = 1_500

/** Opens a URL in the user's browser, without a shell. @returns why that failed, as a sentence; undefined if it worked. */
export function openBrowser(url: string): Promise<string | undefined> {
  const [program, ...words] = openers[process.platform] ?? ['xdg-open']
  const failed = `Failed to open a browser by ${program}. Open ${url} yourself.`
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true, windowsHide: true })
    child.once('error', () => resolve(failed))
    // Explorer and others end with 1 although they worked.
    child.once('exit', (code) => resolve(code === 0 || process.platform === 'win32' ? undefined : failed))
    child.unref()
    const timer = hostTimers.setTimeout(() => resolve(undefined), maxWaitMs)
    for (const event of ['error', 'exit']) child.once(event, () => hostTimers.clearTimeout(timer))
  })
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
}
