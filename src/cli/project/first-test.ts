import { relative, resolve, sep } from 'node:path'
import type { FirstClient } from '../../apis/define/flow.ts'
import { isShippedApi } from '../../files/code/load-apis.ts'
import { UsageError } from '../terminal/command.ts'
import type { DraftApi } from './scenario-draft.ts'
import { runsTypeScript, type Project, type TestRunner } from './project.ts'
import { jestTest, nodeTest, vitestTest } from './test-templates.ts'

/** The purpose of a first test. */
export interface TestSetting {
  readonly project: Project
  readonly runner: TestRunner
  readonly draft: DraftApi
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

/** Writes a test in which a small client plays the scenario, which judges it. It passes. */
export async function firstTest(setting: TestSetting): Promise<string> {
  const { project, runner, draft, scenario } = setting
  const { title, call, measure, code, headers = {} } = await loadFirstClient(draft)
  const apis = importOf(setting)
  const { name, suffix } = urlOf(setting)
  const result = measure === 'length' ? 'text' : 'bytes'
  const words: Readonly<Record<string, string>> = {
    title,
    call,
    code,
    result,
    measure: `${result}.${measure}`,
    url: name,
    suffix,
    key: keyOf(setting),
    headers: Object.entries(headers)
      .map(([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(''),
    importApi: apis ? `import api from '${apis}'\n` : '',
    apis: apis ? ', apis: [api]' : '',
    loadOptions: apis ? ', { apis: [api] }' : '',
    simulator: runner === 'vitest' ? 'gateway' : 'sim',
    scenario,
    scenarioPath: toScenarioPath(setting),
    imports: jestImports(project),
  }
  const template = { vitest: vitestTest, node: nodeTest, jest: jestTest, pytest: '' }[runner]
  return template
    .replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => words[word]!)
    .replaceAll(/‹([^›]*)›/g, project.isTypeScript ? '$1' : '')
}

/** The client of a first test. @throws {UsageError} for a definition whose replies don't show the end of a job. */
export async function loadFirstClient({ flow, word }: DraftApi): Promise<FirstClient> {
  const first = await flow.first!.load()
  if (first) return first
  throw new UsageError(
    `--api ${word} has replies that show neither a word of its states nor a flag and a reason, so no first client can be written. Write a scenario by --scenario, and a test by hand.`,
  )
}

/** The path from the test to a definition in a file. @throws {UsageError} for a runner that can't import it. */
function importOf({ project: { testFolder }, runner, draft: { word } }: TestSetting): string | undefined {
  if (word === undefined || isShippedApi(word)) return undefined
  if (runner === 'jest')
    throw new UsageError(`--runner jest has no first test for a definition in a file. Use vitest or node.`)
  if (runner === 'node' && /\.[cm]?ts$/.test(word) && !runsTypeScript())
    throw new UsageError(
      `--runner node can't import ${word}: Node runs TypeScript from version 22.18 on. Name the definition .js, without types, or use --runner vitest.`,
    )
  return relative(`/${testFolder}`, resolve('/', word)).split(sep).join('/')
}

function jestImports({ isTypeScript, hasJestTypes, hasVmModules }: Project): string {
  if (!isTypeScript && !hasVmModules) return "const { createSimulator, loadScenario } = require('greenroom')"
  return [
    ...(hasVmModules ? ["import { fileURLToPath } from 'node:url'"] : []),
    ...(isTypeScript && !hasJestTypes
      ? ["import { afterEach, beforeEach, expect, test } from '@jest/globals'"]
      : []),
    "import { createSimulator, loadScenario‹, type NodeSimulator› } from 'greenroom'",
  ].join('\n')
}

/** Jest 29 lacks `import.meta.dirname`. */
function toScenarioPath({ project, runner, scenario }: TestSetting): string {
  if (runner !== 'jest') return `\`\${import.meta.dirname}/${scenario}\``
  return project.hasVmModules
    ? `fileURLToPath(new URL('${scenario}', import.meta.url))`
    : `\`\${__dirname}/${scenario}\``
}

/** The variable that gives a client its key. */
export const keyOf = ({ variables }: TestSetting): string =>
  Object.entries(variables).find(([, value]) => value === '${key}')?.[0] ?? 'GREENROOM_KEY'

/** The variable that gives a client its URL, and what follows the URL of the gateway in it. */
export function urlOf({ variables }: TestSetting): { name: string; suffix: string } {
  const [name, value] = Object.entries(variables).find(([, each]) => each.startsWith('${url}')) ?? [
    'GREENROOM_URL',
    '${url}',
  ]
  return { name, suffix: value.slice('${url}'.length) }
}
