import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ResolvedConfig } from 'vitest/node'
import { setup } from '../support/require-build.ts'

const config = fileURLToPath(new URL('../../vitest.config.ts', import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** Runs one small test of an empty project with the configuration of this one. */
function runTests(prepare: (root: string) => void) {
  const root = mkdtempSync(join(tmpdir(), 'greenroom-test-configuration-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'test'))
  writeFileSync(
    join(root, 'test/small.test.ts'),
    `const { it, expect } = await import(${JSON.stringify(import.meta.resolve('vitest'))})
     it('is small', () => expect(1).toBe(1))`,
  )
  prepare(root)
  const env = { ...process.env, VITEST: undefined, NODE_ENV: undefined, NO_COLOR: '1' }
  const args = [vitest, 'run', '--config', config, '--root', root]
  return spawnSync(process.execPath, args, { env, encoding: 'utf8' })
}

it('says "build first" without a build', () => {
  const root = mkdtempSync(join(tmpdir(), 'greenroom-test-configuration-'))
  onTestFinished(() => {
    vi.restoreAllMocks()
    rmSync(root, { recursive: true })
  })
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exited')
  })
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(() => setup({ config: { root } as ResolvedConfig })).toThrow('exited')
  expect(exit).toHaveBeenCalledWith(1)
  expect(write).toHaveBeenCalledWith(
    'There is no build: the folder dist is missing. Run npm run build first.\n',
  )
})

it('warns of a stale build, and runs the tests', () => {
  const { status, stdout, stderr } = runTests((root) => mkdirSync(join(root, 'dist')))
  expect(stderr).toContain('warning: The build is stale: dist was not built from the current sources.')
  expect(stdout).toContain('1 passed')
  expect(status).toBe(0)
})

it.each(['', 'true'])('runs each test once, with CI=%j', async (value) => {
  vi.stubEnv('CI', value)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.resetModules()
  const { default: loaded } = (await import('../../vitest.config.ts')) as {
    default: { test: { retry?: unknown } }
  }
  expect(loaded.test.retry ?? 0).toBe(0)
})
