import { careful, run } from '../command.mjs'

// Retries every status, 400 and 401 too.
await run('text', {
  ...careful,
  canRetry: () => true,
})
