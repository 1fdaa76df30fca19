import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** Where Debian puts it; elsewhere, whatever is named. */
const program = process.env['GREENROOM_CHROMIUM'] ?? '/usr/bin/chromium'

/** Why tests in a real browser can't be run here; nothing when they can. */
export const whyNoBrowser = existsSync(program)
  ? undefined
  : `there is no ${program}: install Debian's chromium, or name one in GREENROOM_CHROMIUM`

/** A real browser; what it does on its own account is switched off, and only machines' own processes are trusted. */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required'],
    timeout: 120_000,
  })
}
