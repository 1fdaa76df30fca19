// A text by the AI SDK, to copy. The SDK retries a request that fails, but not a stream that breaks off: that is up to you.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

/**
 * Streams a text. One that broke off starts again, so `onStart` clears what is displayed.
 *
 * @param {string} prompt
 * @param {{ fetch?: typeof globalThis.fetch, baseUrl: string, key: string, onStart?: () => void,
 *   onWord?: (word: string) => void, timeoutMs?: number }} options
 */
export async function talk(prompt, options) {
  const { fetch, baseUrl, key, onStart = () => {}, onWord = () => {}, timeoutMs = 120_000 } = options
  const gateway = createOpenAICompatible({ name: 'gateway', baseURL: `${baseUrl}/v1`, apiKey: key, fetch })

  for (let failures = 0; ; failures++) {
    onStart()
    let text = ''
    let reason
    try {
      const { fullStream } = streamText({
        model: gateway('sim-text-1'),
        prompt,
        // The SDK waits as long as Retry-After says. By default it retries twice, which is few for a bad minute of a gateway.
        maxRetries: 4,
        abortSignal: AbortSignal.timeout(timeoutMs),
        onError: () => {},
      })
      for await (const part of fullStream) {
        // The SDK passes an error on as a part of the stream.
        if (part.type === 'error') throw part.error
        if (part.type === 'finish') reason = part.finishReason
        if (part.type !== 'text-delta') continue
        text += part.text
        onWord(part.text)
      }
      if (reason === 'stop') return text
      throw new Error(reason ? `the text ended by ${reason}` : 'the stream broke off')
    } catch (error) {
      // What the gateway refuses in the end, it would refuse again. A text that ended at a limit would end there again.
      const isFinal = text === '' || ['length', 'content-filter'].includes(reason)
      if (failures === 4 || isFinal) throw error
    }
  }
}
