import { careful, run } from '../command.mjs'

// Backs off, but never as long as Retry-After says.
await run('embedding', {
  ...careful,
  delayMs: (failures) => 1_000 * 2 ** failures,
})
