import { fitsGlob } from '../engine/glob.ts'
import type { ValueMatch } from '../scenario/rule.ts'

/** More of a text than this is not searched by a regular expression. */
const longestSearched = 10_000

/** Whether a value is as it should be. Regular expressions were checked when the file was read. */
export function fitsValue(wanted: ValueMatch, value: string): boolean {
  if (wanted === null || typeof wanted !== 'object') return String(wanted ?? '') === value
  if ('equals' in wanted) return String(wanted.equals ?? '') === value
  if ('glob' in wanted) return fitsGlob(wanted.glob, value)
  if ('contains' in wanted) return value.includes(wanted.contains)
  if ('in' in wanted) return wanted.in.some((each) => String(each ?? '') === value)
  if ('exists' in wanted) return wanted.exists === (value !== '')
  if ('not' in wanted) return !fitsValue(wanted.not, value)
  return new RegExp(wanted.regex, wanted.flags).test(value.slice(0, longestSearched))
}

export function valueInWords(wanted: ValueMatch): string {
  if (wanted === null || typeof wanted !== 'object') return JSON.stringify(wanted)
  if ('not' in wanted) return `not ${valueInWords(wanted.not)}`
  const [[what, value] = ['', '']] = Object.entries(wanted)
  return `${what} ${JSON.stringify(value)}`
}
