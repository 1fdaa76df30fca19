import Anthropic from '@anthropic-ai/sdk'
import { prompt, schemaOf, tools } from './agent.mjs'

/** @type {(gateway: import('./agent.mjs').Gateway) => import('./agent.mjs').Sdk} */
export function createSdk({ baseUrl, key, fetch }) {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: key, maxRetries: 0, timeout: 300_000, fetch })

  /** @type {import('./agent.mjs').Sdk['ask']} */
  async function ask(messages) {
    const stream = await client.messages.create({
      model: 'sim-text-1',
      max_tokens: 2_000,
      stream: true,
      messages,
      tools: tools.map(({ name, description, field }) => ({
        name,
        description,
        input_schema: /** @type {any} */ (schemaOf(field)),
      })),
    })
    let text = ''
    /** @type {Map<number, import('./agent.mjs').Call>} */
    const calls = new Map()
    /** @type {string | undefined} */
    let reason
    let hasEnded = false
    for await (const event of stream) {
      if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
        const { id, name } = event.content_block
        calls.set(event.index, { id, name, args: '' })
      }
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
      if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta') {
        const call = calls.get(event.index)
        if (call) call.args += event.delta.partial_json
      }
      if (event.type === 'message_delta') reason = event.delta.stop_reason ?? undefined
      if (event.type === 'message_stop') hasEnded = true
    }
    const isComplete = reason === 'end_turn' || reason === 'tool_use'
    const all = [...calls.values()]
    const uses = () => all.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: parse(args) }))
    const content = [...(text ? [{ type: 'text', text }] : []), ...uses()]
    return {
      text,
      calls: all,
      reason: !hasEnded ? undefined : isComplete ? 'complete' : (reason ?? 'no reason'),
      message: { role: 'assistant', content },
    }
  }

  return {
    ask,
    first: { role: 'user', content: prompt },
    results: (calls, values) => [
      {
        role: 'user',
        content: calls.map(({ id }, index) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: values[index],
        })),
      },
    ],
  }
}

/** @param {string} args */
function parse(args) {
  try {
    return JSON.parse(args)
  } catch {
    return {}
  }
}
