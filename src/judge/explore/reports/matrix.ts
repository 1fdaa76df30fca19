import type { CellState } from '../judge-run.ts'
import type { Schedule } from '../../runs/schedules.ts'
import type { Cell } from '../search.ts'

/** `not tried`: the budget ended before. */
type MatrixState = CellState | 'not tried'

/** A symbol for each state: in cells of the matrix, and in its legend. */
export const symbols: Readonly<Record<MatrixState, string>> = {
  survived: '✓',
  reported: '✓r',
  misbehaved: '!',
  'gave up': '✗',
  hung: '∞',
  'paid twice': '2×$',
  'wrong result': '≠',
  resubmitted: '$?',
  advised: 'i',
  'not reached': '·',
  'not judged': '–',
  'not tried': '?',
}

/** Which fault did what at which place, one at a time; and what a gateway did that differs in one way. */
export interface Matrix {
  readonly places: readonly { readonly operation: string; readonly detail: string; readonly name: string }[]
  readonly rows: readonly MatrixRow[]
}

interface MatrixRow {
  readonly family: string
  readonly injection: string
  /** By place; undefined where the fault can't occur. */
  readonly states: readonly (MatrixState | undefined)[]
}

/** Faults in the order of the table, one family together; places in the order of the baseline run. */
export function toMatrix(cells: readonly Cell[], left: readonly Schedule[] = []): Matrix {
  const all = [...cells, ...left.map((schedule) => ({ schedule, state: 'not tried' as const }))]
  const injected = all.flatMap(({ schedule, state }) =>
    schedule.parts.length === 1 ? [{ ...schedule.parts[0]!, state }] : [],
  )
  const varied = all.flatMap(({ schedule: { variant }, state }) => {
    if (!variant) return []
    const { id, operation } = variant
    const reached = injected.find(({ place }) => place.operation === operation)?.place
    const place = reached ?? { operation, name: operation }
    return [{ place, injection: { family: 'other gateways', id }, state }]
  })
  const singles = [...injected, ...varied]
  const names = [...new Set(singles.map(({ place }) => place.name))]
  const families = [...new Set(singles.map(({ injection }) => injection.family))]
  const places = names.map((name) => {
    const { operation } = singles.find(({ place }) => place.name === name)!.place
    return { operation, detail: name.slice(operation.length + 1), name }
  })
  const rows = families.flatMap((family) => {
    const ofFamily = singles.filter(({ injection }) => injection.family === family)
    const ids = [...new Set(ofFamily.map(({ injection }) => injection.id))]
    return ids.map((injection): MatrixRow => {
      const ofRow = ofFamily.filter((single) => single.injection.id === injection)
      return {
        family,
        injection,
        states: names.map((name) => ofRow.find(({ place }) => place.name === name)?.state),
      }
    })
  })
  return { places, rows }
}

/** How often each state occurred, in the order of the symbols. */
export function countStates(cells: readonly Cell[]): [MatrixState, number][] {
  return (Object.keys(symbols) as MatrixState[])
    .map((state): [MatrixState, number] => [state, cells.filter((cell) => cell.state === state).length])
    .filter(([, count]) => count > 0)
}
