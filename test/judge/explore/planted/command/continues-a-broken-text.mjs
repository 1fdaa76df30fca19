import { careful, run } from '../command.mjs'

// A retry appends to what the broken stream left.
await run('text', {
  ...careful,
  startWith: (broken) => broken,
})
