import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { advisoriesIn } from '../scripts/advisories.js'
import { checkConfig } from '../src/cli/config-check.ts'
import { openDirect } from './support/doors.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const tests = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => read(`test/${path}`))

const rows = read('docs/security.md')
  .split('\n')
  .filter((line) => /^\| (?!Threat|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

it.each(rows.map(([, threat, , test]) => [threat!, test!]))('has a test for: %s', (_threat, named) => {
  const name = /^`(.+)`$/.exec(named)?.[1]
  expect(name, 'the third column names a test').toBeTruthy()
  // A name may go on with what it is tried with.
  const found = tests.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}:`))
  expect(found, `no test is called "${name}"`).toBe(true)
})

it('refuses variables by which a command could be made to load other code', () => {
  const names =
    'NODE_OPTIONS LD_PRELOAD PATH Path BASH_ENV SHELLOPTS ZDOTDIR HOME XDG_CONFIG_HOME npm_config_x YARN_RC_FILENAME ' +
    'BUN_OPTIONS PYTHONPATH PYTEST_ADDOPTS PERL5OPT PERLLIB RUBYOPT BUNDLE_GEMFILE PHPRC LUA_INIT JAVA_TOOL_OPTIONS ' +
    '_JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS DOTNET_STARTUP_HOOKS RUSTC_WRAPPER CARGO_HOME ' +
    'GOFLAGS MAKEFLAGS GIT_SSH_COMMAND OPENSSL_CONF ELECTRON_RUN_AS_NODE'
  for (const name of names.split(' '))
    expect(() => checkConfig('a.yaml', `env: { ${name}: x }`)).toThrow('by which other code could be loaded')
  for (const name of [
    'MY_PATH',
    'NODE_ENV',
    'GOOGLE_GEMINI_BASE_URL',
    'JAVA_HOME_OF_MINE',
    'HOME_URL',
    'RUST_LOG',
  ])
    expect(checkConfig('a.yaml', `env: { ${name}: x }`)).toEqual({ env: { [name]: 'x' } })
})

it('serves no file for a rule that came over HTTP', async () => {
  await using door = await openDirect({ cacheDir: false })
  for (const path of ['/_greenroom/rules', '/_greenroom/next']) {
    const op = path.endsWith('rules') ? { match: { op: 'video.content' } } : { op: 'video.content' }
    const body = JSON.stringify({ ...op, media: { file: '/etc/passwd.png' } })
    const response = await door.call(path, { method: 'POST', body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('media.file')])
  }
})

it('fails CI for an advisory, and skips it where nobody can be asked', () => {
  const report = (vulnerabilities: object): string =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities })
  expect(advisoriesIn(report({}))).toEqual({ known: [] })
  const weak = { name: 'weak', severity: 'high', range: '<2.0.0', fixAvailable: true }
  expect(advisoriesIn(report({ weak }))).toEqual({
    known: ['weak <2.0.0 (high); a fix is there: update it'],
  })
  expect(advisoriesIn(JSON.stringify({ message: '405 Method Not Allowed', error: {} }))).toEqual({
    skipped: '405 Method Not Allowed',
  })
  expect(advisoriesIn('')).toEqual({ skipped: 'npm wrote no report' })
  expect(read('.ci/run')).toContain('node scripts/advisories.js')
})
