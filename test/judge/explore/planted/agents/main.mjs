// Runs an agent as a program: `node main.mjs openai`, or `node main.mjs openai takes-any-end` with a planted bug.
import { isOwnMistake, runAgent } from './agent.mjs'

const [sdk, bug] = process.argv.slice(2)
const { createSdk } = await import(`./${sdk}.mjs`)
const { GREENROOM_URL: baseUrl, GREENROOM_KEY: key } = process.env
try {
  const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
  console.log(await runAgent(createSdk({ baseUrl, key }), sleep, bug))
} catch (error) {
  if (isOwnMistake(error)) throw error
  console.error(`failed: ${/** @type {Error} */ (error).message}`)
  process.exitCode = 1
}
