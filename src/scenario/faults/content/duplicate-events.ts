import { defineFault } from '../fault.ts'
import { mapPieces } from './map-pieces.ts'

const event = /^(?:event: .*\r?\n)?data: [\s\S]*?(?:\r\n\r\n|\n\n)/gm

export const duplicateEvents = defineFault({
  name: 'duplicate-events',
  description: 'Every event of a stream is sent twice.',
  fields: {},
  hits: ['text', 'stream'],
  visibleIn: 'content',
  isHarmless: true,
  goodClient: { reaction: 'ignore', expected: 'either', family: 'duplicates', rank: 4 },
  explored: false,

  apply: (reply) =>
    mapPieces(reply, function* (pieces) {
      for (const piece of pieces)
        yield { ...piece, text: piece.text.replace(event, (found) => found + found) }
    }),
})
