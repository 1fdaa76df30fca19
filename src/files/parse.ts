import { caps } from '../engine/caps.ts'
import { placeText, ScenarioError } from './error.ts'
import { checkFile, parseText, type ReadFile } from './read-text.ts'
import { refusePrograms } from './programs.ts'
import type { LoadedScenario } from './types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { mistakesInOrder, wholeScenario } from './whole.ts'

/**
 * Reads a scenario from its text, for environments without files.
 *
 * @param text YAML or JSON.
 * @param file the name of the text in messages and reports.
 * @throws {ScenarioError} with every mistake, also for keys that need files: `extends`, `media.file`.
 */
export async function parseScenario(text: string, file: string): Promise<LoadedScenario> {
  if (typeof text !== 'string') {
    throw new ScenarioError(
      `Failed to read the scenario ${file}: its text is a value of type ${typeof text}. Give YAML or JSON as a string.`,
    )
  }
  if (text.length > caps.fileBytes) {
    throw new ScenarioError(`${file}: has ${text.length} characters, more than ${caps.fileBytes}. Split it.`)
  }
  const unchecked = await parseText(file, text.replace(/^\uFEFF/, ''))
  refusePrograms('.yaml', unchecked)
  const part = await checkFile(file, unchecked)
  const complaints = mistakesInOrder(part)
  if (complaints.length > 0) throw new ScenarioError(complaints.join('\n'))
  return wholeScenario([part], byItself)
}

/** Refuses relative paths, since a text has no folder. */
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
  const shipped = scenario.config?.apis
  if (shipped !== undefined) {
    const place = placeText(part.at(['config', 'apis']))
    complaints.push(
      `${place}: config.apis: names code, which a text may not do. Name the APIs where the simulator is created or started.`,
    )
  }
  return scenario
}
