import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { dependency, installWord, packLines, tarball } from '../../src/cli/project/project.ts'
import { acmeDefinition } from '../support/acme-definition.ts'
import { parseConfig } from '../support/parse-config.ts'
import { folderWith, never, runIn } from './run-in-folder.ts'
import { needs } from '../support/needs.ts'

needs('video.submit', 'chat.complete', 'mj.imagine')

const root = fileURLToPath(new URL('../..', import.meta.url))

const packageJson = (more: object): Record<string, string> => ({
  'package.json': JSON.stringify({ private: true, ...more }),
})

/** What an editor finds by the schema of the package. */
function mistakesIn(folder: string, path: string, schema: string): unknown[] {
  const file = new URL(`../../schema/${schema}.schema.json`, import.meta.url)
  // Optimizing its code takes longer than running it once.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object)
  return validate(parse(read(folder, path))) ? [] : validate.errors!
}

const read = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8')

it('writes a config, a scenario, a test and a workflow, and says what to do next', async () => {
  const folder = folderWith(packageJson({ devDependencies: { vitest: '^4.1.12' } }))
  const { code, printed } = await runIn(folder, ['init'])
  const packing = packLines(relative(folder, root))
  expect([code, printed]).toEqual([
    0,
    `wrote greenroom.config.yaml
wrote scenarios/busy-gateway.yaml
wrote test/gateway.test.mjs
wrote .github/workflows/greenroom.yml

Next
${packing.map((line) => `  # pack this greenroom; commit ${tarball}, so that your CI finds it\n  ${line}\n`).join('')}  # install what is missing
  npm install --save-dev ${installWord()}
  # try the scenario with the reference client
  npx greenroom check scenarios/*.yaml
  # run the test, in which you then call your own client
  npx vitest run test/gateway.test.mjs
  # start the simulator for your application
  npx greenroom serve

In CI
  # a CI other than GitHub Actions
  npx greenroom check scenarios/*.yaml && npx vitest run test/gateway.test.mjs
`,
  ])
  expect(await parseConfig('config', read(folder, 'greenroom.config.yaml'))).toMatchObject({ port: 4646 })
  expect(read(folder, 'greenroom.config.yaml')).toMatch(
    /^# yaml-language-server: \$schema=\.\/node_modules\/greenroom\/schema\/config\.schema\.json\n/,
  )
  expect(parse(read(folder, 'scenarios/busy-gateway.yaml'))).toMatchObject({
    config: { env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } },
  })
  expect(mistakesIn(folder, 'greenroom.config.yaml', 'config')).toEqual([])
  expect(mistakesIn(folder, 'scenarios/busy-gateway.yaml', 'scenario')).toEqual([])
  const { jobs } = parse(read(folder, '.github/workflows/greenroom.yml')) as {
    jobs: { greenroom: { steps: { run?: string }[] } }
  }
  expect(jobs.greenroom.steps.flatMap(({ run }) => run ?? [])).toEqual([
    'npm install',
    'npx greenroom check scenarios/*.yaml',
    'npx vitest run test/gateway.test.mjs',
  ])
})

it('leaves what exists when it runs again, and replaces it with --force', async () => {
  const folder = folderWith(packageJson({}))
  await runIn(folder, ['init'])
  writeFileSync(join(folder, 'greenroom.config.yaml'), 'port: 1\n')
  const again = await runIn(folder, ['init'])
  expect(again.printed.match(/^left .*\(it exists; --force replaces it\)$/gm)).toHaveLength(4)
  expect(read(folder, 'greenroom.config.yaml')).toBe('port: 1\n')
  expect((await runIn(folder, ['init', '--force'])).printed.match(/^wrote /gm)).toHaveLength(4)
  expect(read(folder, 'greenroom.config.yaml')).toContain('port: 4646')
})

it('keeps its lines within 60 columns, and its commands to copy', async () => {
  const folder = folderWith(packageJson({ devDependencies: { jest: '30' } }))
  await runIn(folder, ['init'])
  const { printed } = await runIn(folder, ['init'], { environment: { COLUMNS: '60' } })
  expect(printed.split('\n').filter((line) => line.length > 60)).toEqual([])
  expect(printed.replaceAll(/ \\\n\s+/g, ' ')).toContain('*.yaml && npx jest test/gateway.test.js\n')
})

it('gives a test of Jest more than its 5 s, since the first one loads what a simulator needs', async () => {
  const folder = folderWith(packageJson({ devDependencies: { jest: '30' } }))
  await runIn(folder, ['init'])
  expect(readFileSync(join(folder, 'test/gateway.test.js'), 'utf8')).toContain('\n}, 30_000)\n')
})

it('never adds a second config, which serve would refuse', async () => {
  const folder = folderWith({ ...packageJson({}), 'greenroom.config.json': '{}' })
  const { printed } = await runIn(folder, ['init', '--force'])
  expect(printed).toContain('left greenroom.config.json (it is your config)')
  expect(existsSync(join(folder, 'greenroom.config.yaml'))).toBe(false)
})

it('lists the files with --dry-run, and writes none', async () => {
  const folder = folderWith({})
  const { printed } = await runIn(folder, ['init', '--dry-run'])
  expect(printed.match(/^would write .*$/gm)).toEqual([
    'would write package.json',
    'would write greenroom.config.yaml',
    'would write scenarios/busy-gateway.yaml',
    'would write test/gateway.test.js',
    'would write .github/workflows/greenroom.yml',
  ])
  expect(existsSync(join(folder, 'package.json'))).toBe(false)
})

it('writes a package.json where there is none, since nothing could be installed', async () => {
  const folder = folderWith({})
  const { printed } = await runIn(folder, ['init', '--runner', 'vitest'])
  expect(printed).toContain('\n  npm install\n')
  expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({
    type: 'module',
    devDependencies: { greenroom: dependency, vitest: '^4.1.12' },
  })
})

it('packs nothing where greenroom is installed', async () => {
  const folder = folderWith(packageJson({}))
  mkdirSync(join(folder, 'node_modules/greenroom'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/greenroom/package.json'), '{}')
  expect((await runIn(folder, ['init'])).printed).not.toMatch(/npm (?:pack|install)/)
})

it.each([
  ['../greenroom', 'npm pack ../greenroom'],
  ['../my code/greenroom', 'npm pack "../my code/greenroom"'],
  ['/usr/lib/node_modules/greenroom', 'npm pack --ignore-scripts /usr/lib/node_modules/greenroom'],
])('packs the copy of greenroom in %s, until the registry has it', (copy, line) => {
  expect(packLines(copy, false)).toEqual([line])
  expect(packLines(copy, true)).toEqual([])
})

it.each([
  [{ scripts: { test: 'vitest' } }, [], 'test/gateway.test.mjs', 'npm test'],
  [
    { type: 'module', devDependencies: { vitest: '4' } },
    ['tsconfig.json'],
    'test/gateway.test.ts',
    'npx vitest',
  ],
  [{ devDependencies: { jest: '30' } }, [], 'test/gateway.test.js', 'npx jest test/gateway.test.js'],
  [{ devDependencies: { jest: '30' } }, ['tsconfig.json'], 'test/gateway.test.js', 'npx jest'],
  [
    { devDependencies: { jest: '30', 'ts-jest': '29' } },
    ['tsconfig.json'],
    'test/gateway.test.ts',
    'npx jest',
  ],
  [{ type: 'module' }, ['tests'], 'tests/gateway.test.js', 'node --test tests/gateway.test.js'],
  [
    { scripts: { test: 'node --test' }, devDependencies: { vitest: '4' } },
    [],
    'test/gateway.test.mjs',
    'npm test',
  ],
])('finds in %j with %j that the test is %s and runs by %s', async (manifest, more, test, command) => {
  const folder = folderWith(packageJson(manifest))
  for (const each of more) {
    if (each.includes('.')) writeFileSync(join(folder, each), '{}')
    else mkdirSync(join(folder, each))
  }
  const { printed } = await runIn(folder, ['init'])
  expect(printed).toContain(`wrote ${test}\n`)
  expect(printed).toContain(`  ${command}`)
})

it('writes the workflow at the root of a repository, and enters the package of a workspace', async () => {
  const root = folderWith({
    ...packageJson({ workspaces: ['packages/*'], devDependencies: { vitest: '4' } }),
    'package-lock.json': '{}',
  })
  const folder = join(root, 'packages/app')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const { printed } = await runIn(folder, ['init'])
  expect(printed).toContain('wrote ../../.github/workflows/greenroom.yml')
  expect(printed).toContain('npx vitest run test/gateway.test.js')
  const text = read(root, '.github/workflows/greenroom.yml')
  expect(parse(text)).toMatchObject({
    jobs: { greenroom: { defaults: { run: { 'working-directory': 'packages/app' } } } },
  })
  expect(text).toContain('- run: npm ci\n')
  expect(text).toContain('# - run: npx greenroom run --virtual-timers scenarios/*.yaml -- node client.js\n')
})

it.each([
  ['node app.js --prompt "a: b"', ['node', 'app.js', '--prompt', 'a: b'], '--virtual-timers '],
  ['a program that neither Node nor Python runs', ['./app', '#1'], ''],
])('writes a workflow that plays the scenario to %s', async (_, command, flag) => {
  const folder = folderWith(packageJson({}))
  const { code, printed } = await runIn(folder, ['init', '--yes', '--', ...command])
  expect(code).toBe(0)
  const workflow = read(folder, '.github/workflows/greenroom.yml')
  expect(workflow).not.toContain('# - run')
  const { steps } = (parse(workflow) as { jobs: { greenroom: { steps: { run?: string }[] } } }).jobs.greenroom
  const last = steps.at(-1)!.run
  expect(last).toBe(
    `npx greenroom run ${flag}scenarios/*.yaml -- ${command.slice(0, -1).join(' ')} '${command.at(-1)}'`,
  )
  expect(printed.replaceAll(/ \\\n\s+/g, ' ')).toContain(last)
  expect((await runIn(folder, ['init', '--scenario', 'a', '--', ...command])).code).toBe(2)
})

const stepsOf = (folder: string): { uses?: string; run?: string }[] =>
  (
    parse(read(folder, '.github/workflows/greenroom.yml')) as {
      jobs: { greenroom: { steps: { uses?: string; run?: string }[] } }
    }
  ).jobs.greenroom.steps

it('writes a workflow for a Python program, which runs on virtual time, and no test in JavaScript', async () => {
  const folder = folderWith({ 'client.py': '', 'requirements.txt': 'requests' })
  const { printed } = await runIn(folder, ['init', '--yes', '--', 'python3', 'client.py'])
  const played = 'npx greenroom run --virtual-timers scenarios/*.yaml -- python3 client.py'
  expect(stepsOf(folder).map(({ uses, run }) => uses ?? run)).toEqual([
    'actions/checkout@v4',
    'actions/setup-node@v4',
    'actions/setup-python@v5',
    'pip install -r requirements.txt',
    'npm install',
    'npx greenroom check scenarios/*.yaml',
    played,
  ])
  expect(printed.replaceAll(/ \\\n\s+/g, ' ')).toContain(`# play the scenario to your program\n  ${played}\n`)
  expect(printed).not.toContain('test')
  expect(existsSync(join(folder, 'test'))).toBe(false)
})

it('runs a Python module on virtual time, and names the packages that it may need', async () => {
  const folder = folderWith({})
  await runIn(folder, ['init', '--', 'python3', '-u', '-m', 'app'])
  expect(stepsOf(folder).at(-1)!.run).toMatch(/--virtual-timers scenarios\/\*\.yaml -- python3 -u -m app$/)
  const workflow = read(folder, '.github/workflows/greenroom.yml')
  expect(workflow).toContain('      # - run: pip install -r requirements.txt\n')
})

it.each(['video', 'chat'])('writes a test and a fixture for pytest: %s', async (api) => {
  const folder = folderWith({})
  const { printed } = await runIn(folder, ['init', '--yes', '--runner', 'pytest', '--api', api])
  expect(read(folder, 'tests/conftest.py')).toContain('@pytest.fixture\ndef gateway():')
  expect(read(folder, 'tests/test_gateway.py')).toMatch(
    /^def test_\w+_although_the_gateway_is_busy_at_first\(gateway\):$/m,
  )
  const played = 'npx greenroom run --virtual-timers scenarios/*.yaml -- python3 -m pytest tests'
  expect(stepsOf(folder).map(({ run }) => run)).toContain(played)
  expect(stepsOf(folder).map(({ run }) => run)).toContain('pip install pytest')
  expect(printed.replaceAll(/ \\\n\s+/g, ' ')).toContain(played)
})

it('names the APIs for which it writes a test for pytest', async () => {
  const { code, warned } = await runIn(folderWith({}), [
    'init',
    '--yes',
    '--runner',
    'pytest',
    '--api',
    'drawing',
  ])
  expect([code, warned]).toEqual([2, expect.stringContaining('Choose one of video, chat')])
})

it('writes a test next to a Python program if the project tests JavaScript', async () => {
  const folder = folderWith(packageJson({ devDependencies: { vitest: '4' } }))
  await runIn(folder, ['init', '--', 'python3', 'client.py'])
  expect(existsSync(join(folder, 'test/gateway.test.mjs'))).toBe(true)
})

it('asks in a terminal what the client calls, and by which variables it finds the gateway', async () => {
  const folder = folderWith(packageJson({}))
  const questions: string[] = []
  const answers = ['chat', 'not a name', 'LLM_BASE_URL', '']
  const ask = async (question: string): Promise<string> => {
    questions.push(question)
    return answers.shift()!
  }
  expect((await runIn(folder, ['init'], { ask })).code).toBe(0)
  expect(questions).toHaveLength(4)
  expect(parse(read(folder, 'scenarios/busy-gateway.yaml'))).toMatchObject({
    config: { env: { LLM_BASE_URL: '${url}/v1', OPENAI_API_KEY: '${key}' } },
  })
})

it('asks nothing with --yes', async () => {
  const ask = (): Promise<string> => Promise.reject(new Error('a question'))
  const { code } = await runIn(folderWith(packageJson({})), ['init', '--yes'], { ask })
  expect(code).toBe(0)
})

it('refuses variables that a scenario may not set, and writes nothing', async () => {
  const folder = folderWith(packageJson({}))
  const { code, warned } = await runIn(folder, ['init', '--env', 'NODE_OPTIONS=${url}'])
  expect([code, warned]).toEqual([2, expect.stringContaining('NODE_OPTIONS')])
  expect(existsSync(join(folder, 'scenarios'))).toBe(false)
})

/** A project with one module, `src/NAME`. */
function projectWith(manifest: object, name: string, source: string): string {
  const folder = folderWith(packageJson(manifest))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src', name), source)
  return folder
}

const drawingClient = `
const url = process.env.ART_URL
export const draw = async ({ size, prompt }) => fetch(url + '/mj/submit/imagine', { key: process.env.ART_TOKEN })
`

it('writes a test with the variables that the client of the project reads', async () => {
  const folder = projectWith({ type: 'module' }, 'art.js', drawingClient)
  const { printed } = await runIn(folder, ['init'])
  expect(printed).toContain('in which you then call your own client')
  const test = read(folder, 'test/gateway.test.js')
  expect(test).toContain('Call your own instead: it finds the gateway by ART_URL and ART_TOKEN.')
  expect(test).toContain("process.env.ART_URL = 'https://gateway.example'\n  process.env.ART_TOKEN = sim.key")
  expect(parse(read(folder, 'scenarios/busy-gateway.yaml'))).toMatchObject({
    config: { env: { ART_URL: '${url}', ART_TOKEN: '${key}' } },
    drive: [{ flow: 'drawing' }],
  })
})

it.each([
  ['a client of another API than the flag says', drawingClient, ['--api', 'chat'], 'OPENAI_BASE_URL'],
  ['a module that reads no variables', "await fetch('/v1/video/generations')", [], 'GATEWAY_URL'],
  ['a project without a client', 'export const one = 1', [], 'GATEWAY_URL'],
])('writes a test with the usual variables for %s', async (_, source, words, variable) => {
  const folder = projectWith({ type: 'module' }, 'client.js', source)
  await runIn(folder, ['init', ...words])
  expect(read(folder, 'test/gateway.test.js')).toContain(`process.env.${variable} = `)
})

it('allows a client to make several videos', async () => {
  const folder = folderWith(packageJson({}))
  await runIn(folder, ['init'])
  const { expect: wanted } = parse(read(folder, 'scenarios/busy-gateway.yaml')) as { expect: object }
  expect(wanted).toMatchObject({ tasks: [{ kind: 'video', status: 'SUCCESS' }] })
  expect(JSON.stringify(wanted)).not.toContain('count')
})

it('offers first what the project calls, with the variables of its SDK', async () => {
  const source = `import OpenAI from 'openai'
const openai = new OpenAI()
export async function ask(question: string): Promise<string> {
  return (await openai.chat.completions.create({ messages: [{ role: 'user', content: question }] })).choices[0].message.content
}`
  const manifest = { type: 'module', devDependencies: { vitest: '4' } }
  const folder = projectWith(manifest, 'talk.ts', source)
  writeFileSync(join(folder, 'tsconfig.json'), '{}')
  const questions: string[] = []
  const ask = async (question: string): Promise<string> => {
    questions.push(question)
    return ''
  }
  await runIn(folder, ['init'], { ask })
  expect(questions[0]).toContain('Number or name [chat]: ')
  expect(questions[1]).toContain('Name [OPENAI_BASE_URL]: ')
  const test = read(folder, 'test/gateway.test.ts')
  expect(test).toContain('Call your own instead: it finds the gateway by OPENAI_BASE_URL and OPENAI_API_KEY.')
})

it('writes a first client for the definition of an API in a file', async () => {
  const folder = folderWith({
    ...packageJson({ devDependencies: { vitest: '4' } }),
    'acme.ts': acmeDefinition,
  })
  expect(await runIn(folder, ['init', '--yes', '--api', './acme.ts'])).toMatchObject({ code: 0, warned: '' })
  expect(read(folder, 'greenroom.config.yaml')).toContain('apis: [./acme.ts]')
  const client = read(folder, 'test/gateway.test.mjs')
  expect(client).toContain("import api from '../acme.ts'")
  expect(client).toContain("await sendJson('/acme/jobs', { kind: 'clip', text: prompt })")
  expect(client).toContain('const id = made.job?.name.slice(5)')
  expect(client).toContain("if (job.data?.[0]?.state !== 'ready') continue")
  const checked = await runIn(folder, ['check', 'scenarios/busy-gateway.yaml'], { interrupted: never })
  expect(checked).toMatchObject({ code: 0, printed: expect.stringContaining('drive acme-1: succeeded') })
})

it('names a shipped API in the scenario, because it needs no file', async () => {
  const folder = folderWith(packageJson({}))
  expect(await runIn(folder, ['init', '--yes', '--api', 'replicate'])).toMatchObject({ code: 0, warned: '' })
  expect(parse(read(folder, 'scenarios/busy-gateway.yaml'))).toMatchObject({
    config: { apis: ['replicate'] },
  })
})

it('says what --api may be', async () => {
  const { code, warned } = await runIn(folderWith(packageJson({})), ['init', '--yes', '--api', 'videos'])
  expect([code, warned]).toEqual([2, expect.stringContaining('--api is "videos": Did you mean "video"?')])
})

it('writes a client that knows a state by the first of its words', async () => {
  const definition = acmeDefinition.replace("success: 'ready'", "success: ['ready', 'complete']")
  const folder = folderWith({ ...packageJson({ devDependencies: { vitest: '4' } }), 'acme.ts': definition })
  expect(await runIn(folder, ['init', '--yes', '--api', './acme.ts'])).toMatchObject({ code: 0, warned: '' })
  expect(read(folder, 'test/gateway.test.mjs')).toContain("if (job.data?.[0]?.state !== 'ready') continue")
})
