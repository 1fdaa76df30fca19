import type { StreamMessage } from './stream-events.ts'

/** A snapshot is sent in pieces of about this size. */
const pieceCharacters = 60 * 1024
/** How many pieces are stored for readers that are a little behind. */
const maxPieces = 16

/** Items that are read by their place. */
export interface ItemList<Item = unknown> {
  readonly count: number
  at(index: number): Item
}

interface Piece {
  readonly message: StreamMessage
  /** The place of the first item after it. */
  readonly end: number
}

/**
 * The complete state at one instant, for readers that come at the same time. A piece is written when the first reader gets
 * to it. Readers that take turns share it, and one that does not read holds nothing but its place.
 */
export class EventSnapshot {
  readonly #hello: StreamMessage
  readonly #lists: Readonly<Record<string, ItemList>>
  readonly #pieces = new Map<string, Piece>()

  /** @param lists the items of each field of a batch. */
  constructor(hello: StreamMessage, lists: Readonly<Record<string, ItemList>>) {
    this.#hello = hello
    this.#lists = lists
  }

  /** @param ready the last message. */
  *read(ready: StreamMessage): Generator<StreamMessage, undefined> {
    const hello = this.#hello
    yield hello
    for (const [name, { count }] of Object.entries(this.#lists)) {
      for (let at = 0; at < count;) {
        const { message, end } = this.#piece(name, at)
        yield message
        at = end
      }
    }
    yield ready
  }

  #piece(name: string, start: number): Piece {
    const key = `${name} ${start}`
    const known = this.#pieces.get(key)
    if (known) return known
    const piece = writePiece(name, this.#lists[name]!, start)
    this.#pieces.set(key, piece)
    if (this.#pieces.size > maxPieces) this.#pieces.delete(this.#pieces.keys().next().value!)
    return piece
  }
}

function writePiece(name: string, { count, at }: ItemList, start: number): Piece {
  const items: string[] = []
  let end = start
  for (let size = 0; end < count && size < pieceCharacters; end++) {
    const item = JSON.stringify(at(end))
    size += item.length
    items.push(item)
  }
  return { message: { event: 'batch', json: `{"${name}":[${items.join(',')}]}` }, end }
}
