import { fitsGlob } from '../../engine/glob.ts'
import { operations } from '../../engine/operations/operations.ts'
import { injections } from './injections.ts'
import type { Part, Selection } from './schedules.ts'

/** Selectors by operation (`video.*`), by family (`rate limit`) or by name of a fault (`503`). */
export function createSelection(only: readonly string[], skip: readonly string[]): Selection {
  return (part) =>
    (only.length === 0 || only.some((selector) => fits(part, selector))) &&
    !skip.some((selector) => fits(part, selector))
}

const fits = ({ injection, place }: Part, selector: string): boolean =>
  fitsGlob(selector, place.operation) || selector === injection.family || selector === injection.id

/** What is wrong with the first selector that selects nothing, as the end of a sentence. */
export function selectorProblem(selectors: readonly string[]): string | undefined {
  const families = [...new Set(injections.map(({ family }) => family))]
  const unknown = selectors.find(
    (selector) =>
      !operations.some((operation) => fitsGlob(selector, operation)) &&
      !injections.some(({ family, id }) => selector === family || selector === id),
  )
  if (unknown === undefined) return undefined
  return (
    `is "${unknown}", which selects nothing: write an operation such as video.*, a fault such as 503, or a family: ` +
    `${families.join(', ')}.`
  )
}
