// What every folder here shares: the gateway under test, and how the steps of a client are run and reported.
import assert from 'node:assert/strict'

/** The address of the gateway under test, without a path. */
export const gatewayUrl = process.env.GREENROOM_URL ?? 'http://127.0.0.1:4646'
export const apiKey = 'sk-greenroom'
export const model = 'sim-text-1'
export const embeddingModel = 'sim-embedding-1'
export const weatherQuestion = 'What is the weather in Oslo?'
export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' } },
  required: ['city'],
  additionalProperties: false,
}

/**
 * Runs the steps one after the other, prints a line of JSON for each, and sets the exit code.
 * @param {Record<string, () => Promise<void>>} steps by the name that the table in docs/reference/sdks.md shows
 */
export async function runSteps(steps) {
  for (const [step, run] of Object.entries(steps)) {
    try {
      await withTimeout(run(), 30_000)
      console.log(JSON.stringify({ step }))
    } catch (error) {
      process.exitCode = 1
      console.log(JSON.stringify({ step, error: error instanceof Error ? error.stack : String(error) }))
    }
  }
  // Some clients leave timers or connections behind.
  setTimeout(() => process.exit(), 1_000).unref()
}

/**
 * @param {Promise<void>} promise
 * @param {number} timeoutMs
 */
async function withTimeout(promise, timeoutMs) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No end after ${timeoutMs} ms`)), timeoutMs)
  })
  await Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

/**
 * Asserts that the newest request of an operation ended because its client left.
 * @param {string} operation such as `chat.complete`
 */
export async function assertAborted(operation) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const response = await fetch(`${gatewayUrl}/_greenroom/journal?operation=${operation}&last=1`)
    const entries = await response.json()
    if (entries[0]?.outcome === 'aborted') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.fail(`The journal has no aborted request of ${operation}`)
}

/**
 * Asserts that a vector has a length of one, and that similar texts are nearer to each other than others.
 * @param {readonly (readonly number[])[]} vectors of two similar texts, and of one about something else
 */
export function assertEmbeddings([first, similar, other]) {
  assert(first && similar && other)
  assert(Math.abs(dotProduct(first, first) - 1) < 1e-3)
  assert(dotProduct(first, similar) > dotProduct(first, other))
}

export const embeddedTexts = [
  'A red fox runs in the snow.',
  'The red fox ran in deep snow.',
  'Quarterly tax report',
]

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function dotProduct(one, other) {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}
