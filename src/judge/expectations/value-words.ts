import type { ValueMatch } from '../../scenario/rules/rule.ts'

/** What a value must be, in words. */
export function valueInWords(wanted: ValueMatch): string {
  if (wanted === null || typeof wanted !== 'object') return JSON.stringify(wanted)
  if ('not' in wanted) return `not ${valueInWords(wanted.not)}`
  const [[what, value] = ['', '']] = Object.entries(wanted)
  return `${what} ${JSON.stringify(value)}`
}
