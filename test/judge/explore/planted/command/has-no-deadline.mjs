import { careful, run } from '../command.mjs'

// Waits for an answer for as long as it takes.
await run('embedding', {
  ...careful,
  timeoutMs: Infinity,
})
