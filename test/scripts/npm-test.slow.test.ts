import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/test.js', import.meta.url))
const passing = 'process.exit(0)'
const failing = "console.log('what is wrong'); process.exit(1)"

/** Runs `npm test` in a project whose checks and tests are small programs. */
function runTests({ lint = passing, types = passing, tests = passing }, words: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'greenroom-npm-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const files = {
    'package.json': JSON.stringify({
      type: 'module',
      scripts: { lint: 'node lint.js', types: 'node types.js' },
    }),
    'lint.js': lint,
    'types.js': types,
    'scripts/prepare.js': "console.log('built')",
    'node_modules/vitest/package.json': '{}',
    'node_modules/vitest/vitest.mjs': `console.log(process.argv.slice(2).join(' ')); ${tests}`,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  cpSync(script, join(root, 'scripts/test.js'))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/test.js', ...words], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

it('builds, then hands its arguments to Vitest', () => {
  expect(runTests({}, ['test/tidy.test.ts'])).toEqual({
    status: 0,
    stdout: 'built\nrun --project !slow test/tidy.test.ts\n',
    stderr: '',
  })
})

it('fails if any check fails, says what is wrong, and names all that failed', () => {
  const { status, stderr } = runTests({ lint: failing, types: failing, tests: 'process.exit(1)' })
  expect(status).toBe(1)
  expect(stderr.match(/npm run (?:lint|types) failed:\nwhat is wrong\n/g)).toHaveLength(2)
  expect(stderr).toMatch(
    /\nFailed: (?=.*npm run lint)(?=.*npm run types)(?=.*vitest)(?:[a-z ]+(?:, |\n)){3}$/,
  )
})

it('fails if Vitest is killed', () => {
  const tests = "process.kill(process.pid, 'SIGKILL')"
  expect(runTests({ tests })).toMatchObject({ status: 1, stderr: 'Failed: vitest\n' })
})
