import type { Task } from '../../engine/tasks.ts'
import type { JsonObject, JsonValue } from '../../gateway/json.ts'
import { isObject } from '../text/fields.ts'

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
  return { ...(model === '' ? {} : { model }), ...(prompt === undefined ? {} : { prompt }) }
}

function lastText(contents: JsonValue | undefined): string | undefined {
  const said = [contents ?? []].flat().filter((content) => isObject(content) && content['role'] !== 'model')
  for (const content of said.toReversed()) {
    const parts = isObject(content) ? [content['parts'] ?? []].flat() : []
    const texts = parts.flatMap((part) =>
      isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
    )
    if (texts.length > 0) return texts.join(' ')
  }
  return undefined
}
