import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { saveTestReport } from '../../../src/judge/reports/html/files.ts'
import type { Verdict } from '../../../src/index.ts'
import { greenroomMatchers } from '../../../src/matchers/index.ts'

expect.extend(greenroomMatchers)

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-report-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function verdictOfNothing(): Promise<Verdict> {
  await using sim = createSimulator({ cacheDir: false })
  return sim.verdict()
}

it('replaces the report of an earlier run, and writes no more than a hundred to one folder', async () => {
  const folder = emptyFolder()
  const run = { verdict: await verdictOfNothing() }
  for (let nth = 0; nth < 100; nth++) writeFileSync(join(folder, `test-${nth}.html`), 'old')

  expect(saveTestReport(folder, 'test-7', run)).toBe(`report: ${join(folder, 'test-7.html')}`)
  expect(readFileSync(join(folder, 'test-7.html'), 'utf8')).toMatch(/^<!doctype html>/)
  expect(saveTestReport(folder, 'another', run)).toContain('has 100 reports already. Delete them.')
  expect(readdirSync(folder)).toHaveLength(100)
})

it('says why there is no report, instead of hiding the failure by another', async () => {
  const file = join(emptyFolder(), 'reports')
  writeFileSync(file, 'not a folder')

  expect(saveTestReport(file, 'a-test', { verdict: await verdictOfNothing() })).toMatch(
    /^report: none\. EEXIST/,
  )
})

it('names the report in the message of a matcher, for simulators, namespaces and verdicts', async () => {
  const folder = emptyFolder()
  vi.stubEnv('GREENROOM_REPORT', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  await using sim = createSimulator({ cacheDir: false })
  const verdict = await sim.watch({ requests: [{ op: 'video.submit', count: 1 }] }).verdict()
  const line = /\n\nreport: .*names-the-report-in-the-message-of-a-matcher-for-simulato-\w{6}\.html$/

  expect(() => expect(sim).toHaveSettled()).toThrow(line)
  expect(() => expect(sim.namespace('alice')).toHaveRequested('video.poll')).toThrow(line)
  expect(() => expect(verdict).toPass()).toThrow(line)
  expect(sim).not.toHaveSettled()
  expect(readdirSync(folder)).toHaveLength(1)
})
