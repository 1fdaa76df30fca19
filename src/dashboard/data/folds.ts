// Stretches without any event can be folded. The axis then shows places: instants without what is folded before them.

/** A folded stretch. */
export interface Fold {
  readonly from: number
  readonly to: number
  /** Where it begins as a place. */
  readonly place: number
  /** How much it hides: `to - from`. */
  readonly savedMs: number
}

/** How much of a folded stretch stays visible. */
const visibleMs = 4_000
const minStretchMs = 45_000

/**
 * Finds the stretches to fold: at least 45 seconds and a twelfth of the whole without an event.
 * @param instants when something happened, in any order.
 */
export function findFolds(instants: readonly number[], from: number, until: number): Fold[] {
  const sorted = Float64Array.from([from, ...instants.filter((at) => at > from && at < until), until]).sort()
  const minMs = Math.max(minStretchMs, (until - from) / 12)
  const stretches: { from: number; to: number }[] = []
  for (let index = 1; index < sorted.length; index++) {
    const [start, end] = [sorted[index - 1]!, sorted[index]!]
    if (end - start >= minMs) stretches.push({ from: start + visibleMs / 2, to: end - visibleMs / 2 })
  }
  let savedBefore = 0
  return stretches.map((stretch) => {
    const savedMs = stretch.to - stretch.from
    const fold = { ...stretch, place: stretch.from - savedBefore, savedMs }
    savedBefore += savedMs
    return fold
  })
}

/** From an instant to its place. All instants of a fold have the same. */
export function toPlace(folds: readonly Fold[], at: number): number {
  let place = at
  for (const { from, to } of folds) {
    if (at <= from) break
    place -= Math.min(at, to) - from
  }
  return place
}

/** From a place to its instant; of a fold, to its beginning. */
export function toInstant(folds: readonly Fold[], place: number): number {
  let at = place
  for (const fold of folds) {
    if (place <= fold.place) break
    at += fold.savedMs
  }
  return at
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const rulerSteps = [
  [10, 20, 50, 100, 200, 500],
  [1, 2, 5, 10, 15, 30].map((count) => count * second),
  [1, 2, 5, 10, 15, 30].map((count) => count * minute),
  [1, 2, 6, 12, 24].map((count) => count * hour),
].flat()

/** The distance of marks on the ruler: the smallest round one with room for a label. */
export function rulerStep(msPerPixel: number, minPixels = 90): number {
  const day = 24 * hour
  return (
    rulerSteps.find((step) => step / msPerPixel >= minPixels) ??
    Math.ceil((minPixels * msPerPixel) / day) * day
  )
}

/**
 * The marks of the ruler between two places: round instants since the origin, also after a fold.
 * @returns the instants, oldest first.
 */
export function rulerMarks(
  folds: readonly Fold[],
  { origin, from, to, step }: { origin: number; from: number; to: number; step: number },
): number[] {
  const marks: number[] = []
  const end = toInstant(folds, to)
  let at = origin + Math.ceil((toInstant(folds, from) - origin) / step) * step
  for (const fold of [...folds, { from: Infinity, to: Infinity }]) {
    for (; at <= Math.min(end, fold.from); at += step) marks.push(at)
    if (at > end) break
    // The first round instant after the fold.
    if (at < fold.to) at = origin + Math.ceil((fold.to - origin) / step) * step
  }
  return marks
}
