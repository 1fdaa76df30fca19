import { basename, join } from 'node:path'
import { quoteWord } from '../../judge/index.ts'
import { findConfig } from '../serve/config-file.ts'
import { UsageError } from '../terminal/command.ts'
import type { Flow } from '../../scenario/vocabulary/types.ts'
import { pathFrom, type Project, type TestRunner } from './project.ts'
import { schemaLine } from './new-file.ts'
import { draftScenario, troubleSummary } from './scenario-draft.ts'
import type { FirstClient } from '../../apis/define/flow.ts'
import { findFlow } from '../../apis/index.ts'

/** The choices that the user made by flags or answers. */
export interface Choices {
  readonly api: Flow
  readonly runner: TestRunner
  readonly variables: Readonly<Record<string, string>>
  readonly hasWorkflow: boolean
  /** The words that start the user's program; empty if it was not named. */
  readonly client: readonly string[]
}

export interface FirstFile {
  /** Absolute. */
  readonly path: string
  /** Undefined for a file that is never overwritten. */
  readonly text: string | undefined
}

export interface FirstFiles {
  readonly files: readonly FirstFile[]
  /** The commands for CI, run in the folder of the project. */
  readonly commands: readonly string[]
}

/** Writes the files of `greenroom init`, in the order of the output. */
export async function draftFiles(project: Project, choices: Choices): Promise<FirstFiles> {
  const { api, runner, variables, client } = choices
  const { folder } = project
  const scenario = 'scenarios/busy-gateway.yaml'
  const test = `${project.testFolder}/${testName({ project, runner })}`
  const commands = [
    'npx greenroom check scenarios/*.yaml',
    project.hasTestScript ? 'npm test' : testCommand({ project, runner }, test),
    ...(client.length > 0 ? [runCommand(client)] : []),
  ]
  const setting = { project, runner, api, variables, scenario: `../${scenario}` }
  const files = [
    configFile(project),
    await scenarioFile(folder, scenario, choices),
    { path: join(folder, test), text: await firstTest(setting) },
    ...(choices.hasWorkflow ? [workflow(project, commands, client)] : []),
  ]
  return { files, commands }
}

/** Plays the scenarios to the user's program: on virtual time, if Node runs it. */
function runCommand(client: readonly string[]): string {
  const flags = /^(?:node|npm|npx|pnpm|yarn|tsx)$/.test(client[0]!) ? ' --virtual-timers' : ''
  return `npx greenroom run${flags} scenarios/*.yaml -- ${client.map(quoteWord).join(' ')}`
}

/** The config file. One of another type is preserved: `serve` would refuse to start with two. */
function configFile({ folder }: Project): FirstFile {
  const name = 'greenroom.config.yaml'
  const path = findConfig(folder, undefined) ?? join(folder, name)
  if (basename(path) !== name) return { path, text: undefined }
  const text = `${schemaLine(path, folder, 'config')}
# The settings of greenroom serve. Flags win over this file.
port: 4646
seed: 1 # the same seed gives the same IDs, durations and pixels
timing: quick # how long tasks take: instant, quick, realistic, or durations
`
  return { path, text }
}

/** @throws {UsageError} for a variable that a scenario may not set. */
async function scenarioFile(folder: string, name: string, { api, variables }: Choices): Promise<FirstFile> {
  const [{ stringify }, { parseScenario }] = await Promise.all([
    import('yaml'),
    import('../../embedded/scenarios.ts'),
  ])
  const path = join(folder, name)
  const { version, name: title, ...rest } = draftScenario('a busy gateway', api, 'errors')
  const scenario = { version, name: title, config: { env: variables }, ...rest }
  const text = `${schemaLine(path, folder, 'scenario')}
# What goes wrong: ${troubleSummary('errors')}.
# config.env sets the variables of your client; drive is what the reference client of greenroom check
# does; expect is what a good client achieves.
${stringify(scenario, { lineWidth: 110 })}`
  await parseScenario(text).catch((error: unknown) => {
    throw new UsageError(`The variables can't be used: ${(error as Error).message}`)
  })
  return { path, text }
}

function workflow(
  { root, folder, install }: Project,
  commands: readonly string[],
  client: readonly string[],
): FirstFile {
  const example = `      # Your program, judged: name its command.
      # - run: ${runCommand(['node', 'client.js'])}
`
  const toScalar = (command: string): string => (/: | #/.test(command) ? JSON.stringify(command) : command)
  const inside = pathFrom(root, folder)
  const text = `# Checks the scenarios with the reference client, then runs the tests.
name: greenroom

on: [push, pull_request]

jobs:
  greenroom:
    runs-on: ubuntu-latest
${inside === '' ? '' : `    defaults:\n      run:\n        working-directory: ${JSON.stringify(inside)}\n`}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: lts/*
${[install, ...commands].map((command) => `      - run: ${toScalar(command)}\n`).join('')}${client.length > 0 ? '' : example}`
  return { path: join(root, '.github/workflows/greenroom.yml'), text }
}

/** What a first test is written for. */
interface TestSetting {
  readonly project: Project
  readonly runner: TestRunner
  readonly api: Flow
  /** The variables of the scenario, with `${url}` and `${key}`. */
  readonly variables: Readonly<Record<string, string>>
  /** The path from the test to the scenario. */
  readonly scenario: string
}

/** The name of the test file. The runner must find it, and load its format. */
export function testName({ project, runner }: Pick<TestSetting, 'project' | 'runner'>): string {
  // Node takes the format from the extension, otherwise from package.json.
  const format = runner !== 'jest' && !project.isModule ? 'm' : ''
  return `gateway.test.${format}${project.isTypeScript ? 'ts' : 'js'}`
}

/** The command that runs the test. */
export function testCommand(
  { project, runner }: Pick<TestSetting, 'project' | 'runner'>,
  path: string,
): string {
  if (runner === 'vitest') return `npx vitest run ${path}`
  if (runner === 'node') return `node --test ${path}`
  // Shells of Windows can't set a variable for one command.
  const flags = project.hasVmModules ? '--node-options=--experimental-vm-modules ' : ''
  return `npx ${flags}jest ${path}`
}

/** Writes a test that passes: a small client plays the scenario, which judges it. */
export async function firstTest(setting: TestSetting): Promise<string> {
  const { project, runner, api } = setting
  const { title, call, measure, code }: FirstClient = await findFlow(api).first!.load()
  const isVitest = runner === 'vitest'
  const result = measure === 'length' ? 'text' : 'bytes'
  const check = `${result}.${measure}`
  const text = `${isVitest ? vitestHead(setting) : simulatorHead(setting)}
${isVitest ? 'it' : 'test'}('${title}', async () => {
  const ${result} = await ${call}

  ${runner === 'node' ? `assert(${check} > 0)` : `expect(${check}).toBeGreaterThan(0)`}
${isVitest ? '' : verdictLines(runner)}})

// A client to try it with. Call your own instead${isVitest ? `: it finds the gateway by ${names(setting)}.` : ': give it the fetch and the sleep of sim.'}
async ${code}

async function sendJson‹<Body>›(path‹: string›, body‹?: object›)‹: Promise<Body>› {
  return (await send(path, body)).json()‹ as Promise<Body>›
}

/** Sends a request, and again while the gateway is busy. */
async function send(path‹: string›, body‹?: object›)‹: Promise<Response>› {
  const headers = { authorization: ${authorization(setting)}, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  for (;;) {
    const response = await ${requestLine(setting)}
    if (response.ok) return response
    if (response.status !== 503) throw new Error(\`\${path} returned \${response.status}\`)
    await sleep(2_000)
  }
}

/** Waits in the virtual time of the test, so no real time passes. */
function sleep(ms‹: number›)‹: Promise<void>› {
  return ${isVitest ? 'gateway' : 'sim'}.clock.sleep(ms)
}
`
  return text.replaceAll(/‹([^›]*)›/g, project.isTypeScript ? '$1' : '')
}

function vitestHead({ project, scenario }: TestSetting): string {
  return `${project.hasDom ? '// @vitest-environment node\n' : ''}import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'

// Each test plays the scenario from its start, with the variables of its \`config.env\`, and is judged by its \`expect\`.
const gateway = useGreenroom({ scenario: \`\${import.meta.dirname}/${scenario}\` })
`
}

function simulatorHead({ project, runner, scenario }: TestSetting): string {
  const isCommonJs = runner === 'jest' && !project.hasVmModules
  const path = isCommonJs
    ? `\`\${__dirname}/${scenario}\``
    : `fileURLToPath(new URL('${scenario}', import.meta.url))`
  const load = (names: string, from: string): string =>
    isCommonJs && !project.isTypeScript
      ? `const { ${names} } = require('${from}')`
      : `import { ${names} } from '${from}'`
  const lines = [
    ...(project.hasDom && runner === 'jest' ? ['/** @jest-environment node */'] : []),
    ...(runner === 'node' ? ["import assert from 'node:assert/strict'"] : []),
    ...(runner === 'node' ? [load('afterEach, beforeEach, test', 'node:test')] : []),
    ...(isCommonJs ? [] : [load('fileURLToPath', 'node:url')]),
    ...(runner === 'jest' && project.isTypeScript && !project.hasJestTypes
      ? [load('afterEach, beforeEach, expect, test', '@jest/globals')]
      : []),
    load('createSimulator, loadScenario‹, type NodeSimulator›', 'greenroom'),
  ]
  return `${lines.join('\n')}

const scenario = ${path}

// Each test plays the scenario from its start.
let sim‹: NodeSimulator›
beforeEach(async () => {
  sim = createSimulator({ scenario: await loadScenario(scenario) })
})
afterEach(() => sim.close())
`
}

/** Judges the expectations of the scenario. `useGreenroom` does that without code. */
function verdictLines(runner: TestRunner): string {
  const failures = 'results.filter(({ fails }) => fails)'
  return `  const { results } = await sim.verdict()
  ${runner === 'node' ? `assert.deepEqual(${failures}, [])` : `expect(${failures}).toEqual([])`}
`
}

const keyOf = ({ variables }: TestSetting): string =>
  Object.entries(variables).find(([, value]) => value === '${key}')?.[0] ?? 'GREENROOM_KEY'

function urlOf({ variables }: TestSetting): { name: string; suffix: string } {
  const [name, value] = Object.entries(variables).find(([, each]) => each.startsWith('${url}')) ?? [
    'GREENROOM_URL',
    '${url}',
  ]
  return { name, suffix: value.slice('${url}'.length) }
}

const names = (setting: TestSetting): string => `${urlOf(setting).name} and ${keyOf(setting)}`

function authorization(setting: TestSetting): string {
  return setting.runner === 'vitest' ? `\`Bearer \${process.env.${keyOf(setting)}}\`` : "'Bearer sk-test'"
}

function requestLine(setting: TestSetting): string {
  if (setting.runner !== 'vitest') return 'sim.fetch(`https://gateway.example${path}`, init)'
  const { name, suffix } = urlOf(setting)
  // Paths of the test begin at the root of the gateway.
  const base = suffix === '' ? `process.env.${name}` : `process.env.${name}‹!›.slice(0, -'${suffix}'.length)`
  return `fetch(\`\${${base}}\${path}\`, init)`
}
