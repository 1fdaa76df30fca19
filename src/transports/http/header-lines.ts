import { inOnePiece } from '../../engine/one-piece.ts'

/** What a value may not hold: it would begin another header, or isn't of one byte. */
const unfit = /[^\t\x20-\x7e]/
const token = /^[\w-]+$/

/** Rules may name headers as they like; more names than this are not remembered. */
const mostNames = 100

/**
 * Headers as they go over the wire. Most say the same in every answer: of each name the latest is remembered, and put
 * together only once if it comes again.
 */
export class HeaderLines {
  readonly #latest = new Map<string, { value: string; line: string | undefined }>()

  /** @returns the line with its end; undefined where name or value may not be written as they are. */
  of(name: string, value: string): string | undefined {
    const latest = this.#latest.get(name)
    if (latest?.value === value) return (latest.line ??= inOnePiece(lineOf(name, value)))
    if (unfit.test(value) || !token.test(name)) return undefined
    if (latest) {
      latest.value = value
      latest.line = undefined
    } else if (this.#latest.size < mostNames) this.#latest.set(name, { value, line: undefined })
    return lineOf(name, value)
  }
}

function lineOf(name: string, value: string): string {
  return `${name}: ${value}\r\n`
}
