import { careful, run } from '../command.mjs'

// Failures are written to the log, and that is all.
await run('chat', {
  ...careful,
  fail: (error) => console.error(`failed: ${error.message}`),
})
