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

/** Two digits, or three where there are more before the point. */
export function show(/** @type {number} */ value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
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
