import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exampleRuns, installPackages, makeClone, runExample } from './support/examples.ts'

let clone: string
beforeAll(async () => {
  clone = makeClone()
  if (process.env['GREENROOM_TEST_INSTALLS'] !== '1') return
  const { code, stderr } = await installPackages(clone)
  expect([code, stderr]).toEqual([0, expect.anything()])
}, 600_000)
afterAll(() => rmSync(clone, { recursive: true, force: true }))

for (const [name, { prints, serves, missing, isFast }] of Object.entries(exampleRuns)) {
  if (isFast) continue
  const what = missing?.()
  const skipped = what === undefined ? '' : ` (skipped: needs ${what})`
  it.skipIf(what !== undefined)(
    `runs the README of examples/${name}${skipped}`,
    { timeout: 300_000 },
    async () => {
      const { code, stdout, stderr } = await runExample(clone, name)
      expect(stdout + stderr).toMatch(prints)
      // What serves is stopped by a signal.
      expect([code, stderr]).toEqual([serves ? null : 0, expect.anything()])
    },
  )
}
