import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { quoteWord } from '../../judge/index.ts'
import { findConfig } from '../serve/config-file.ts'
import { UsageError } from '../terminal/command.ts'
import { pathFrom, type Project, type TestRunner } from './project.ts'
import { schemaLine } from './new-file.ts'
import { draftScenario, troubleSummary, type DraftApi } from './scenario-draft.ts'
import { firstTest, testCommand, testName } from './first-test.ts'
import { pytestCommand, pytestFiles } from './pytest.ts'

/** The choices that the user made by flags or answers. */
export interface Choices {
  readonly draft: DraftApi
  readonly runner: TestRunner
  readonly variables: Readonly<Record<string, string>>
  readonly hasWorkflow: boolean
  /** The words that start the user's program; empty if it was not named. */
  readonly client: readonly string[]
  /** Whether a module of the project calls the API. */
  readonly isCalled: boolean
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
  /** The one of them that runs the test; undefined if no test is written. */
  readonly testCommand?: string | undefined
}

/** Writes the files of `greenroom init`, in the order of the output. */
export async function draftFiles(project: Project, choices: Choices): Promise<FirstFiles> {
  const { draft, runner, variables, client } = choices
  const { folder } = project
  const scenario = 'scenarios/busy-gateway.yaml'
  const isPytest = runner === 'pytest'
  const test = `${project.testFolder}/${testName({ project, runner })}`
  const runTest = isPytest
    ? pytestCommand({ project })
    : project.hasTestScript
      ? 'npm test'
      : testCommand({ project, runner }, test)
  const hasTest = needsTest(project, choices)
  const commands = [
    'npx greenroom check scenarios/*.yaml',
    ...(hasTest ? [runTest] : []),
    ...(client.length > 0 ? [runCommand(client)] : []),
  ]
  const setting = { project, runner, draft, variables, scenario: `../${scenario}` }
  const files = [
    configFile(project, draft),
    await scenarioFile(folder, scenario, choices),
    ...(isPytest ? await pytestFiles(setting) : []),
    ...(hasTest && !isPytest ? [{ path: join(folder, test), text: await firstTest(setting) }] : []),
    ...(choices.hasWorkflow ? [workflow(project, commands, choices)] : []),
  ]
  return { files, commands, testCommand: hasTest ? runTest : undefined }
}

const isPython = ([program = '']: readonly string[]): boolean =>
  /^(?:(?:python|pypy)[\d.]*|pytest|uv|tox|poetry)(?:\.exe)?$/.test(basename(program))

/** A Python program has tests of its own, unless its project has JavaScript to test, too. */
function needsTest({ hasTestScript }: Project, { client, runner, isCalled }: Choices): boolean {
  return !isPython(client) || hasTestScript || runner !== 'node' || isCalled
}

/** Plays the scenarios to the user's program: on virtual time, if Node or Python runs it. */
function runCommand(client: readonly string[]): string {
  const flags =
    isPython(client) || /^(?:node|npm|npx|pnpm|yarn|tsx)$/.test(client[0]!) ? ' --virtual-timers' : ''
  return `npx greenroom run${flags} scenarios/*.yaml -- ${client.map(quoteWord).join(' ')}`
}

/** The config file. One of another type is preserved: `serve` would refuse to start with two. */
function configFile({ folder }: Project, { word }: DraftApi): FirstFile {
  const name = 'greenroom.config.yaml'
  const path = findConfig(folder, undefined) ?? join(folder, name)
  if (basename(path) !== name) return { path, text: undefined }
  const text = `${schemaLine(path, folder, 'config')}
# The settings of greenroom serve. Flags win over this file.
port: 4646
seed: 1 # the same seed gives the same IDs, durations and pixels
timing: quick # how long tasks take: instant, quick, realistic, or durations
${word === undefined ? '' : `apis: [${word}] # what your client calls\n`}`
  return { path, text }
}

/** @throws {UsageError} for a variable that a scenario may not set. */
async function scenarioFile(folder: string, name: string, { draft, variables }: Choices): Promise<FirstFile> {
  const [{ stringify }, { parseScenario }] = await Promise.all([
    import('yaml'),
    import('../../embedded/scenarios.ts'),
  ])
  const path = join(folder, name)
  const { version, name: title, config, ...rest } = draftScenario('a busy gateway', draft, 'errors')
  const scenario = { version, name: title, config: { ...config, env: variables }, ...rest }
  const text = `${schemaLine(path, folder, 'scenario')}
# What goes wrong: ${troubleSummary('errors')}.
# config.env sets the variables of your client; drive is what the reference client of greenroom check
# does; expect is what a good client achieves.
${stringify(scenario, { lineWidth: 110 })}`
  await parseScenario(stringify({ version, config: { env: variables } })).catch((error: unknown) => {
    throw new UsageError(`The variables can't be used: ${(error as Error).message}`)
  })
  return { path, text }
}

/** The steps that install Python and the packages of the program. */
function pythonSteps(folder: string, isPytest: boolean): string {
  const install = `- run: pip install ${isPytest ? 'pytest ' : ''}-r requirements.txt`
  const hasRequirements = existsSync(join(folder, 'requirements.txt'))
  return `      - uses: actions/setup-python@v5
        with:
          python-version: 3.x
      ${isPytest && !hasRequirements ? '- run: pip install pytest' : hasRequirements ? install : `# The packages of your program:\n      # ${install}`}
`
}

function workflow(
  { root, folder, install }: Project,
  commands: readonly string[],
  { client, runner }: Choices,
): FirstFile {
  const example = `      # Your program, judged: name its command.
      # - run: ${runCommand(['node', 'client.js'])}
`
  const toScalar = (command: string): string => (/: | #/.test(command) ? JSON.stringify(command) : command)
  const inside = pathFrom(root, folder)
  const text = `# Checks the scenarios with the reference client, then tests the project.
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
${isPython(client) || runner === 'pytest' ? pythonSteps(folder, runner === 'pytest') : ''}${[install, ...commands].map((command) => `      - run: ${toScalar(command)}\n`).join('')}${client.length > 0 ? '' : example}`
  return { path: join(root, '.github/workflows/greenroom.yml'), text }
}
