import * as vitest from 'vitest'
import * as z from 'zod/mini'
import type { EmbeddedOptions } from '../embedded/create-simulator.ts'
import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import { endInvariants } from '../judge/index.ts'
import { playedScenario } from '../embedded/played-scenario.ts'
import type { Simulator } from '../simulator/simulator.ts'
import type { LoadOptions } from '../embedded/scenarios.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Expect, Scenario } from '../scenario/vocabulary/types.ts'
import { checkedLater, optionsCheck } from '../simulator/check-options.ts'
import type { RunNames } from '../embedded/watched-run.ts'
import type { GreenroomOptions, Endpoint } from './options.ts'
import { RunningTests, defaultExpect, mergeExpect, TestRun, withNamespace } from './test-run.ts'
import { createTestGateway, type TestGateway } from './test-gateway.ts'
import { explainTimeout, TimeStoodStill } from './timeout.ts'
import type { ActiveInterception, InterceptionOptions } from './interception.ts'
import { sdkEnvironment } from '../embedded/sdk-environment.ts'
import { nameOfTest, takeReportSaver, type SaveReport } from '../embedded/failure-report.ts'

/**
 * The namespace of a test. It depends only on the path of the test, so that a test gets the same ids when it runs alone.
 *
 * @param path file, suites and test by their names.
 * @param isTaken whether a running test has the namespace, because two tests may have the same name.
 */
function namespaceOfTest(path: readonly string[], isTaken: (name: string) => boolean): string {
  for (let nth = 1; ; nth++) {
    const name = nameOfTest(path, nth)
    if (!isTaken(name)) return name
  }
}

/** The parts that all tests of one `useGreenroom` share. */
interface Shared {
  readonly simulator: EmbeddedSimulator
  readonly interception: ActiveInterception
  readonly expect: Expect
  readonly names: RunNames
  readonly env: Readonly<Record<string, string>>
  readonly saveReport: SaveReport | undefined
}

const checkGreenroomOptions = optionsCheck({
  scenario: checkedLater,
  expect: z.optional(z.looseObject({})),
  expectNoAbandonedTasks: z.optional(z.boolean()),
  env: checkedLater,
  baseUrl: z.optional(z.string()),
  via: checkedLater,
  server: checkedLater,
  http: checkedLater,
  onUnhandledRequest: checkedLater,
  allowHosts: z.optional(z.array(z.string())),
} satisfies Record<
  keyof (Omit<GreenroomOptions, keyof EmbeddedOptions> & Pick<EmbeddedOptions, 'scenario'>),
  z.ZodMiniType
>)

/** The differences between Node and a browser. */
interface Platform {
  readonly createSimulator: (options: EmbeddedOptions) => EmbeddedSimulator
  readonly loadScenario: (path: string, options: LoadOptions) => Promise<LoadedScenario>
  readonly startInterception: (
    simulator: Simulator,
    options: InterceptionOptions,
  ) => Promise<ActiveInterception>
}

/** Registers the hooks of Vitest that give each test its gateway. */
export function openGateways(options: GreenroomOptions, platform: Platform): TestGateway {
  checkGreenroomOptions(options)
  const running = new RunningTests()
  const restore = new Map<string, () => void>()
  let shared: Shared

  vitest.beforeAll(async () => {
    shared = await open(options, running, platform)
  })
  vitest.afterAll(async () => {
    await shared?.interception.close()
    await shared?.simulator.close()
  })

  // Since Vitest 4.1. It identifies concurrent tests, wherever their code runs.
  if ('aroundEach' in vitest) vitest.aroundEach((work, { task }) => running.within(task.id, work))

  vitest.beforeEach((context) => {
    const { task } = context
    const { simulator, interception, expect, names, env, saveReport } = shared
    interception.renew()
    const taken = new Set(running.all().map(({ gateway }) => gateway.name))
    const path = namePath(task)
    const namespace = namespaceOfTest(path, (name) => taken.has(name))
    const { baseUrl } = interception
    const test = new TestRun({
      simulator,
      namespace,
      baseUrl,
      expect,
      names,
      path,
      saveReport,
      createSimulator: platform.createSimulator,
    })
    running.begin(task.id, test)
    context.gateway = test.gateway
    // Environment variables are global, so concurrent tests would overwrite each other's.
    if (!task.concurrent) restore.set(task.id, setVariables(resolveVariables(options.env, env, test.gateway)))
    context.signal?.addEventListener('abort', () => {
      test.timeout = explainTimeout(test.gateway.clock.status(), test.realSleep)
    })
    const end = (): void => {
      running.end(task.id)
      restore.get(task.id)?.()
      restore.delete(task.id)
      test.end()
    }
    let result: Promise<Error | undefined> | undefined
    const finish = (): Promise<Error | undefined> => (result ??= findProblem(test, task).finally(end))
    // After a hook or clean-up that throws, Vitest skips the others. But it reports each error of onTestFinished.
    context.onTestFinished(async () => {
      const problem = await finish()
      if (problem) throw problem
    })
    return async () => void (await finish())
  })

  return createTestGateway(() => running.get().gateway)
}

/** Judges a test, unless it failed: a failed test interrupts its client. */
async function findProblem(test: TestRun, { result }: vitest.RunnerTestCase): Promise<Error | undefined> {
  if (result?.state === 'fail') {
    const [error] = result.errors ?? []
    const line = await test.report(test.timeout ?? error?.message ?? 'failed')
    if (test.timeout !== undefined) return new TimeStoodStill(join(test.timeout, line))
    if (error && line !== undefined) {
      const { message, stack } = error
      error.message = join(message, line)
      // Some reporters print the stack, which begins with the message.
      if (stack !== undefined) error.stack = stack.replace(message, () => error.message)
    }
    return undefined
  }
  try {
    await test.judge()
    return undefined
  } catch (error) {
    return error as Error
  }
}

const join = (message: string, line: string | undefined): string =>
  line === undefined ? message : `${message}\n\n${line}`

async function open(
  options: GreenroomOptions,
  running: RunningTests,
  { createSimulator, loadScenario, startInterception }: Platform,
): Promise<Shared> {
  const {
    scenario: named,
    expect,
    expectNoAbandonedTasks = false,
    env: _env,
    via,
    baseUrl,
    server,
    http,
    onUnhandledRequest,
    allowHosts,
    ...own
  } = options
  const scenario = typeof named === 'string' ? await loadScenario(named, { apis: own.apis ?? [] }) : named
  const played = scenario && playedScenario(scenario, { apis: own.apis ?? [] })
  // Rules for all tests need not fire in each test.
  const optional = {
    ...own,
    ...(own.rules && { rules: own.rules.map((rule) => ({ optional: true, ...rule })) }),
  }
  const simulator = createSimulator({ ...played?.options, ...optional })
  const belongsTo = (): string => {
    const test = running.find()
    if (!test) for (const each of running.all()) each.strays++
    return test?.gateway.name ?? 'default'
  }
  const reach = Object.entries({ via, baseUrl, server, http, onUnhandledRequest, allowHosts })
  const given = Object.fromEntries(reach.filter(([, value]) => value !== undefined))
  try {
    // A test that advances fake timers by hand would not wait for the texts to load.
    if (simulator.clock.status().mode === 'host') await simulator.core.load()
    return {
      simulator,
      interception: await startInterception(
        withDiversions(withNamespace(simulator.core, belongsTo), running),
        given,
      ),
      expect: mergeExpect(
        played ? mergeExpect(played.expect, expect ?? {}) : (expect ?? defaultExpect),
        expectNoAbandonedTasks ? { always: endInvariants } : {},
      ),
      names: played?.names ?? {},
      env: (scenario && environmentOf(scenario)) ?? {},
      saveReport: takeReportSaver(simulator.core),
    }
  } catch (error) {
    await simulator.close()
    throw error
  }
}

/** Diverts the requests of tests that explore their clients. */
function withDiversions(simulator: Simulator, tests: RunningTests): Simulator {
  return {
    ...simulator,
    handle: (incoming) => {
      const isOf = ({ gateway }: TestRun): boolean => incoming.target.startsWith(`/ns/${gateway.name}/`)
      const test = tests.all().find(isOf) ?? tests.find()
      return (test?.diverted ?? simulator).handle(incoming)
    },
  }
}

function environmentOf(scenario: LoadedScenario | Scenario): Readonly<Record<string, string>> | undefined {
  return ('files' in scenario ? scenario.scenario : scenario).config?.env
}

function namePath(task: vitest.RunnerTestCase): string[] {
  const path = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) path.unshift(suite.name)
  return [task.file.name, ...path]
}

/**
 * The variables of a test.
 * @param ofScenario the variables of the scenario. Those of the options override them.
 */
function resolveVariables(
  env: GreenroomOptions['env'],
  ofScenario: Readonly<Record<string, string>>,
  { baseUrl: url, key }: Endpoint,
): Readonly<Record<string, string>> {
  if (env === false) return {}
  if (typeof env !== 'function') return sdkEnvironment({ url, key }, { ...ofScenario, ...env })
  return { ...sdkEnvironment({ url, key }, ofScenario), ...env({ baseUrl: url, key }) }
}

/** Sets variables of the process. Returns a function that restores them. */
function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const env = globalThis.process?.env
  if (env === undefined) return () => {}
  const before = Object.keys(variables).map((name) => [name, env[name]] as const)
  Object.assign(env, variables)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name]
      else env[name] = value
    }
  }
}
