// A text by Google's GenAI SDK, to copy. The SDK repeats neither a request whose connection broke nor a stream: that is up to you.
import { GoogleGenAI } from '@google/genai'

/**
 * Streams a text. One that broke off starts again, so `onStart` clears what is displayed.
 *
 * @param {string} contents
 * @param {{ baseUrl: string, key: string, onStart?: () => void, onWord?: (word: string) => void,
 *   timeoutMs?: number }} options
 */
export async function talk(contents, options) {
  const { baseUrl, key, onStart = () => {}, onWord = () => {}, timeoutMs = 120_000 } = options
  // Without these, the SDK neither retries a 429 or 503, nor gives up a response that never comes.
  const httpOptions = { baseUrl, timeout: timeoutMs, retryOptions: { attempts: 5 } }
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions })

  for (let failures = 0; ; failures++) {
    onStart()
    let text = ''
    let stream
    let reason
    try {
      stream = await models.generateContentStream({ model: 'sim-text-1', contents })
      for await (const { candidates } of stream) {
        const word = candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('') ?? ''
        text += word
        if (word) onWord(word)
        reason = candidates?.[0]?.finishReason ?? reason
      }
      if (reason === 'STOP') return text
      throw new Error(reason ? `the text ended by ${reason}` : 'the stream broke off')
    } catch (error) {
      // A lost connection is a TypeError of fetch. What the gateway refuses in the end, it would refuse again.
      const isBroken = stream !== undefined || error instanceof TypeError
      // A text that ended at a limit would end there again.
      const isFinal = !isBroken || (reason !== undefined && reason !== 'STOP')
      if (failures === 4 || isFinal) throw error
    }
  }
}
