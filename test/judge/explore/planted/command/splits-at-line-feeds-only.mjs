import { careful, run } from '../command.mjs'

// Events that end with CRLF are never seen.
await run('text', {
  ...careful,
  split: async function* (texts) {
    let rest = ''
    for await (const text of texts) {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      yield* events
    }
  },
})
