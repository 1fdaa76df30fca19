import { careful, run } from '../command.mjs'

// Never gives up, and never waits longer than five seconds.
await run('embedding', {
  ...careful,
  attempts: Infinity,
  delayMs: (failures, error) => Math.max(Math.min(5_000, 1_000 * 2 ** failures), error.retryAfterMs ?? 0),
})
