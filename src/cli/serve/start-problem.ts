import { nodeMedia } from '../../media/node.ts'
import type { LoadedScenario } from '../../scenario/files/types.ts'
import type { Finding } from '../../scenario/files/finding.ts'
import { namesOf } from '../../scenario/files/names.ts'
import { clockOptions, mediaOptions } from '../../simulator/options.ts'
import { composeSimulator } from '../../simulator/simulator.ts'
import { scenarioOptions } from '../run/scenario-options.ts'

/**
 * What keeps a gateway from being made of a scenario, though each of its values can be: a default outside its bounds, an
 * encoder that isn't there. It is tried; undefined where one can be made.
 */
export async function startProblem({ scenario, ...loaded }: LoadedScenario): Promise<Finding | undefined> {
  const options = scenarioOptions({ scenario, ...loaded }, {})
  try {
    const media = nodeMedia({ ffmpeg: options.ffmpeg, cacheDir: false, ...mediaOptions(options) })
    await composeSimulator({ ...options, media, clock: clockOptions(options, 'auto') }).close()
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { severity: 'mistake', place: placeIn(message, scenario), message }
  }
}

/** Messages begin with the key that they are about, or name the rule or the limit. */
function placeIn(message: string, scenario: LoadedScenario['scenario']): PropertyKey[] {
  const [, id] = /^Failed to add (?:rule|limit) "([^"]+)"/.exec(message) ?? []
  const named = namesOf(scenario).find((name) => name.id === id)
  if (named) return [...named.place]
  const [path = ''] = /^[\w.[\]]+/.exec(message) ?? []
  return ['config', ...path.split(/[.[\]]+/).filter((key) => key !== '')]
}
