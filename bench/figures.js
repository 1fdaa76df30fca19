export function median(/** @type {number[]} */ values) {
  return quantile(values, 0.5)
}

export function quantile(/** @type {number[]} */ values, /** @type {number} */ share) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export function spread(/** @type {number[]} */ values) {
  return `${show(Math.min(...values))} to ${show(Math.max(...values))}`
}

/** Two digits after the point, or three in all where there are more before it; two in all of what is tiny. */
export function show(/** @type {number} */ value) {
  if (value > 0.0001 && value < 0.1) return value.toPrecision(2)
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2)
}

/** The median with the spread, as a cell of a table: `15.5 s (14.9 to 16.1)`. */
export function cellOf(/** @type {number[]} */ values, unit = '') {
  return `${show(median(values))}${unit && ` ${unit}`} (${spread(values)})`
}

/** The values in relation to others of the same rounds. */
export function ratiosOf(/** @type {number[]} */ values, /** @type {number[]} */ yardstick) {
  return values.map((value, index) => value / (yardstick[index] ?? NaN))
}

/** How long a piece of work takes, in milliseconds, for each of a number of runs. */
export async function timesOf(/** @type {number} */ times, /** @type {() => unknown} */ work) {
  const taken = []
  for (let time = 0; time < times; time++) {
    const start = performance.now()
    await work()
    taken.push(performance.now() - start)
  }
  return taken
}
