import { careful, run } from '../command.mjs'

// An event that says that the model failed is skipped, and the end is not checked.
await run('chat', {
  ...careful,
  check: () => {},
  finish: () => {},
})
