import { run } from './command.mjs'

await run('chat')
