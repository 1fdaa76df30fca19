import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exampleRuns, installPackages, makeClone, root, runExample } from './support/examples.ts'

const mayInstall = process.env['GREENROOM_TEST_INSTALLS'] === '1'

let clone: string
beforeAll(async () => {
  clone = makeClone()
  if (!mayInstall) return
  const { code, stderr } = await installPackages(clone)
  expect([code, stderr]).toEqual([0, expect.anything()])
}, 600_000)
afterAll(() => rmSync(clone, { recursive: true, force: true }))

for (const [name, { prints, serves, missing, isQuiet }] of Object.entries(exampleRuns)) {
  const what = missing?.()
  const skipped = what === undefined ? '' : ` (skipped: needs ${what})`
  it.skipIf(what !== undefined)(
    `runs the README of examples/${name}${skipped}`,
    { timeout: 300_000 },
    async () => {
      const { code, stdout, stderr } = await runExample(clone, name)
      expect(isQuiet ? stdout : stdout + stderr).toMatch(prints)
      // npm warns about its own settings.
      const problems = stderr.replaceAll(/^npm warn .*\n/gm, '')
      // What serves is stopped by a signal.
      expect([code, problems]).toEqual([serves ? null : 0, isQuiet ? '' : expect.anything()])
    },
  )
}

it('reports a README whose command fails', async () => {
  writeFileSync(join(clone, 'examples/openai/chat.js'), 'throw new Error("broken")')
  const { code, stderr } = await runExample(clone, 'openai')
  expect([code, stderr]).toEqual([1, expect.stringContaining('broken')])
})

it.skipIf(!mayInstall)(
  `compiles examples/docker/testcontainers.ts${mayInstall ? '' : ' (skipped: needs GREENROOM_TEST_INSTALLS=1)'}`,
  { timeout: 300_000 },
  () => {
    const folder = join(clone, 'testcontainers')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    cpSync(join(root, 'examples/docker/testcontainers.ts'), join(folder, 'testcontainers.ts'))
    const run = (...words: string[]): { status: number | null; printed: string } => {
      const { status, stdout, stderr } = spawnSync(words[0]!, words.slice(1), {
        cwd: folder,
        encoding: 'utf8',
      })
      return { status, printed: stdout + stderr }
    }
    const install = ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund']
    expect(run(...install, 'testcontainers@12.2.0', '@types/node@20.19.43')).toMatchObject({ status: 0 })
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags =
      '--noEmit --strict --target es2023 --lib es2023,esnext.disposable --module nodenext --skipLibCheck --ignoreConfig'
    const file = 'testcontainers.ts'
    expect(run(process.execPath, tsc, ...flags.split(' '), '--types', 'node', file)).toEqual({
      status: 0,
      printed: '',
    })
  },
)
