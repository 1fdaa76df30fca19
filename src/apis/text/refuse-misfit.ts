import { Refused } from '../jobs/kit/refused.ts'
import { relayError } from '../../gateway/replies/errors.ts'
import type * as z from 'zod/mini'
import type { Misfit } from '../define/form.ts'
import { show } from './fields.ts'

const gatewayMark = 'gateway: '

/** Marks the sentence of a schema: the gateway refuses the misfit itself, not the service behind it. */
export function byGateway(sentence: string): string {
  return gatewayMark + sentence
}

type ToSentence = (issue: { readonly input?: unknown }) => string | undefined

/** The sentence for a missing value. Others have the usual words. */
export const ifMissing =
  (sentence: string): ToSentence =>
  ({ input }) =>
    input === undefined || input === null ? sentence : undefined

/** The sentence for a missing value, and for a text that does not fit. Others have the usual words. */
export const ifNoText =
  (sentence: string): ToSentence =>
  ({ input }) =>
    input === undefined || input === null || typeof input === 'string' ? sentence : undefined

/**
 * Says why a value does not fit. A schema's own sentence comes first; it may have `{value}` for the value.
 * @assumed §7 the responses to bad requests are undocumented; wire §2.4.
 */
export function refuseMisfit(misfit: Misfit): Error {
  const { value, sentence = wordsFor(misfit) } = misfit
  const words = sentence.replaceAll('{value}', () => show(value))
  if (words.startsWith(gatewayMark))
    return relayError(400, 'invalid_request', words.slice(gatewayMark.length))
  return new Refused(words)
}

/** Whether a field is missing or null. In a list, null is a wrong item, not a missing one. */
export function isMissing({ field, value }: Misfit): boolean {
  return (value === undefined || value === null) && !isItem(field)
}

function wordsFor(misfit: Misfit): string {
  const { field, value, issue } = misfit
  const choices = issue.code === 'invalid_value' ? issue.values.join(', ') : ''
  if (isMissing(misfit)) return `${field} is required${choices && `: one of ${choices}`}`
  if (issue.code === 'invalid_type' && issue.expected === 'object')
    return `${field || 'the body'} must be an object, not {value}`
  if (issue.code === 'too_big' && issue.origin === 'array')
    return `${field} has ${(value as unknown[]).length} items, at most ${issue.maximum} are taken`
  return `field ${field} must be ${kindFor(misfit)}, not {value}`
}

/** What a value must be. */
function kindFor({ field, value, issue, schema }: Misfit): string {
  const [min, max] = [boundOf(schema, 'greater_than'), boundOf(schema, 'less_than')]
  // Zod refuses an infinite number, such as JSON's 1e999, before it looks at bounds.
  if (typeof value === 'number' && min !== undefined && max !== undefined)
    return value >= min && value <= max ? 'a whole number' : `from ${min} to ${max}`
  if (issue.code === 'invalid_value' && typeof value === 'string') return `one of ${issue.values.join(', ')}`
  const expected = issue.code === 'invalid_type' ? issue.expected : 'string'
  if (issue.code === 'too_small' || (isItem(field) && boundOf(schema, 'min_length') === 1))
    return 'a string that is not empty'
  return `${expected === 'array' ? 'an' : 'a'} ${expected}`
}

/** Whether it is the place of an item of a list. */
function isItem(field: string): boolean {
  return /\]$|\.\d+$/.test(field)
}

function boundOf({ _zod: { def } }: z.core.$ZodType, name: string): number | undefined {
  const check = def.checks?.find((each) => each._zod.def.check === name)?._zod.def
  return (check &&
    ('minimum' in check ? check.minimum : (check as z.core.$ZodCheckLessThanDef).value)) as number
}
