import type { Flow } from '../../scenario/vocabulary/types.ts'
import type { FoundClient } from './find-client.ts'
import type { Project, TestRunner } from './project.ts'

/** The purpose of a first test. */
export interface TestSetting {
  readonly project: Project
  readonly runner: TestRunner
  readonly api: Flow
  /** The variables of the scenario, with `${url}` and `${key}`. */
  readonly variables: Readonly<Record<string, string>>
  /** The path from the test to the scenario. */
  readonly scenario: string
  /** The client of the project, if there is one. */
  readonly found?: FoundClient | undefined
}

/**
 * The beginning of a test for Vitest.
 * @param head.imports the names from Vitest.
 * @param head.clock the mode of the clock, if it is not `auto`.
 */
export function vitestHead(
  { project, scenario }: TestSetting,
  { imports, clock }: { readonly imports: string; readonly clock?: string },
): string {
  return `${project.hasDom ? '// @vitest-environment node\n' : ''}import { ${imports} } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'

// Each test plays the scenario from its start, with the variables of its \`config.env\`, and is judged by its \`expect\`.
${clock === undefined ? 'const gateway = ' : ''}useGreenroom({ scenario: \`\${import.meta.dirname}/${scenario}\`${clock === undefined ? '' : `, clock: { mode: '${clock}' }`} })
`
}

/**
 * The beginning of a test for another runner.
 * @param isGlobal whether the client uses the global `fetch` and its variables.
 */
export function simulatorHead(setting: TestSetting, { isGlobal }: { readonly isGlobal: boolean }): string {
  const { project, runner, scenario } = setting
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
${isGlobal ? globalHooks(setting) : ownHooks}`
}

const ownHooks = `beforeEach(async () => {
  sim = createSimulator({ scenario: await loadScenario(scenario) })
})
afterEach(() => sim.close())
`

function globalHooks(setting: TestSetting): string {
  const { name, suffix } = urlOf(setting)
  return `const { fetch } = globalThis
beforeEach(async () => {
  sim = createSimulator({ scenario: await loadScenario(scenario) })
  globalThis.fetch = sim.fetch
  process.env.${name} = 'https://gateway.example${suffix}'
  process.env.${keyOf(setting)} = sim.key
})
afterEach(async () => {
  globalThis.fetch = fetch
  await sim.close()
})
`
}

/** Judges the expectations of the scenario. `useGreenroom` does that without code. */
export function verdictLines(runner: TestRunner): string {
  const failures = 'results.filter(({ fails }) => fails)'
  return `  const { results } = await sim.verdict()
  ${runner === 'node' ? `assert.deepEqual(${failures}, [])` : `expect(${failures}).toEqual([])`}
`
}

export const keyOf = ({ variables }: TestSetting): string =>
  Object.entries(variables).find(([, value]) => value === '${key}')?.[0] ?? 'GREENROOM_KEY'

export function urlOf({ variables }: TestSetting): { name: string; suffix: string } {
  const [name, value] = Object.entries(variables).find(([, each]) => each.startsWith('${url}')) ?? [
    'GREENROOM_URL',
    '${url}',
  ]
  return { name, suffix: value.slice('${url}'.length) }
}
