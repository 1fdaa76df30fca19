import type * as z from 'zod/mini'
import { didYouMean } from '../../engine/did-you-mean.ts'

const kinds: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  tuple: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

/** A kind of value as people call it. */
export function kindWord(kind: string): string {
  return kinds[kind] ?? kind
}

/** What a value must be instead, when only certain words may stand there. */
export function noneOf(found: unknown, words: readonly unknown[]): string {
  const known = [...new Set(words)].map(String)
  const hint = typeof found === 'string' ? didYouMean(found, known) : ''
  return known.length === 1 ? `must be ${known[0]}` : `must be one of ${known.join(', ')}.${hint}`
}

/** How a scenario file is told of a single mistake; undefined where the schema says it best. */
export const scenarioWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindWord(issue.expected)}`
    case 'invalid_value':
      return noneOf(issue.input, issue.values)
    case 'too_small':
      return amount(issue.origin, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum))
    case 'too_big':
      return amount(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum))
    default:
      return undefined
  }
}

function amount(origin: string, bound: string, limit: number): string {
  if (origin === 'string')
    return limit === 1 && bound === 'at least'
      ? 'must not be empty'
      : `must have ${bound} ${limit} characters`
  if (origin === 'array')
    return limit === 1 && bound === 'at least' ? 'must not be empty' : `must have ${bound} ${limit} entries`
  return `must be ${bound} ${limit}`
}
