import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { advisoriesIn } from '../scripts/advisories.js'
import { parseConfig } from './support/parse-config.ts'
import { openDirect } from './support/transports.ts'
import { needs } from './support/needs.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const tests = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => read(`test/${path}`).replaceAll(/\(\s+/g, '('))

/** Each threat of the page, with the test of its guard. */
const testedThreats: readonly (readonly [threat: string, test: string])[] = [
  ['Another machine on the network', 'refuses to listen on a public address without a list of valid keys'],
  ['… with a key that is easy to guess', 'accepts only listed keys on a public address, no namespace keys'],
  [
    '… that moves time or changes rules',
    'closes the control API on a public address unless there is a token',
  ],
  [
    '… that asks for the version or the seed',
    'tells a health check without a token that it runs, and nothing else',
  ],
  ['Another user of a shared CI host', 'requires the token for control calls, if one is set'],
  ['A web page that calls loopback', 'refuses pages of other origins unless they are allowed'],
  [
    'DNS rebinding: the name of a page resolved to loopback',
    'guards the control plane against a name that was rebound to this machine',
  ],
  [
    'A page that uses the cookie of the dashboard',
    'exchanges the token for a cookie, which only pages of the server itself can use',
  ],
  ['Task notifications that are sent to the control API', 'refuses task notifications as control calls'],
  [
    'Bytes that are not HTTP, or two requests disguised as one',
    'answers any bytes with sound answers or a clean end, and goes on',
  ],
  ['… in the middle of another answer', 'answers valid requests before an invalid one, and then that one'],
  [
    "Slow headers, slow bodies, readers that don't read",
    'cuts off a client that leaves its answer lying, and notes it',
  ],
  [
    'Slow readers of a large file that a rule serves',
    'holds a file once in memory for all that read it, and reads it again when it has changed',
  ],
  [
    'A body that breaks off after a request with a delayed response',
    'answers a delayed request before one whose body %s breaks off, on a clock of mode auto',
  ],
  [
    'More connections than the server can serve',
    'refuses a connection too many with 503, and takes the next when one has ended',
  ],
  ['Compression bombs', 'refuses a body that unpacks to more than it may'],
  ['Bodies that take minutes to parse', 'refuses a body of too many %s before it parses it'],
  ['`__proto__` and the like', 'answers changed bodies soundly, and goes on'],
  [
    'Requests that fill the memory',
    'keeps no huge prompt, path or key alive for the beginning that it notes of it',
  ],
  [
    'Many bodies that are small enough each',
    'refuses a body for which there is no memory yet, with its own message',
  ],
  [
    'Snapshots that were edited',
    'puts a changed snapshot in the place of what is there, or changes nothing, and goes on',
  ],
  ['Stack traces and paths in answers', 'answers any control call soundly, and goes on'],
  [
    'Clients that disconnect',
    'says aborted of every operation whose client leaves while it waits for the answer',
  ],
  ['Damaged images, and decompression bombs', 'decodes no more of a bomb than its limit of pixels'],
  ['SVG, PDF and others that can name files', 'refuses %s'],
  [
    'Another key, or a page with one, that lists or deletes tasks',
    'lists only the videos that the same key submitted',
  ],
  [
    'Prompts that are HTML or JavaScript, in an HTML report',
    'opens from disk without any request, and runs nothing of what clients sent',
  ],
  [
    'Images of millions of empty parts, which take long to read',
    'reads comments among a bounded number of chunks or boxes',
  ],
  ['Uploaded bytes that a browser treats as a page', 'uploads images whose URLs can be named in a prompt'],
  [
    'Prompt text that reaches the encoder',
    'takes emoji, Chinese, right-to-left text and every sign that a filter graph would mind',
  ],
  [
    'Image URLs that point inside the network',
    'draws a placeholder for an image URL, which it does not fetch',
  ],
  ['Notification URLs that point inside the network', 'takes %s for a target: %s'],
  ['A definition of an API, which is code', 'loads no code for a scenario that comes over the control API'],
  ['A scenario file that you have not reviewed', 'survives mutated files, and reports positions'],
  [
    '… that sets variables which load code into the command of `run`',
    'lets a scenario set variables only whose names are those of an application',
  ],
  ['A scenario that serves your files', 'refuses media outside the folder of its file'],
  ['Other users of the machine who read a recording', 'records into files that only their owner may read'],
  ['Keys and tokens in a recording', 'writes aliases for secrets in queries and in URLs of headers'],
  [
    'Keys in the headers and bodies that `serve` holds for the dashboard',
    'masks keys wherever clients put them',
  ],
  ['… in files', 'forgets the oldest, those that the journal forgets, and everything in a snapshot'],
  ['A rule over HTTP that serves any file', 'serves no file for a rule that came over HTTP'],
  [
    "A cache folder that holds the user's own files",
    'never deletes files of others from its folder, however full it is',
  ],
  ["A state folder that holds the user's own files, also by a link", 'refuses a %s that is not its own'],
  ['A damaged state', 'has every task, or says that the file is damaged, wherever the damage is'],
]

it('names a test for each threat of docs/explanation/security.md, in its order', () => {
  const threats = read('docs/explanation/security.md').matchAll(/^\| (?!Threat |---)(.+?) \|/gm)
  expect(testedThreats.map(([threat]) => threat)).toEqual(Array.from(threats, ([, threat]) => threat))
})

it.each(testedThreats)('has a test for: %s', (_threat, name) => {
  needs('video.submit')
  // It is the first argument of its call. It may go on with the values of its test.
  const calls = [`('${name}'`, `('${name}:`]
  expect(
    tests.some((text) => calls.some((call) => text.includes(call))),
    `no test is called "${name}"`,
  ).toBe(true)
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
