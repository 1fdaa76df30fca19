/** The text of an answer. @param {any} body of a chat, of a message, or of the native API. @returns {string} */
export function textOf({ choices, content, candidates }) {
  if (content) return content[0].text
  return choices ? choices[0].message.content : candidates[0].content.parts[0].text
}

/** The text of a streamed chat. @param {string[]} events */
export function textOfStream(events) {
  const texts = events
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '')
  return texts.join('')
}
