import type { ScriptedAnswer } from '../../../scenario/vocabulary/types.ts'

/** A way in which a text ends that is no complete answer. */
export interface TextEnd {
  /** Its name in the matrix of an exploration. */
  readonly name: string
  readonly description: string
  /** Whether a client may take it for a result, or must report it. */
  readonly expected: 'either' | 'report'
  /** Whether it ends a call of a tool. */
  readonly needsCall?: true
  readonly rank: number
  readonly answer: ScriptedAnswer
}
