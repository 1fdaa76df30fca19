import { sdkEnvironment } from '../embedded/sdk-environment.ts'
import type { GreenroomOptions, Reached } from './options.ts'

/**
 * The variables of a test.
 * @param ofScenario those that a scenario names, which count less than those of the options.
 */
export function variablesOf(
  env: GreenroomOptions['env'],
  ofScenario: Readonly<Record<string, string>>,
  { baseUrl: url, key }: Reached,
): Readonly<Record<string, string>> {
  if (env === false) return {}
  if (typeof env !== 'function') return sdkEnvironment({ url, key }, { ...ofScenario, ...env })
  return { ...sdkEnvironment({ url, key }, ofScenario), ...env({ baseUrl: url, key }) }
}

/** Sets variables of the process. Returns what puts back those that were there. */
export function setVariables(variables: Readonly<Record<string, string>>): () => void {
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
