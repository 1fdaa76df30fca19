import type { TextDelta } from '../delta.ts'

/** A piece of a call in a chat's stream. */
export interface CallPart {
  readonly index?: number | undefined
  readonly id?: string | undefined
  readonly type?: string
  readonly function: { readonly name?: string; readonly arguments: string }
}

/** How a gateway streams the calls of tools. */
export interface CallDialect<Name extends string = string> {
  /** Its value of the quirk `toolCallDeltas`. */
  readonly name: Name
  /** Its name in explorations, which the name of the API follows. */
  readonly title: string
  /** What it does, as a part of the quirk's description. */
  readonly description: string
  /** What a client must do to read it. */
  readonly advice: string
  /** Whether the SDKs of these APIs do not read it: no client can be blamed. */
  readonly isUnread?: true
  /** Whether a call is a single piece. */
  readonly isWhole?: true
  /** Orders the pieces of an answer. */
  readonly arrange?: (deltas: readonly TextDelta[]) => readonly TextDelta[]
  /** Changes a piece of a call in a chat. */
  readonly write?: (part: CallPart) => CallPart
}

/** Keeps the name as a literal type, from which the values of the quirk are derived. */
export const defineCallDialect = <const Name extends string>(dialect: CallDialect<Name>): CallDialect<Name> =>
  dialect
