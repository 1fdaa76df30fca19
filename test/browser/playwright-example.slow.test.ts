import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { itInChromium } from './chromium.ts'

itInChromium(
  'runs examples/playwright',
  async () => {
    const file = fileURLToPath(new URL('../../examples/playwright/video.test.js', import.meta.url))
    // Within a run of tests node:test would report to that run, and not to us.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], {
      env,
    })
    expect(stdout).toMatch(/^# pass 2$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  },
  120_000,
)
