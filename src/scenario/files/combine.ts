import { clockOver } from './clock-over.ts'
import type { FileScenario } from './types.ts'

/** One file's part in a scenario. */
export interface Part {
  readonly path: string
  readonly scenario: FileScenario
}

/** Where something of a combined scenario stands. */
export interface Origin {
  readonly part: number
  readonly place: readonly PropertyKey[]
}

/** Several files as one scenario. */
export interface Combined {
  readonly scenario: FileScenario
  readonly origin: (place: readonly PropertyKey[]) => Origin
}

/** Of these, each key inside is taken from the strongest file that has it. */
const groups = ['clock', 'config', 'expect'] as const

/**
 * Puts files together. What the stronger one says goes; of `clock`, `config` and `expect` that is asked key by key.
 * Rules and throttles of weaker files come behind; one of the same id as a stronger one's is left out. `requires` adds up.
 *
 * @param parts the strongest first.
 */
export function combine(parts: readonly Part[]): Combined {
  const weakestFirst = parts.toReversed()
  const rules = listOf(parts, 'rules')
  const throttles = listOf(parts, 'throttles')
  const requires = [...new Set(parts.flatMap(({ scenario }) => scenario.requires ?? []))]
  let scenario: FileScenario = { version: 1 }
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
    } as FileScenario,
    origin: (place) => {
      const [first, second, ...below] = place
      const list = first === 'rules' ? rules : first === 'throttles' ? throttles : undefined
      const item = list?.[Number(second)]
      if (item) return { part: item.part, place: [first!, item.index, ...below] }
      const depth = groups.some((group) => group === first) ? 2 : 1
      const deepest = parts.findIndex(({ scenario: each }) => has(each, place.slice(0, depth)))
      // A clock may be its mode alone, which has no keys.
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
    const said: readonly { readonly id?: string }[] = scenario[list] ?? []
    const own = said.map((value, index) => ({ value, part, index }))
    const kept = own.filter(({ value }) => value.id === undefined || !taken.has(value.id))
    for (const { value } of own) if (value.id !== undefined) taken.add(value.id)
    return kept
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
