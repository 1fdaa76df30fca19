/**
 * Puts the figures of docs/explanation/benchmarks.md where a text quotes them: `<!-- figure: Section | row | column -->0.84<!-- -->`,
 * with the beginning of the section's title, of the row, and the number of the column behind it.
 *
 * @param {string} text
 * @param {string} benchmarks docs/explanation/benchmarks.md.
 * @returns {string}
 */
export function quoted(text, benchmarks) {
  return text.replaceAll(
    /(<!-- figure: ([^|>]+) \| ([^|>]+) \| (\d) -->)[^<]*(<!-- -->)/g,
    (_whole, begin, section, row, column, end) =>
      begin + figureOf(benchmarks, section, row, Number(column)) + end,
  )
}

/**
 * @param {string} benchmarks
 * @param {string} section
 * @param {string} row
 * @param {number} column
 */
function figureOf(benchmarks, section, row, column) {
  const part = benchmarks.split(/^## /m).find((each) => each.startsWith(section))
  const line = part?.split('\n').find((each) => each.startsWith(`| ${row}`))
  const [figure] = line?.split(' | ')[column]?.match(/^[\d.]+/) ?? []
  if (figure === undefined)
    throw new Error(`docs/explanation/benchmarks.md has no figure ${section} | ${row} | ${column}`)
  return figure
}
