import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = new URL('../', import.meta.url)
const main = fileURLToPath(new URL('dist/cli/main.js', root))
const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A copy of the examples, and a shell in which `npx greenroom` is this greenroom. */
function examples(): { folder: string; shell: (line: string, more?: Record<string, string>) => Shell } {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-examples-'))
  folders.push(folder)
  cpSync(new URL('examples/ci', root), folder, { recursive: true })
  // The shell takes the files of the folder for scenarios: the workflow is none.
  rmSync(join(folder, 'github-actions.yml'))
  const npx = join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(npx, 0o755)
  const path = `${folder}:${dirname(process.execPath)}:${process.env['PATH']}`
  return {
    folder,
    shell: (line, more = {}) => {
      const env = { ...process.env, ...more, PATH: path }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
      return { status, stdout, stderr }
    },
  }
}

interface Shell {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The lines that the workflow runs, but for installing. */
function workflowSteps(): string[] {
  const text = readFileSync(new URL('examples/ci/github-actions.yml', root), 'utf8')
  const { jobs } = parse(text) as { jobs: { scenarios: { steps: { run?: string }[] } } }
  return jobs.scenarios.steps.flatMap(({ run }) => (run?.includes('greenroom') ? [run] : []))
}

it('runs the steps of the example for GitHub Actions', () => {
  const { folder, shell } = examples()
  const summary = join(folder, 'summary.md')
  const steps = workflowSteps()
  expect(steps).toHaveLength(2)
  for (const step of steps) {
    const { status, stdout, stderr } = shell(step, { GITHUB_STEP_SUMMARY: summary })
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('a flaky network')])
  }
  expect(readFileSync(summary, 'utf8')).toContain('a flaky network')
  expect(existsSync(join(folder, 'greenroom.xml'))).toBe(true)
})

it('fails the example once its client does not verify downloads', () => {
  const { folder, shell } = examples()
  const client = readFileSync(join(folder, 'video.js'), 'utf8')
  const careless = client.replace(/^ *if \(!isMp4 \|\| !isWhole\).*\n/m, '')
  expect(careless).not.toBe(client)
  writeFileSync(join(folder, 'video.js'), careless)
  const { status, stdout } = shell(workflowSteps()[1]!, { GITHUB_STEP_SUMMARY: join(folder, 'summary.md') })
  expect(status).toBe(20)
  expect(stdout).toMatch(/::error file=flaky-network\.yaml,line=\d+/)
})
