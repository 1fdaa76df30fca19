import { run } from '../agent.mjs'

// Answers tool calls as long as the model makes any.
await run({ maxRounds: Infinity })
