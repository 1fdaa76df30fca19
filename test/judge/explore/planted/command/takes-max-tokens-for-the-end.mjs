import { careful, run } from '../command.mjs'

// A text that was cut at the token limit is a text.
await run('text', {
  ...careful,
  finish: (reason, end, hasMarker) => careful.finish(reason && end, end, hasMarker),
})
