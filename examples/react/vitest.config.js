import { existsSync } from 'node:fs'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

// Chromium as Debian installs it. Without executablePath, Playwright takes its own.
const executablePath = process.env.GREENROOM_CHROMIUM ?? '/usr/bin/chromium'
const launchOptions = { executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] }

const inBrowser = {
  name: 'browser',
  // Requests of a page pass MSW's worker, which takes real time: fake timers would be ahead of them.
  include: ['VideoPage.test.jsx'],
  testTimeout: 30_000,
  browser: {
    enabled: true,
    headless: true,
    provider: playwright({ launchOptions }),
    instances: [{ browser: 'chromium' }],
    screenshotFailures: false,
  },
}

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    projects: [
      { extends: true, test: { name: 'jsdom', environment: 'jsdom' } },
      ...(existsSync(executablePath) ? [{ extends: true, test: inBrowser }] : []),
    ],
  },
})
