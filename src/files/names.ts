import { didYouMean } from '../engine/did-you-mean.ts'
import type { LocatedMistake } from './check.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'

/** The name of a rule or throttle in the journal and in reports. */
interface Named {
  readonly id: string
  readonly place: readonly [list: 'rules' | 'throttles', index: number]
}

/** The names of all rules and throttles. The name of one without an id is its position. */
export function namesOf({ rules = [], throttles = [] }: Pick<Scenario, 'rules' | 'throttles'>): Named[] {
  return [
    ...rules.map(({ id }, index): Named => ({ id: id ?? `rule-${index + 1}`, place: ['rules', index] })),
    ...throttles.map(({ id }, index): Named => ({
      id: id ?? `throttle-${index + 1}`,
      place: ['throttles', index],
    })),
  ]
}

/**
 * The place of a verdict's result in the scenario: an expectation, or a rule or throttle that no expectation names.
 * @param path the path of the result, such as `['tasks', 0]` or `['rules', 'flaky']`.
 */
export function placeOfResult(
  scenario: Pick<Scenario, 'rules' | 'throttles'> & { readonly expect?: { readonly rules?: object } },
  path: readonly PropertyKey[],
): PropertyKey[] {
  const [list, id] = path
  const isExpected = Object.hasOwn(scenario.expect?.rules ?? {}, id ?? '')
  const named = list === 'rules' && !isExpected && namesOf(scenario).find((name) => name.id === id)
  return named ? [...named.place] : ['expect', ...path]
}

/** Finds duplicate names, and expectations with unknown names. */
export function checkNames(scenario: Scenario): LocatedMistake[] {
  const names = namesOf(scenario)
  const first = new Map<string, Named>()
  const mistakes: LocatedMistake[] = []
  for (const name of names) {
    const other = first.get(name.id)
    if (!other) {
      first.set(name.id, name)
      continue
    }
    mistakes.push({
      place: [...name.place, 'id'],
      isKey: false,
      sentence:
        `${name.place.join('.')}.id: is "${name.id}", which is the id of ${other.place.join('.')}. ` +
        'Ids select random draws, and name rules in reports: choose another.',
    })
  }
  for (const { place, id, isKey } of expectedNames(scenario)) {
    if (first.has(id)) continue
    const known = [...first.keys()]
    const list = known.length === 0 ? 'There is none.' : `There is ${known.slice(0, 20).join(', ')}.`
    const sentence = `${place.map(String).join('.')}: "${id}" is neither a rule nor a throttle.${didYouMean(id, known)} ${list}`
    mistakes.push({ place, isKey, sentence })
  }
  return mistakes
}

function expectedNames({ expect = {} }: Scenario): { place: PropertyKey[]; id: string; isKey: boolean }[] {
  const rules = Object.keys(expect.rules ?? {}).map((id) => ({
    place: ['expect', 'rules', id],
    id,
    isKey: true,
  }))
  const requests = (expect.requests ?? []).flatMap(({ rule }, index) =>
    rule === undefined ? [] : [{ place: ['expect', 'requests', index, 'rule'], id: rule, isKey: false }],
  )
  const sometimes = (expect.sometimes ?? []).flatMap((one, index) =>
    'rule' in one ? [{ place: ['expect', 'sometimes', index, 'rule'], id: one.rule, isKey: false }] : [],
  )
  return [...rules, ...requests, ...sometimes]
}
