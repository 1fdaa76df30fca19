import type { Task } from '../../engine/tasks/tasks.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import { isObject } from '../text/fields.ts'
import { listOf } from './contents.ts'

/** The model that a path names, without the `models/` that some clients write before it. */
export function modelOf(params: Readonly<Record<string, string>>): string {
  return (params['model'] ?? '').replace(/^models\//, '')
}

/** What rules and journal may know of a native request: its model, and the last text that the user said. */
export function describeNative(
  body: JsonObject,
  _task: Task | undefined,
  params: Readonly<Record<string, string>>,
): { model?: string; prompt?: string } {
  const model = modelOf(params)
  const inner = body['generateContentRequest']
  const contents = body['contents'] ?? body['content'] ?? (isObject(inner) ? inner['contents'] : undefined)
  const prompt = lastText(contents)
  const said: { model?: string; prompt?: string } = {}
  if (model !== '') said.model = model
  if (prompt !== undefined) said.prompt = prompt
  return said
}

function lastText(contents: JsonValue | undefined): string | undefined {
  const said = listOf(contents)
  for (let at = said.length - 1; at >= 0; at--) {
    const content = said[at]
    if (!isObject(content) || content['role'] === 'model') continue
    const texts: string[] = []
    for (const part of listOf(content['parts'])) {
      if (isObject(part) && typeof part['text'] === 'string') texts.push(part['text'])
    }
    if (texts.length > 0) return texts.join(' ')
  }
  return undefined
}
