import type { JsonObject } from '../../gateway/bodies/json.ts'
import { isObject } from '../text/fields.ts'

/** What rules and journal may know of a chat: its model, and the last text that the user said. */
export function describeChat({ model, messages }: JsonObject): { model?: string; prompt?: string } {
  const prompt = lastText(messages)
  const said: { model?: string; prompt?: string } = {}
  if (typeof model === 'string') said.model = model
  if (prompt !== undefined) said.prompt = prompt
  return said
}

function lastText(messages: JsonObject[string]): string | undefined {
  const said = Array.isArray(messages) ? messages : []
  const last = said.findLast((message) => isObject(message) && message['role'] === 'user')
  const content = isObject(last) ? last['content'] : undefined
  if (typeof content === 'string') return content
  const texts = (Array.isArray(content) ? content : []).flatMap((part) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return texts.length > 0 ? texts.join(' ') : undefined
}
