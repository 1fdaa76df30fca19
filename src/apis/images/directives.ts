import { DurationError } from '../../engine/clock/duration.ts'
import { readMagic, taskDirectives } from '../../scenario/magic.ts'
import { faultDirectives, faultUsage, takePromptFault, type PromptFault } from '../text/prompt-fault.ts'
import { invalidField } from './refusals.ts'

/** A prompt without its directives, and what these want. */
export interface ImagePrompt {
  readonly prompt: string
  readonly fault: PromptFault | undefined
  /** Why the prompt is refused, if it is; empty without a reason. */
  readonly blocked: string | undefined
  /** How long the images take, if the prompt says; `forever` for no answer. */
  readonly takes: number | 'forever' | undefined
}

/** The directives that prompts of images may have. */
export const imageDirectives = [...taskDirectives, ...faultDirectives] as const

export function imageDirectiveUsage(word: string, rest: string): string | undefined {
  return faultDirectives.some((each) => each === word) ? faultUsage(word, rest) : undefined
}

/** @throws {GatewayError} for a directive without a valid duration. */
export function readImagePrompt(text: string, hasDirectives: boolean): ImagePrompt {
  if (!hasDirectives) return { prompt: text, fault: undefined, blocked: undefined, takes: undefined }
  try {
    const { text: rest, fault } = takePromptFault(text)
    const { prompt, shape } = readMagic(rest)
    const isBlocked = shape.outcome === 'failure'
    return {
      prompt,
      fault,
      blocked: isBlocked ? (shape.reason ?? '') : undefined,
      takes: toDuration(shape.queued, shape.render),
    }
  } catch (error) {
    if (error instanceof DurationError) throw invalidField('prompt', 'invalid_value', error.message)
    throw error
  }
}

type Span = number | 'forever' | undefined

function toDuration(...spans: readonly unknown[]): Span {
  const given = spans.filter((span) => span !== undefined) as Exclude<Span, undefined>[]
  if (given.length === 0) return undefined
  return given.some((span) => span === 'forever')
    ? 'forever'
    : given.reduce<number>((sum, span) => sum + Number(span), 0)
}
