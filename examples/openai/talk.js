// A text by OpenAI's SDK, to copy. The SDK retries a request that fails, but not a stream that breaks off: that is up to you.
import OpenAI from 'openai'

/**
 * Streams a text. One that broke off starts again, so `onStart` clears what is displayed.
 *
 * @param {string} content
 * @param {{ fetch?: typeof globalThis.fetch, baseUrl: string, key: string, onStart?: () => void,
 *   onWord?: (word: string) => void }} options
 */
export async function talk(content, { fetch, baseUrl, key, onStart = () => {}, onWord = () => {} }) {
  // The SDK waits as long as Retry-After says. By default it retries twice, which is few for a bad minute of a gateway.
  const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, fetch, maxRetries: 4, timeout: 120_000 })
  const request = { model: 'sim-text-1', messages: [{ role: 'user', content }], stream: true }

  for (let failures = 0; ; failures++) {
    // What the gateway refuses in the end, it would refuse again.
    const stream = await client.chat.completions.create(request)
    try {
      onStart()
      let text = ''
      let reason
      for await (const { choices } of stream) {
        const word = choices[0]?.delta.content ?? ''
        text += word
        if (word) onWord(word)
        reason = choices[0]?.finish_reason ?? reason
      }
      if (reason === 'stop') return text
      // A stream that is cut ends without an error. A text that ended at a limit would end there again.
      const message = reason ? `the text ended by ${reason}` : 'the stream broke off'
      throw Object.assign(new Error(message), { isFinal: reason !== undefined })
    } catch (error) {
      if (failures === 4 || error.isFinal) throw error
    }
  }
}
