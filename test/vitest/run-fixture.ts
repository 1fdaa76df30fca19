import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url))
const runner = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** What became of the tests of a fixture: what each says when it fails, by its name; nothing where it is fine. */
export interface FixtureRun {
  readonly failures: Readonly<Record<string, string>>
  /** What a person sees. */
  readonly printed: string
}

/** Runs files of tests some of which fail, as a user would, in a process of its own. */
export const runFixture = (...names: string[]): Promise<FixtureRun> => runFixtureWith({}, ...names)

export function runFixtureWith(
  variables: Readonly<Record<string, string>>,
  ...names: string[]
): Promise<FixtureRun> {
  const args = [runner, 'run', '--root', fixtures, ...names, '--reporter=default', '--reporter=json']
  const env = { ...process.env, VITEST: undefined, NODE_ENV: undefined, CI: '1', NO_COLOR: '1', ...variables }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, maxBuffer: 1e8 }, (_error, stdout, stderr) => {
      const report = stdout.split('\n').find((line) => line.startsWith('{"numTotalTestSuites"'))
      if (!report) return reject(new Error(`The fixture did not run:\n${stdout}\n${stderr}`))
      const { testResults } = JSON.parse(report) as {
        testResults: { message: string; assertionResults: { title: string; failureMessages: string[] }[] }[]
      }
      const failures = testResults.flatMap(({ message, assertionResults }) => [
        ...(message ? [['', stripVTControlCharacters(message)]] : []),
        ...assertionResults.map(({ title, failureMessages }) => [
          title,
          stripVTControlCharacters(failureMessages.join('\n---\n')),
        ]),
      ])
      resolve({ failures: Object.fromEntries(failures), printed: stripVTControlCharacters(stderr + stdout) })
    })
  })
}
