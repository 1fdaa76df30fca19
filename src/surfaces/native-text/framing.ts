import type { Quirks } from '../../gateway/quirks.ts'
import { streamHeaders } from '../text/stream.ts'

/** How the objects of a stream are written, one after the other. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>
  readonly write: (value: unknown, isFirst: boolean) => string
  readonly closing: string
}

/**
 * The framing that a request gets: events, or, where vendor and quirk say so, an array.
 * @assumed §4.8 the framing is not shown; wire §8.4, to the byte.
 */
export function framingOf(quirks: Quirks, query: string): Framing {
  if (streamsArray(quirks, query)) {
    return {
      headers: { ...streamHeaders, 'Content-Type': 'application/json; charset=UTF-8' },
      write: (value, isFirst) => `${isFirst ? '[' : '\n,\r\n'}${JSON.stringify(value, null, 2)}`,
      closing: '\n]',
    }
  }
  const newline = quirks.sseNewline === 'lf' ? '\n' : '\r\n'
  return {
    headers: newline === '\n' ? streamHeaders : { ...streamHeaders, 'Content-Disposition': 'attachment' },
    write: (value) => `data: ${oneLine(value)}${newline}${newline}`,
    closing: '',
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
