import { run } from './agent.mjs'

await run()
