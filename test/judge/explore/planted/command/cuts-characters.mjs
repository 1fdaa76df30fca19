import { careful, run } from '../command.mjs'

// Decodes each packet by itself: a character between two packets becomes two question marks.
await run('chat', {
  ...careful,
  decode: async function* (packets) {
    for await (const packet of packets) yield new TextDecoder().decode(packet)
  },
})
