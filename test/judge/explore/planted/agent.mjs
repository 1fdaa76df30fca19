import { sleep, within } from './command.mjs'

// A command: lets a model call a tool, answers its calls, and prints the text that follows.
const { GREENROOM_URL: url = '', GREENROOM_KEY: key = '' } = process.env
const prompt = 'What is the weather in Oslo?'
const tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** @typedef {Error & { isTemporary?: boolean, retryAfterMs?: number }} Failure */

/** What the agent does where agents go wrong. A planted bug replaces it. */
export const careful = { maxRounds: 12 }

/** Sends the messages so far. @param {readonly object[]} messages */
async function send(messages) {
  const response = await within(300_000, async (signal) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-text-1', messages, tools: [{ type: 'function', function: tool }] }),
      ...(signal && { signal }),
    })
    const after = response.headers.get('retry-after') ?? '0'
    if (response.ok) return response.json()
    throw Object.assign(new Error(`status ${response.status}`), {
      isTemporary: response.status === 429 || response.status >= 500,
      retryAfterMs: /^\d+$/.test(after)
        ? Number(after) * 1_000
        : Date.parse(after) - Date.parse(response.headers.get('date') ?? '') || 0,
    })
  })
  const choice = response.choices?.[0]
  if (!choice) throw new Error('the response has no choice')
  return choice
}

/** @param {readonly object[]} messages */
async function sendCarefully(messages) {
  for (let failures = 1; ; failures++) {
    try {
      return await send(messages)
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown)
      if (failures === 5 || error.isTemporary === false) throw error
      await sleep(Math.max(1_000 * 2 ** failures, error.retryAfterMs ?? 0))
    }
  }
}

/** Runs the command. */
export async function run({ maxRounds } = careful) {
  /** @type {object[]} */
  const messages = [{ role: 'user', content: prompt }]
  try {
    for (let round = 1; ; round++) {
      const { message, finish_reason: reason } = await sendCarefully(messages)
      if (reason === 'stop') return console.log(message.content)
      if (reason !== 'tool_calls') throw new Error(`the text ended by ${reason}`)
      if (round > maxRounds) throw new Error(`the model called tools in ${maxRounds} rounds`)
      const results = message.tool_calls.map((/** @type {{ id: string }} */ { id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: '{"sky":"clear"}',
      }))
      messages.push(message, ...results)
    }
  } catch (error) {
    console.error(`failed: ${/** @type {Error} */ (error).message}`)
    process.exitCode = 1
  }
}
