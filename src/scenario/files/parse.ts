import { placeText, ScenarioError } from './error.ts'
import { checkFile, maxBytes, parseText, type ReadFile } from './read-text.ts'
import type { LoadedScenario } from './types.ts'
import type { Scenario } from '../vocabulary/types.ts'
import { mistakesInOrder, wholeScenario } from './whole.ts'

/**
 * Reads a scenario from its text, where there are no files.
 *
 * @param text YAML or JSON.
 * @param file what it is called in complaints and reports.
 * @throws {ScenarioError} with every mistake, as for a file; also for what only files can have: `extends`, `media.file`.
 */
export async function parseScenario(text: string, file: string): Promise<LoadedScenario> {
  if (text.length > maxBytes) {
    throw new ScenarioError(`${file}: has ${text.length} characters, more than ${maxBytes}. Split it.`)
  }
  const part = await checkFile(file, text, await parseText(file, text.replace(/^\uFEFF/, '')))
  const complaints = mistakesInOrder(part)
  if (complaints.length > 0) throw new ScenarioError(complaints.join('\n'))
  return wholeScenario([part], byItself)
}

/** A text has no folder that its paths could begin at. */
function byItself(part: ReadFile, scenario: Scenario, complaints: string[]): Scenario {
  const refuseFile = (place: readonly PropertyKey[], name: string, instead: string): void => {
    complaints.push(
      `${placeText(part.at(place))}: ${place.join('.')}: is "${name}", but a text has no folder. ${instead}`,
    )
  }
  scenario.extends?.forEach((name, index) =>
    refuseFile(['extends', index], name, 'Write what it says here, or load the file by loadScenario(path).'),
  )
  scenario.rules?.forEach((rule, index) => {
    const name = rule.media?.file
    if (name !== undefined)
      refuseFile(['rules', index, 'media', 'file'], name, 'Load the file by loadScenario(path).')
  })
  return scenario
}
