// The AI SDK with time under control: a slow stream is given up after ten virtual seconds, in milliseconds.
//   node stream.js
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import { createSimulator } from 'greenroom'

const sim = createSimulator({ text: { timing: { firstToken: '2s', tokensPerSecond: 1 } } })
const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: 'https://gateway.example/v1',
  apiKey: 'sk-test',
  fetch: sim.fetch,
})

const patience = new AbortController()
const started = sim.clock.now()
sim.clock.sleep('10s').then(() => patience.abort())

const { fullStream } = streamText({
  model: gateway('sim-text-1'),
  prompt: 'Tell me a long story about a kite',
  abortSignal: patience.signal,
})
let tokens = 0
for await (const part of fullStream) {
  if (part.type === 'text-delta') tokens++
  if (part.type === 'abort') console.log('given up')
}
console.log('after', sim.clock.now() - started, 'virtual milliseconds, with', tokens, 'tokens')
console.log('the journal says', sim.journal()[0].outcome)
await sim.close()
