import { recognizeCopies } from '../../../engine/shared-error.ts'

/** Which refusal of a definition it is. */
export type RefusalKind =
  | 'invalidBody'
  | 'invalidSize'
  | 'invalidSeconds'
  | 'unknownJob'
  | 'noResult'
  | 'expired'
  | 'reusedKey'

/** A refusal that has no envelope yet. Forms and functions of a definition throw it, or return it. */
export class Refused extends Error {
  static {
    // `greenroom/api` is a bundle of its own.
    recognizeCopies(this, 'Refused')
  }

  readonly kind: RefusalKind
  /** What to do instead, for the hint header. */
  readonly hint: string | undefined

  constructor(message: string, kind: RefusalKind = 'invalidBody', hint?: string) {
    super(message)
    this.kind = kind
    this.hint = hint
  }
}

/** The refusal of a field of a form, in its own sentence. */
export function refuseField({
  field,
  sentence = `field ${field} is invalid`,
}: {
  readonly field: string
  readonly sentence: string | undefined
}): Refused {
  const isSize = /(?:^|\.)(?:size|resolution|aspect_?ratio)$/i.test(field)
  return new Refused(sentence, isSize ? 'invalidSize' : 'invalidBody')
}
