import { careful, run } from '../command.mjs'

// A text that was cut at the token limit is a text.
await run('chat', {
  ...careful,
  finish: (reason, end, hasMarker) => careful.finish(reason === 'length' ? end : reason, end, hasMarker),
})
