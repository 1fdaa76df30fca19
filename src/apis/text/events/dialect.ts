/** The lines of an event, without the empty line that ends it. */
export type EventLines = readonly string[]

/** How a gateway writes server-sent events that mean the same. */
export interface EventDialect<Name extends string = string> {
  /** Its value of the quirk `sseLines`. */
  readonly name: Name
  /** Its name in explorations, which the name of the API follows. */
  readonly title: string
  /** What it does, as a part of the quirk's description. */
  readonly description: string
  /** What a client must do to read it. */
  readonly advice: string
  /**
   * Whether no client can be blamed for it: SDKs do not read it, or documents of APIs promise events of one line that begins with
   * `data: `. Comments and line endings are no promise of any document, and every parser knows them.
   */
  readonly isUnread?: true
  /** Writes an event. @param place its number in the stream, from 0, and whether it is the last. */
  readonly write: (event: EventLines, place: { readonly index: number; readonly isLast: boolean }) => string
}

/** An event as its API writes it. */
export const writeEvent = (lines: EventLines): string => `${lines.join('\n')}\n\n`

/** Keeps the name as a literal type, from which the values of the quirk are derived. */
export const defineEventDialect = <const Name extends string>(
  dialect: EventDialect<Name>,
): EventDialect<Name> => dialect
