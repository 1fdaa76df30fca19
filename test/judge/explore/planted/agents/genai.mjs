import { GoogleGenAI } from '@google/genai'
import { prompt, schemaOf, tools } from './agent.mjs'

/** This SDK sends its requests by the global `fetch`. @type {(gateway: import('./agent.mjs').Gateway) => import('./agent.mjs').Sdk} */
export function createSdk({ baseUrl, key }) {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl, timeout: 300_000 } })

  /** @type {import('./agent.mjs').Sdk['ask']} */
  async function ask(messages, { partsOf }) {
    const stream = await client.models.generateContentStream({
      model: 'sim-text-1',
      contents: messages,
      config: {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, field }) => ({
              name,
              description,
              parametersJsonSchema: schemaOf(field),
            })),
          },
        ],
      },
    })
    /** @type {any[]} */
    const parts = []
    /** @type {string | undefined} */
    let reason
    for await (const response of stream) {
      parts.push(...partsOf(response))
      reason = response.promptFeedback?.blockReason ?? response.candidates?.[0]?.finishReason ?? reason
    }
    const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
    const calls = parts.flatMap(({ functionCall: call }) =>
      call ? [{ id: call.id ?? '', name: call.name, args: JSON.stringify(call.args ?? {}) }] : [],
    )
    return { text, calls, reason: reason === 'STOP' ? 'complete' : reason, message: { role: 'model', parts } }
  }

  return {
    ask,
    first: { role: 'user', parts: [{ text: prompt }] },
    results: (calls, values) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }, index) => ({
          functionResponse: { id, name, response: { output: values[index] } },
        })),
      },
    ],
  }
}
