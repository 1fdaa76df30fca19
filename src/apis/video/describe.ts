import type { JsonObject } from '../../gateway/bodies/json.ts'

/** What rules and journal may know of a video's submission. */
export function describeVideo({ model, prompt }: JsonObject): { model?: string; prompt?: string } {
  const said: { model?: string; prompt?: string } = {}
  if (typeof model === 'string') said.model = model
  if (typeof prompt === 'string') said.prompt = prompt
  return said
}
