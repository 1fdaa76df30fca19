// aimock with one answer: the text that greenroom gives, in as many chunks.
import { LLMock } from '@copilotkit/aimock'

const { body = '{"choices":[{"message":{"content":"Hi."}}]}', chunks } = JSON.parse(
  process.env['ANSWER'] ?? '{}',
)
const text = chunks ? streamed(chunks) : whole(JSON.parse(body))
const chunkSize = Math.ceil(text.length / 50)

const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize })
mock.onMessage(/./, { content: text })
await mock.start()
process.stdout.write(`${mock.url}\n`)

function whole(/** @type {any} */ { choices, candidates }) {
  return choices ? choices[0].message.content : candidates[0].content.parts[0].text
}

function streamed(/** @type {string[]} */ events) {
  const texts = events
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '')
  return texts.join('')
}
