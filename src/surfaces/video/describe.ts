import type { JsonObject } from '../../gateway/json.ts'

/** What rules and journal may know of a video's submission. */
export function describeVideo({ model, prompt }: JsonObject): { model?: string; prompt?: string } {
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof prompt === 'string' ? { prompt } : {}),
  }
}
