import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { chromiumProgram } from './chromium.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// React, jsdom and Vitest's browser mode are no dependencies. `.ci/run` installs what the example names into a folder of
// its own, and names that folder here.
const packages = process.env['GREENROOM_REACT']
const why = packages === undefined ? ' (skipped: GREENROOM_REACT names no folder that has its packages)' : ''

it.skipIf(packages === undefined)(
  `runs the example for React in jsdom, and in Chromium where it is installed${why}`,
  { timeout: 240_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'greenroom-react-'))
    try {
      cpSync(join(root, 'examples/react'), folder, { recursive: true })
      cpSync(join(packages!, 'node_modules'), join(folder, 'node_modules'), { recursive: true })
      rmSync(join(folder, 'node_modules/greenroom'), { recursive: true, force: true })
      symlinkSync(root, join(folder, 'node_modules/greenroom'))
      const outside = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_)/.test(name))
      const env = { ...Object.fromEntries(outside), CI: '1', NO_COLOR: '1' }
      const run = (program: string, ...args: string[]): { status: number | null; output: string } => {
        const path = join(folder, 'node_modules', program)
        const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
          cwd: folder,
          env,
          encoding: 'utf8',
        })
        return { status, output: stdout + stderr }
      }
      expect(run('msw/cli/index.js', 'init', 'public', '--save')).toMatchObject({ status: 0 })
      const { status, output } = run('vitest/vitest.mjs', 'run')
      const passed = existsSync(chromiumProgram) ? /5 passed \| 1 skipped/ : /2 passed \| 1 skipped/
      expect([status, output]).toEqual([0, expect.stringMatching(passed)])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

it('shows in docs/how-to/browser.md nothing but what the example for React runs', () => {
  const docs = readFileSync(join(root, 'docs/how-to/browser.md'), 'utf8')
  const example = readFileSync(join(root, 'examples/react/VideoPage.test.jsx'), 'utf8')
  const [block] = /(?<=```jsx\n)[\s\S]*?(?=```)/.exec(docs)!
  expect(example).toContain(block)
})
