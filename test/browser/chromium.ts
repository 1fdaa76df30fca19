import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { it } from 'vitest'

/** Where Debian puts it; elsewhere, whatever is named. */
export const chromiumProgram = process.env['GREENROOM_CHROMIUM'] ?? '/usr/bin/chromium'

const isThere = existsSync(chromiumProgram)
if (!isThere) {
  process.stderr.write(
    `Skipped: tests in a real browser. There is no ${chromiumProgram}; install chromium, or name one in GREENROOM_CHROMIUM.\n`,
  )
}

/** A test that is skipped where there is no browser. */
export const itInChromium = it.skipIf(!isThere)

/** @returns nothing where there is none. */
export async function startChromium(): Promise<Browser | undefined> {
  if (!isThere) return undefined
  return chromium.launch({
    executablePath: chromiumProgram,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required'],
    timeout: 120_000,
  })
}
