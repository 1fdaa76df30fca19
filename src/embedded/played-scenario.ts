import { operationsWith } from '../apis/index.ts'
import type { OwnApi } from '../engine/operations/own-api.ts'
import { firstMistake } from '../scenario/schema/mistakes.ts'
import { scenarioSchema } from '../scenario/vocabulary/scenario-schema.ts'
import { placeOfResult } from '../files/names.ts'
import { SettingsError } from '../scenario/options.ts'
import type { SimulatorOptions } from '../simulator/options.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Expect, Scenario } from '../scenario/vocabulary/types.ts'
import type { RunNames } from './watched-run.ts'

/** A scenario as options of a simulator in this process. */
export interface PlayedScenario {
  readonly options: SimulatorOptions
  readonly expect: Expect
  readonly names: RunNames
  /** Environment variables for commands. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Converts a scenario to options, without port and host, which are options of the server.
 * @param how `apis` are those of other options; `hasSocket` is whether clients reach the simulator over a socket.
 * @throws {Error} if the scenario or a file that it extends was not loaded, or if it requires a socket and there is none.
 */
export function playedScenario(
  played: LoadedScenario | Scenario,
  { hasSocket = false, apis = [] }: { hasSocket?: boolean; apis?: readonly (string | OwnApi)[] } = {},
): PlayedScenario {
  refuseUnread(played)
  const loaded = 'files' in played ? played : undefined
  const scenario = 'files' in played ? played.scenario : played
  const operations = operationsWith([...(scenario.config?.apis ?? []), ...apis])
  const problem = loaded
    ? undefined
    : firstMistake(scenarioSchema(operations), withoutEnv(scenario), operations)
  if (problem !== undefined) throw new SettingsError(`Failed to read the scenario: ${problem}`)
  if (!loaded && scenario.extends !== undefined) {
    throw new Error(
      `Failed to play the scenario: it extends ${scenario.extends.join(', ')}. ` +
        'Load it by loadScenario(path), which reads those files too.',
    )
  }
  if (!hasSocket && scenario.requires?.includes('wire')) {
    const named = loaded?.files[0] ?? (scenario.name === undefined ? 'the scenario' : `"${scenario.name}"`)
    throw new Error(
      `Failed to play ${named}: it requires wire, and without a socket some faults are only approximated. Play it by ` +
        '"greenroom run" or "greenroom serve --scenario", or leave requires out.',
    )
  }
  if (scenario.crash !== undefined) {
    throw new Error(
      'Failed to play the scenario: it has crash, which needs a command that is started again. Play it by "greenroom run".',
    )
  }
  const { seed, clock, throttles = [], rules = [], config = {}, expect = {}, name } = scenario
  const { port: _port, host: _host, env = {}, ...options } = config
  return {
    options: {
      ...options,
      ...(seed === undefined ? {} : { seed }),
      ...(clock ? { clock } : {}),
      rules,
      throttles,
    },
    expect,
    env,
    names: {
      ...(name === undefined ? {} : { name }),
      ...(loaded && { file: loaded.files[0], at: placeIn(loaded) }),
    },
  }
}

/** Files may set only some variables. Code may set any, and only servers use them. */
function withoutEnv(scenario: Scenario): Scenario {
  if (typeof scenario.config !== 'object' || scenario.config === null) return scenario
  const { env: _env, ...config } = scenario.config
  return { ...scenario, config }
}

/** Refuses a path or a promise, which untyped callers may pass. Either would count as an empty scenario. */
function refuseUnread(played: unknown): void {
  if (typeof played === 'object' && played !== null && !('then' in played)) return
  const what = typeof played === 'string' ? JSON.stringify(played.slice(0, 80)) : `a ${typeof played}`
  throw new Error(
    `Failed to play the scenario: it is ${typeof played === 'object' ? 'a promise' : what}. ` +
      'Load it first: createSimulator({ scenario: await loadScenario(path) }).',
  )
}

function placeIn({ at, scenario }: LoadedScenario): NonNullable<RunNames['at']> {
  return (path) => {
    const { file, line, column = 1 } = at(placeOfResult(scenario, path))
    return line === undefined ? undefined : { file, line, column }
  }
}
