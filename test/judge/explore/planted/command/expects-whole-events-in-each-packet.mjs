import { careful, run } from '../command.mjs'

// A packet that ends inside of an event ends the command.
await run('text', {
  ...careful,
  split: async function* (texts) {
    for await (const text of texts) yield* text.split(/\r?\n\r?\n/)
  },
  canRetry: (error) => !(error instanceof SyntaxError) && careful.canRetry(error),
})
