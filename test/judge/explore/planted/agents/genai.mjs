import { GoogleGenAI } from '@google/genai'
import { prompt, run, schemaOf, tools } from './agent.mjs'

const client = new GoogleGenAI({
  apiKey: process.env.GREENROOM_KEY ?? '',
  httpOptions: { baseUrl: process.env.GREENROOM_URL ?? '', timeout: 300_000 },
})

await run(
  async (messages, { partsOf }) => {
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
  },
  {
    first: { role: 'user', parts: [{ text: prompt }] },
    results: (calls, values) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }, index) => ({
          functionResponse: { id, name, response: { output: values[index] } },
        })),
      },
    ],
  },
)
