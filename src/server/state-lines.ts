import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

const chunkBytes = 1024 * 1024
const newline = 0x0a

/**
 * A value as a line: JSON, with a check sum in front of it, so that what was damaged is seen.
 *
 * @example
 * lineOf({ a: 1 }) // '["b1c2a1a3",{"a":1}]\n'
 */
export function lineOf(value: unknown): string {
  const text = JSON.stringify(value)
  return `["${sumOf(text)}",${text}]\n`
}

/** A line that was read: its place in the file, from 1, and what it says; undefined where it is damaged. */
export interface ReadLine {
  readonly number: number
  /** Where it begins and ends in the file, its end of line included. */
  readonly start: number
  readonly end: number
  readonly value: unknown
  readonly isSound: boolean
}

/** Reads a file line by line; what is blank, as room that was set aside is, is left out. */
export function* linesOf(path: string): Generator<ReadLine> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let rest: Buffer = Buffer.alloc(0)
    let start = 0
    let number = 0
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)])
      let from = 0
      for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
        const line = readLine(bytes.subarray(from, to), {
          number: number + 1,
          start,
          end: start + to - from + 1,
        })
        if (to > from) number++
        if (line) yield line
        start += to - from + 1
        from = to + 1
      }
      rest = Buffer.from(bytes.subarray(from))
    }
    const last = readLine(rest, { number: number + 1, start, end: start + rest.length })
    // Without its end a line was not written whole, whatever it says.
    if (last) yield { ...last, isSound: false }
  } finally {
    closeSync(file)
  }
}

/** Where the text of a line begins, behind `["8 digits",`; a `]` ends it. */
const textFrom = 12

function readLine(bytes: Buffer, place: Pick<ReadLine, 'number' | 'start' | 'end'>): ReadLine | undefined {
  // A file that lost its last blocks with the power has zeros there.
  if (bytes.every((byte) => byte === 0)) return undefined
  const text = bytes.subarray(textFrom, -1)
  const frame = `["${sumOf(text)}",]`
  const isSound =
    bytes.length > textFrom &&
    bytes.toString('latin1', 0, textFrom) + bytes.toString('latin1', bytes.length - 1) === frame
  const value = isSound ? parsed(text) : undefined
  return { ...place, value, isSound: value !== undefined }
}

/** Undefined for what is no JSON, whatever its check sum says. */
function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function sumOf(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}
