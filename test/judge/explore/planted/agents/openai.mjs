import OpenAI from 'openai'
import { prompt, schemaOf, tools } from './agent.mjs'

/** @type {(gateway: import('./agent.mjs').Gateway) => import('./agent.mjs').Sdk} */
export function createSdk({ baseUrl, key, fetch }) {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0, timeout: 300_000, fetch })

  /** @type {import('./agent.mjs').Sdk['ask']} */
  async function ask(messages) {
    const stream = await client.chat.completions.create({
      model: 'sim-text-1',
      stream: true,
      messages,
      tools: tools.map(({ name, description, field }) => ({
        type: 'function',
        function: { name, description, parameters: schemaOf(field) },
      })),
    })
    let [text, refusal] = ['', '']
    /** @type {import('./agent.mjs').Call[]} */
    const calls = []
    /** @type {string | undefined} */
    let reason
    for await (const { choices } of stream) {
      const [choice] = choices ?? []
      text += choice?.delta?.content ?? ''
      refusal += choice?.delta?.refusal ?? ''
      for (const { index, id, function: part } of choice?.delta?.tool_calls ?? []) {
        const call = (calls[index] ??= { id: id ?? '', name: '', args: '' })
        call.name += part?.name ?? ''
        call.args += part?.arguments ?? ''
      }
      reason = choice?.finish_reason ?? reason
    }
    const isComplete = reason === 'stop' || reason === 'tool_calls'
    const tool_calls = calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }))
    const message = { role: 'assistant', content: text || null, tool_calls }
    return {
      text,
      calls,
      reason: refusal ? `refused: ${refusal}` : isComplete ? 'complete' : reason,
      message,
    }
  }

  return {
    ask,
    first: { role: 'user', content: prompt },
    results: (calls, values) =>
      calls.map(({ id }, index) => ({ role: 'tool', tool_call_id: id, content: values[index] })),
  }
}
