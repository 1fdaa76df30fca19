import * as vitest from 'vitest'
import * as z from 'zod/mini'
import { createSimulator, type EmbeddedOptions } from '../embedded/create-simulator.ts'
import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import { playedScenario } from '../embedded/played-scenario.ts'
import { type LoadedScenario, loadScenario, type Scenario } from '../embedded/scenarios.ts'
import { checkedLater, checkOptions } from '../simulator/check-options.ts'
import type { Expect } from '../judge/expectations/expect.ts'
import type { RunNames } from '../embedded/watched-run.ts'
import { bothExpected, ofEveryTest } from './expectations.ts'
import { TimeStoodStill, explainTimeout } from './explain-timeout.ts'
import type { GreenroomOptions, Endpoint } from './options.ts'
import { RunningTests } from './running-tests.ts'
import { gatewayOf, type TestGateway } from './test-gateway.ts'
import { belonging, TestRun } from './test-run.ts'
import { startInterception, type OpenWay } from './interception.ts'
import { sdkEnvironment } from '../embedded/sdk-environment.ts'
import { alphanumerics, keyedDraws } from '../engine/random/draws.ts'

const most = 64
const hashLength = 6

/**
 * The namespace of a test: its name, as far as that can be one, and a hash of where it stands. It hangs on nothing else, so
 * that a test alone gets the ids that it gets among others.
 *
 * @param path file, suites and test by their names.
 * @param isTaken whether a running test has the name already, as where two are called the same.
 */
function namespaceOfTest(path: readonly string[], isTaken: (name: string) => boolean): string {
  for (let nth = 1; ; nth++) {
    const end = `-${hashOf(nth === 1 ? path : [...path, String(nth)])}`
    const words = (path.at(-1) ?? '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    const name = (words.slice(0, most - end.length) || 'test') + end
    if (!isTaken(name)) return name
  }
}

function hashOf(path: readonly string[]): string {
  return keyedDraws('').text(alphanumerics, hashLength, 'namespace', JSON.stringify(path), 0)
}

/** What all tests of a `useGreenroom` share. */
interface Shared {
  readonly simulator: EmbeddedSimulator
  readonly way: OpenWay
  readonly expect: Expect
  readonly names: RunNames
  readonly env: Readonly<Record<string, string>>
}

/** The keys beyond the options of every simulator. */
const ownOptions = {
  scenario: checkedLater,
  expect: z.optional(z.looseObject({})),
  env: checkedLater,
  baseUrl: z.optional(z.string()),
  via: checkedLater,
  server: checkedLater,
  http: checkedLater,
  onUnhandledRequest: checkedLater,
} satisfies Record<
  keyof (Omit<GreenroomOptions, keyof EmbeddedOptions> & Pick<EmbeddedOptions, 'scenario'>),
  z.ZodMiniType
>

/**
 * Gives every test of a file, or of a `describe`, a gateway of its own, and judges at its end what its client did. Called
 * once, outside of the tests.
 *
 * What it returns is read inside of the tests, each of which sees its own; concurrent tests get the same as `gateway` of
 * their context.
 *
 * @example
 * const gateway = useGreenroom()
 *
 * it('says why a video failed', async () => {
 *   const client = new MyClient({ fetch, baseUrl: gateway.baseUrl, apiKey: gateway.key })
 *   const video = await client.makeVideo('a red kite [[fail: content policy]]')
 *   expect(video.error).toBe('content policy')
 *   expect(gateway).toHaveSettled({ status: 'FAILURE' })
 * })
 *
 * @throws {SettingsError} for an unknown option; {GreenroomError} before the first test, for options that contradict each other.
 */
export function useGreenroom(options: GreenroomOptions = {}): TestGateway {
  checkOptions(options, ownOptions)
  const running = new RunningTests()
  const restore = new Map<string, () => void>()
  let shared: Shared

  vitest.beforeAll(async () => {
    shared = await open(options, running)
  })
  vitest.afterAll(async () => {
    await shared?.way.close()
    await shared?.simulator.close()
  })

  // Vitest knows it from 4.1 on. It is what lets concurrent tests be told apart wherever their code runs.
  if ('aroundEach' in vitest) vitest.aroundEach((work, { task }) => running.within(task.id, work))

  vitest.beforeEach((context) => {
    const { task } = context
    const { simulator, way, expect, names, env } = shared
    way.renew()
    const taken = new Set(running.all().map(({ gateway }) => gateway.name))
    const namespace = namespaceOfTest(pathOf(task), (name) => taken.has(name))
    const test = new TestRun({ simulator, namespace, baseUrl: way.baseUrl, expect, names })
    running.begin(task.id, test)
    context.gateway = test.gateway
    // Variables are the process's: those of concurrent tests would overwrite each other.
    if (!task.concurrent) restore.set(task.id, setVariables(variablesOf(options.env, env, test.gateway)))
    context.signal?.addEventListener('abort', () => {
      test.hung = explainTimeout(test.gateway.clock.status(), test.realSleep)
    })
    const end = (): void => {
      running.end(task.id)
      restore.get(task.id)?.()
      restore.delete(task.id)
      test.end()
    }
    let result: Promise<Error | undefined> | undefined
    const finish = (): Promise<Error | undefined> => (result ??= problemOf(test, task).finally(end))
    // Vitest skips the remaining hooks and clean-ups after one that throws. It reports each error of onTestFinished.
    context.onTestFinished(async () => {
      const problem = await finish()
      if (problem) throw problem
    })
    return async () => void (await finish())
  })

  return gatewayOf(() => running.get().gateway)
}

/** What is wrong with a test that has run. A test that failed gets no verdict: its client was interrupted. */
async function problemOf(test: TestRun, { result }: vitest.RunnerTestCase): Promise<Error | undefined> {
  if (result?.state === 'fail') return test.hung === undefined ? undefined : new TimeStoodStill(test.hung)
  try {
    await test.judge()
    return undefined
  } catch (error) {
    return error as Error
  }
}

async function open(options: GreenroomOptions, running: RunningTests): Promise<Shared> {
  const {
    scenario: named,
    expect,
    env: _env,
    via,
    baseUrl,
    server,
    http,
    onUnhandledRequest,
    ...own
  } = options
  const scenario = typeof named === 'string' ? await loadScenario(named) : named
  const played = scenario && playedScenario(scenario)
  // Rules that are for all tests needn't all fire in each.
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
  const reach = Object.entries({ via, baseUrl, server, http, onUnhandledRequest })
  const given = Object.fromEntries(reach.filter(([, value]) => value !== undefined))
  try {
    // A test that turns its timers by hand turns them while the words are still being loaded, and then no more.
    if (simulator.clock.status().mode === 'host') await simulator.core.loadTexts()
    return {
      simulator,
      way: await startInterception(belonging(simulator.core, belongsTo), given),
      expect: played ? bothExpected(played.expect, expect ?? {}) : (expect ?? ofEveryTest),
      names: played?.names ?? {},
      env: (scenario && environmentOf(scenario)) ?? {},
    }
  } catch (error) {
    await simulator.close()
    throw error
  }
}

function environmentOf(scenario: LoadedScenario | Scenario): Readonly<Record<string, string>> | undefined {
  return ('files' in scenario ? scenario.scenario : scenario).config?.env
}

function pathOf(task: vitest.RunnerTestCase): string[] {
  const path = [task.name]
  for (let suite = task.suite; suite; suite = suite.suite) path.unshift(suite.name)
  return [task.file.name, ...path]
}

/**
 * The variables of a test.
 * @param ofScenario those that a scenario names, which count less than those of the options.
 */
function variablesOf(
  env: GreenroomOptions['env'],
  ofScenario: Readonly<Record<string, string>>,
  { baseUrl: url, key }: Endpoint,
): Readonly<Record<string, string>> {
  if (env === false) return {}
  if (typeof env !== 'function') return sdkEnvironment({ url, key }, { ...ofScenario, ...env })
  return { ...sdkEnvironment({ url, key }, ofScenario), ...env({ baseUrl: url, key }) }
}

/** Sets variables of the process. Returns what puts back those that were there. */
function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const { env } = process
  const before = Object.keys(variables).map((name) => [name, env[name]] as const)
  Object.assign(env, variables)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name]
      else env[name] = value
    }
  }
}
