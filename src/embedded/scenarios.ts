import type { ConfigFile } from '../simulator/options.ts'
import type { DriveStep } from '../scenario/drive.ts'
import type { Throttle } from '../scenario/throttles/throttle.ts'
import type { Rule } from '../scenario/rules/rule.ts'
import type { Position } from '../scenario/files/error.ts'
import type { Expect } from '../judge/expectations/expect.ts'

/**
 * A scenario, as files in any language have it. `docs/scenarios.md` has every key.
 *
 * @example
 * const scenario: Scenario = {
 *   version: 1,
 *   name: 'the second video fails',
 *   rules: [{ match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure', reason: 'policy' } }],
 *   expect: { tasks: [{ channel: 'video', nth: 2, status: 'FAILURE' }] },
 * }
 * await using sim = createSimulator({ scenario })
 */
export interface Scenario {
  /** The version of the format. */
  version: 1
  /** The name in reports. */
  name?: string
  description?: string
  /** Words to select scenarios by. */
  tags?: readonly string[]
  /** Paths of scenario files to extend, lowest precedence first. Their rules and throttles come after those of this file. */
  extends?: readonly string[]
  /** `wire`: a socket, so that no fault is only approximated. */
  requires?: readonly 'wire'[]
  /** Random seed. Default 1. */
  seed?: string | number
  /** How time moves. Default: mode `auto`. */
  clock?: ServedClock
  /** How the gateway behaves apart from rules: the keys of the config file. */
  config?: ScenarioConfig
  /** Limits on rate and concurrency, checked before the rules. */
  throttles?: readonly Throttle[]
  /** Faults and other effects, in the order in which they are matched. */
  rules?: readonly Rule[]
  /** The steps of the reference client, which tries the file without an application. */
  drive?: readonly DriveStep[]
  /** What must be true for the run to pass. */
  expect?: Expect
}

/**
 * The keys of the config file, except for those that a scenario has itself.
 *
 * @example
 * const config: ScenarioConfig = { profile: 'upstream', models: [{ name: 'video-1', seconds: [5, 10] }] }
 * defineScenario({ version: 1, config }).config // → { profile: 'upstream', … }
 */
export type ScenarioConfig = Omit<
  ConfigFile,
  'name' | 'description' | 'seed' | 'clock' | 'rules' | 'throttles' | 'quiet' | 'json'
>

/**
 * Gives a scenario in TypeScript its types.
 *
 * @returns the scenario unchanged.
 *
 * @example
 * export default defineScenario({
 *   version: 1,
 *   rules: [{ match: { op: 'video.content' }, attempts: ['truncate', 'ok'] }],
 *   expect: { artifacts: [{ channel: 'video', downloaded: 'intact' }] },
 * })
 */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario
}

/**
 * A scenario with the positions of its parts.
 *
 * @example
 * const { scenario, at }: LoadedScenario = await loadScenario('scenarios/second-task-fails.yaml')
 * scenario.name // → 'The second task fails'
 * at(['rules', 0]).file // → '…second-task-fails.yaml'
 */
export interface LoadedScenario {
  /** The scenario, with all it extends, and paths of media made absolute. */
  readonly scenario: Scenario
  /** Its files, its own first. */
  readonly files: readonly string[]
  /** The position of a part, such as `['rules', 3]` or `['expect', 'tasks', 0]`, or of the nearest known part around it. */
  readonly at: (place: readonly PropertyKey[]) => Position
}

/**
 * Loads a scenario with all it extends, or nothing of it. The readers of YAML, of TypeScript and of the schema are loaded
 * with the first.
 *
 * @param path a file in YAML, JSON, TypeScript or JavaScript.
 * @throws {ScenarioError} with every mistake: `file:line:column: path: what is wrong, with which value, and what to do`.
 *
 * @example
 * await using sim = createSimulator({ scenario: await loadScenario('scenarios/flaky-network.yaml') })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.makeVideo('a red kite').catch(() => 'gave up at the first trouble')
 * const { passed } = await sim.verdict()
 * passed // → false
 */
export async function loadScenario(path: string): Promise<LoadedScenario> {
  const { loadScenario: load } = await import('../scenario/files/load.ts')
  return load(path)
}

/**
 * Reads a scenario from its text, as a bundler gives it: Vite, for an import of `./flaky.yaml?raw`. The readers of YAML and
 * of the schema are loaded with the first.
 *
 * @param text YAML or JSON. It can neither extend files nor serve them.
 * @param options.file what it is called in complaints and reports. Default `scenario.yaml`.
 * @throws {ScenarioError} with every mistake: `file:line:column: path: what is wrong, with which value, and what to do`.
 *
 * @example
 * const text = 'version: 1\nrules: [{ match: { op: video.poll }, fault: reset, times: 1 }]'
 * await using sim = createSimulator({ scenario: await parseScenario(text) })
 * sim.rules().length // → 1
 */
export async function parseScenario(
  text: string,
  { file = 'scenario.yaml' }: { file?: string } = {},
): Promise<LoadedScenario> {
  const { parseScenario: parse } = await import('../scenario/files/parse.ts')
  return parse(text, file)
}

/** The clock of a server. It has no mode `host`: the `Date` of another process can't be followed. */
type ServedClock = NonNullable<ConfigFile['clock']>
