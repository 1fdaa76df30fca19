import { careful, run } from '../command.mjs'

// Prints words as they come; after a break, all of them again.
await run('chat', {
  ...careful,
  show: (text) => void process.stdout.write(text),
  print: () => console.log(),
})
