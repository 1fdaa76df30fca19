import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { advisoriesIn } from '../scripts/advisories.js'
import { parseConfig } from '../src/cli/serve/config-file.ts'
import { openDirect } from './support/transports.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const tests = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => read(`test/${path}`))

const rows = `${read('docs/explanation/security.md')}\n${read('docs/explanation/security-files.md')}`
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

it('lets a scenario set variables only whose names are those of an application', async () => {
  const refused =
    'NODE_OPTIONS LD_PRELOAD PATH Path BASH_ENV SHELLOPTS ZDOTDIR HOME XDG_CONFIG_HOME npm_config_x YARN_RC_FILENAME ' +
    'BUN_OPTIONS PYTHONPATH PYTEST_ADDOPTS PERL5OPT PERLLIB RUBYOPT BUNDLE_GEMFILE PHPRC LUA_INIT JAVA_TOOL_OPTIONS ' +
    '_JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS DOTNET_STARTUP_HOOKS RUSTC_WRAPPER CARGO_HOME ' +
    'GOFLAGS MAKEFLAGS GIT_SSH_COMMAND OPENSSL_CONF ELECTRON_RUN_AS_NODE ' +
    // Names that no list of refusals had.
    'DENO_DIR JULIA_LOAD_PATH R_PROFILE_USER_FILE NODE_EXTRA_CA_CERTS AWS_CONFIG_FILE KUBECONFIG EDITOR PAGER ' +
    'PIP_INDEX_URL PUPPETEER_DOWNLOAD_BASE_URL FFMPEG_BINARIES_URL npm_config_registry HTTP_PROXY VITE_NODE_MODULE_PATH ' +
    'ANYTHING OTHER x MYSQL'
  for (const name of refused.split(' '))
    await expect(parseConfig('a.yaml', `env: { ${name}: x }`), name).rejects.toThrow(
      `start run with --env ${name}=VALUE`,
    )
  const settable =
    'MY_PATH MY_GATEWAY MY_TOKEN NODE_ENV RUST_LOG TZ GATEWAY_URL GATEWAY_KEY OPENAI_API_KEY OPENAI_BASE_URL HOME_URL ' +
    'OPENAI_API_BASE OPENAI_ORG_ID ANTHROPIC_AUTH_TOKEN GOOGLE_GEMINI_BASE_URL MJ_SERVER MJ_API_SECRET VIDEO_URL URL TOKEN ' +
    'PORT API_HOST VIDEO_MODEL POLL_INTERVAL_MS HTTP_TIMEOUT MAX_RETRIES NEXT_PUBLIC_ANYTHING VITE_ANYTHING ' +
    'GITHUB_TOKEN API_KEY_2 gatewayUrl gateway_url'
  for (const name of settable.split(' '))
    expect(await parseConfig('a.yaml', `env: { ${name}: x }`)).toEqual({ env: { [name]: 'x' } })
})

it('serves no file for a rule that came over HTTP', async () => {
  await using transport = await openDirect({ cacheDir: false })
  for (const path of ['/_greenroom/rules', '/_greenroom/next']) {
    const op = path.endsWith('rules') ? { match: { op: 'video.content' } } : { op: 'video.content' }
    const body = JSON.stringify({ ...op, media: { file: '/etc/passwd.png' } })
    const response = await transport.call(path, { method: 'POST', body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('media.file')])
  }
})

it('fails CI for an advisory, and skips the check without access to advisories', () => {
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
