import type { TextCall } from '../../text/spec.ts'

/** A piece of an answer in a stream. */
export type TextDelta = Content & {
  /** The index of its candidate. */
  readonly candidate: number
  /** When it is due, in milliseconds since the start of the answer. */
  readonly atMs: number
  /** Whether it is the last piece of its candidate. */
  readonly last: boolean
}

type Content =
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call'
      /** A piece of the arguments as JSON. */
      readonly text: string
      readonly call: TextCall
      /** The index of the call in its candidate. */
      readonly place: number
      readonly isFirstOfCall: boolean
      readonly isLastOfCall: boolean
    }
