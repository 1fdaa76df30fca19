// aimock with one answer: the text that greenroom gives, in as many chunks.
import { LLMock } from '@copilotkit/aimock'
import { textOf, textOfStream } from './text-of.js'

const { body = '{"choices":[{"message":{"content":"Hi."}}]}', chunks } = JSON.parse(
  process.env['ANSWER'] ?? '{}',
)
const text = chunks ? textOfStream(chunks) : textOf(JSON.parse(body))
const chunkSize = Math.ceil(text.length / 50)

const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize })
mock.onMessage(/./, { content: text })
await mock.start()
process.stdout.write(`${mock.url}\n`)
