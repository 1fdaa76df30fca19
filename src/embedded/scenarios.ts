import type { LoadedScenario } from '../files/types.ts'
import type { OwnApi } from '../engine/operations/own-api.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

/**
 * Gives a scenario in TypeScript its types.
 *
 * @returns the scenario unchanged.
 *
 * @example
 * export default defineScenario({
 *   version: 1,
 *   rules: [{ match: { op: 'video.content' }, attempts: ['truncate', 'ok'] }],
 *   expect: { artifacts: [{ kind: 'video', downloaded: 'intact' }] },
 * })
 */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario
}

/**
 * What a scenario may name besides its own content.
 *
 * @example
 * const options: LoadOptions = { apis: ['replicate'] }
 * const { scenario } = await loadScenario('scenarios/happy-video.yaml', options)
 * scenario.config // → { apis: ['replicate'] }
 */
export interface LoadOptions {
  /** Definitions of APIs, or the names of shipped ones. */
  readonly apis?: readonly (string | OwnApi)[]
}

/**
 * Loads a scenario with all files that it extends. The parsers of YAML and TypeScript, and the schema, are loaded with the
 * first scenario.
 *
 * @param path a file in YAML, JSON, TypeScript or JavaScript: its path, or its `file:` URL.
 * @param options.apis the APIs of your own whose operations the scenario names. A scenario in YAML or JSON can't name their files.
 * @throws {ScenarioError} with every mistake: `file:line:column: path: what is wrong, with which value, and what to do`.
 *
 * @example
 * await using sim = createSimulator({ scenario: await loadScenario('scenarios/flaky-network.yaml') })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.makeVideo('a red kite').catch(() => 'gave up at the first trouble')
 * const { passed } = await sim.verdict()
 * passed // → false
 */
export async function loadScenario(path: string | URL, options: LoadOptions = {}): Promise<LoadedScenario> {
  const { loadScenario: load } = await import('../files/load.ts')
  return load(path, options)
}

/**
 * Reads a scenario from its text. Bundlers provide the text of a file: Vite, for example, for an import of `./flaky.yaml?raw`.
 * The YAML parser and the schema are loaded with the first scenario.
 *
 * @param text YAML or JSON. It can neither extend files nor serve them.
 * @param options.file its name in messages and reports. Default `scenario.yaml`.
 * @throws {ScenarioError} with every mistake, in the format of {@link loadScenario}.
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
  const { parseScenario: parse } = await import('../files/parse.ts')
  return parse(text, file)
}
