import { maxRules } from '../rules/rules.ts'
import { combine, type Part } from './combine.ts'
import { placeText, ScenarioError, type Position } from './error.ts'
import type { ReadFile } from './read-text.ts'
import type { FileScenario, LoadedScenario } from './types.ts'

/**
 * Files without mistakes as one scenario.
 *
 * @param parts the strongest first.
 * @param besidePart what a file says once its paths mean places beside it; complains of those that can't.
 * @throws {ScenarioError} for names that nothing has, and what is too large.
 */
export async function wholeScenario(
  parts: readonly ReadFile[],
  besidePart: (part: ReadFile, scenario: FileScenario, complaints: string[]) => FileScenario,
): Promise<LoadedScenario> {
  const complaints: string[] = []
  const whole = combine(
    parts.map((part): Part => ({ path: part.path, scenario: besidePart(part, part.scenario!, complaints) })),
  )
  const at: LoadedScenario['at'] = (place) => {
    const { part, place: inPart } = whole.origin(place)
    return parts[part]!.at(inPart)
  }
  const { checkNames } = await import('./names.ts')
  for (const { place, isKey, sentence } of checkNames(whole.scenario)) {
    const { part, place: inPart } = whole.origin(place)
    complaints.push(`${placeText(parts[part]!.at(inPart, isKey))}: ${sentence}`)
  }
  checkSize(whole.scenario, placeText(parts[0]!.at(['extends'])), complaints)
  if (complaints.length > 0) throw new ScenarioError(complaints.join('\n'))
  return { scenario: whole.scenario, files: parts.map((part) => part.path), at }
}

/** The mistakes of a file from its top to its end. */
export function mistakesInOrder({ mistakes, at }: ReadFile): string[] {
  return mistakes
    .map(({ place, isKey, sentence }) => ({ at: at(place, isKey), sentence }))
    .toSorted((one, other) => orderOf(one.at) - orderOf(other.at))
    .map((mistake) => `${placeText(mistake.at)}: ${mistake.sentence}`)
}

function orderOf({ line = 0, column = 0 }: Position): number {
  return line * 1e6 + column
}

function checkSize(scenario: FileScenario, place: string, complaints: string[]): void {
  const count = scenario.rules?.length ?? 0
  if (count > maxRules)
    complaints.push(`${place}: extends: gives ${count} rules in all, more than ${maxRules}. Use fewer.`)
}
