import { careful, run } from '../command.mjs'

// An answer that cannot be read is an empty vector.
await run('embedding', {
  ...careful,
  readVector: async (response) => {
    const answer = await response.json().catch(() => ({}))
    return answer.data?.[0]?.embedding ?? []
  },
})
