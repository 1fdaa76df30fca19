import type { Quirks } from '../../gateway/quirks.ts'
import { streamHeaders, type Frame } from '../text/stream.ts'
import { indented, indentedBeginning, indentedEnd } from './indented.ts'

/** How the objects of a stream are written, one after the other. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>
  /** An object. */
  readonly write: (value: unknown, isFirst: boolean) => string
  /** What an object begins with, where an imprint follows. */
  readonly open: (value: unknown, isFirst: boolean) => string
  /** What stands around such a beginning: behind it the imprint. */
  readonly frame: (imprint: object) => Frame
  /** The end of the stream. */
  readonly end: string
}

/**
 * The framing that a request gets: events, or, where vendor and quirk say so, an array.
 * @assumed §4.8 the framing is not shown; wire §8.4, to the byte.
 */
export function framingOf(quirks: Quirks, query: string): Framing {
  if (streamsArray(quirks, query)) return arrayFraming
  return quirks.sseNewline === 'lf' ? linesEndingIn('\n') : linesEndingIn('\r\n')
}

const arrayFraming: Framing = {
  headers: { ...streamHeaders, 'Content-Type': 'application/json; charset=UTF-8' },
  write: (value, isFirst) => `${isFirst ? '[' : '\n,\r\n'}${indented(value)}`,
  open: (value, isFirst) => `${isFirst ? '[' : '\n,\r\n'}${indentedBeginning(value)}`,
  frame: (imprint) => ({ before: '', after: indentedEnd(imprint) }),
  end: '\n]',
}

function linesEndingIn(newline: '\n' | '\r\n'): Framing {
  const end = newline + newline
  return {
    headers: newline === '\n' ? streamHeaders : { ...streamHeaders, 'Content-Disposition': 'attachment' },
    write: (value) => `data: ${oneLine(value)}${end}`,
    open: (value) => oneLine(value).slice(0, -1),
    frame: (imprint) => ({ before: 'data: ', after: `,${oneLine(imprint).slice(1)}${end}` }),
    end: '',
  }
}

/** Whether a streaming request is answered by an array. */
export function streamsArray({ nativeStreamWithoutAlt }: Quirks, query: string): boolean {
  return nativeStreamWithoutAlt === 'json-array' && !asksForEvents(query)
}

export function asksForEvents(query: string): boolean {
  return /(?:^|&)alt=sse(?:&|$)/.test(query)
}

/** JSON on one line as the vendor writes it: a space behind each colon, none behind commas. */
export function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(oneLine).join(',')}]`
  const fields = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`).join(',')}}`
}
