import { careful, run } from '../command.mjs'

// Whatever came before the connection broke is the text.
await run('chat', {
  ...careful,
  decode: async function* (packets) {
    try {
      yield* careful.decode(packets)
    } catch {
      // the end of the stream
    }
  },
  finish: (reason, end, hasMarker) => {
    if (reason !== undefined && reason !== end) careful.finish(reason, end, hasMarker)
  },
})
