import { maxRules } from '../scenario/vocabulary/rule-schema.ts'
import { placeText, type Position, ScenarioError } from './error.ts'
import type { ReadFile } from './read-text.ts'
import type { LoadedScenario } from './types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { operationsWith } from '../apis/index.ts'
import type { OwnApi } from '../engine/operations/own-api.ts'
import { clockOver } from '../engine/clock/clock-settings.ts'

/** The scenario of one file. */
interface Part {
  readonly path: string
  readonly scenario: Scenario
}

/** Where a value of a combined scenario comes from. */
interface Origin {
  readonly part: number
  readonly place: readonly PropertyKey[]
}

/** Several files as one scenario. */
interface Combined {
  readonly scenario: Scenario
  readonly origin: (place: readonly PropertyKey[]) => Origin
}

/** Mappings that are merged key by key. The strongest file wins. */
const groups = ['clock', 'config', 'expect'] as const

/**
 * Combines files. The stronger file wins; `clock`, `config` and `expect` are merged key by key. Rules and throttles of
 * weaker files follow those of stronger ones, unless their id is taken. `requires` is the union of all files.
 *
 * @param parts the strongest first.
 */
function combine(parts: readonly Part[]): Combined {
  const weakestFirst = parts.toReversed()
  const rules = listOf(parts, 'rules')
  const throttles = listOf(parts, 'throttles')
  const requires = [...new Set(parts.flatMap(({ scenario }) => scenario.requires ?? []))]
  let scenario: Scenario = { version: 1 }
  for (const { scenario: weaker } of weakestFirst) scenario = { ...scenario, ...weaker }
  for (const group of groups) {
    const inside = weakestFirst.map(({ scenario: each }) => each[group]).filter((each) => each !== undefined)
    if (inside.length > 0) scenario = { ...scenario, [group]: Object.assign({}, ...inside) as object }
  }
  const clocks = weakestFirst.map(({ scenario: { clock } }) => clock).filter((clock) => clock !== undefined)
  if (clocks.length > 0) scenario = { ...scenario, clock: clocks.reduce(clockOver) }
  const { extends: _, ...rest } = scenario
  return {
    scenario: {
      ...rest,
      ...(rules.length > 0 && { rules: rules.map(({ value }) => value) }),
      ...(throttles.length > 0 && { throttles: throttles.map(({ value }) => value) }),
      ...(requires.length > 0 && { requires }),
    } as Scenario,
    origin: (place) => {
      const [first, second, ...below] = place
      const list = first === 'rules' ? rules : first === 'throttles' ? throttles : undefined
      const item = list?.[Number(second)]
      if (item) return { part: item.part, place: [first!, item.index, ...below] }
      const depth = groups.some((group) => group === first) ? 2 : 1
      const deepest = parts.findIndex(({ scenario: each }) => has(each, place.slice(0, depth)))
      // A clock may be a plain mode, without keys.
      const part =
        deepest < 0 ? parts.findIndex(({ scenario: each }) => has(each, place.slice(0, 1))) : deepest
      return { part: Math.max(0, part), place }
    },
  }
}

function listOf(
  parts: readonly Part[],
  list: 'rules' | 'throttles',
): { value: { readonly id?: string }; part: number; index: number }[] {
  const taken = new Set<string>()
  return parts.flatMap(({ scenario }, part) => {
    const named: readonly { readonly id?: string }[] = scenario[list] ?? []
    const own = named.map((value, index) => ({ value, part, index }))
    const remaining = own.filter(({ value }) => value.id === undefined || !taken.has(value.id))
    for (const { value } of own) if (value.id !== undefined) taken.add(value.id)
    return remaining
  })
}

function has(value: unknown, place: readonly PropertyKey[]): boolean {
  let at = value
  for (const step of place) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false
    at = (at as Record<PropertyKey, unknown>)[step]
  }
  return at !== undefined
}

/**
 * Combines valid files into one scenario.
 *
 * @param parts the strongest first.
 * @param resolvePart resolves the paths in a file relative to it, and adds a complaint for each invalid path.
 * @param apis those whose operations it may name.
 * @throws {ScenarioError} for unknown names, and for too many rules.
 */
export async function wholeScenario(
  parts: readonly ReadFile[],
  resolvePart: (part: ReadFile, scenario: Scenario, complaints: string[]) => Scenario,
  apis: ReadonlySet<string | OwnApi> = new Set(),
): Promise<LoadedScenario> {
  const complaints: string[] = []
  const whole = combine(
    parts.map((part): Part => ({ path: part.path, scenario: resolvePart(part, part.scenario!, complaints) })),
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
  const loaded = { scenario: whole.scenario, files: parts.map((part) => part.path), at }
  if (complaints.length === 0) return loaded
  const { lintMistakes } = await import('./lint/lint.ts')
  const others =
    (loaded.scenario.rules?.length ?? 0) > maxRules ? [] : lintMistakes(loaded, operationsWith([...apis]))
  throw new ScenarioError([...complaints, ...others].join('\n'))
}

/** The mistakes of a file, by line. */
export function mistakesInOrder({ mistakes, at }: ReadFile): string[] {
  return mistakes
    .map(({ place, isKey, sentence }) => ({ at: at(place, isKey), sentence }))
    .toSorted((one, other) => orderOf(one.at) - orderOf(other.at))
    .map((mistake) => `${placeText(mistake.at)}: ${mistake.sentence}`)
}

function orderOf({ line = 0, column = 0 }: Position): number {
  return line * 1e6 + column
}

function checkSize(scenario: Scenario, place: string, complaints: string[]): void {
  const count = scenario.rules?.length ?? 0
  if (count > maxRules)
    complaints.push(`${place}: extends: gives ${count} rules in all, more than ${maxRules}. Use fewer.`)
}
