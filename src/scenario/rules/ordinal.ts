/** A number as an ordinal: 1st, 2nd, 3rd, 4th, 11th. */
export function formatOrdinal(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  const suffix = isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10]
  return `${number}${suffix ?? 'th'}`
}
