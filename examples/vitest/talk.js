// A small client of streamed texts: it reads to the end, and asks again when the stream was cut.

/**
 * @param {string} content
 * @param {{ fetch?: typeof globalThis.fetch, baseUrl: string, key: string }} options
 */
export async function talk(content, { fetch = globalThis.fetch, baseUrl, key }) {
  for (let tries = 0; tries < 3; tries++) {
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-text-1', stream: true, messages: [{ role: 'user', content }] }),
    })
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '))
    if (events.at(-1) !== 'data: [DONE]') continue
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
    return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  }
  throw new Error('the text never came whole')
}
