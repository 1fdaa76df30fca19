import { box, boxesOf, fullBox, joinBytes, text, u32, utf8 } from '../h264/boxes.ts'

/**
 * Adds a comment to an MP4 in `moov/udta`, in the format of iTunes, which players and ffprobe show. It moves the data, so
 * the offsets of chunks are adjusted.
 * @param comment any text.
 */
export function addToMp4(bytes: Uint8Array, comment: string): Uint8Array {
  const movie = boxesOf(bytes).find(({ name }) => name === 'moov')
  if (!movie) return bytes
  const { start, end } = movie
  const tags = box('ilst', tag('©too', 'greenroom'), tag('©cmt', comment))
  const handler = fullBox('hdlr', 0, u32(0), text('mdirappl'), u32(0, 0), new Uint8Array(1))
  const userData = box('udta', fullBox('meta', 0, handler, tags))
  const content = bytes.slice(start + 8, end)
  moveChunks(content, userData.length)
  return joinBytes([bytes.subarray(0, start), box('moov', content, userData), bytes.subarray(end)])
}

/** The comment of an MP4; undefined if it has none. */
export function commentOfMp4(bytes: Uint8Array, maxLength: number): string | undefined {
  let inner = bytes
  for (const name of ['moov', 'udta', 'meta', 'ilst', '©cmt', 'data']) {
    const found = boxesOf(inner).find((each) => each.name === name)
    if (!found) return undefined
    inner = inner.subarray(found.start + (name === 'meta' ? 12 : 8), found.end)
  }
  // A type and a locale precede the text.
  return inner.length > maxLength * 4 ? undefined : new TextDecoder().decode(inner.subarray(8))
}

const utf8Type = 1

function tag(name: string, value: string): Uint8Array {
  return box(name, box('data', u32(utf8Type, 0), utf8(value)))
}

/** Adds to all chunk offsets in the content of `moov`, in place. */
function moveChunks(content: Uint8Array, by: number): void {
  for (const { name, start, end } of boxesOf(content)) {
    const inner = content.subarray(start + 8, end)
    if (containers.has(name)) moveChunks(inner, by)
    if (name !== 'stco') continue
    const view = new DataView(inner.buffer, inner.byteOffset, inner.byteLength)
    for (let at = 8; at + 4 <= view.byteLength; at += 4) view.setUint32(at, view.getUint32(at) + by)
  }
}

const containers: ReadonlySet<string> = new Set(['trak', 'mdia', 'minf', 'stbl'])
