import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { TextChance, TextRequest } from '../../src/text/spec.ts'

/** A request for plain text with one user turn; `changes` replaces parts of it. */
export function ask(prompt: string, changes: Partial<TextRequest> = {}): TextRequest {
  return {
    model: 'sim-text-1',
    turns: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    output: { kind: 'text' },
    tools: [],
    toolChoice: { mode: 'auto', parallel: true },
    stop: [],
    candidates: 1,
    thinking: { budget: 0, include: false },
    ...changes,
  }
}

export function chance(seed: number | string = 1, subject = 'exchange'): TextChance {
  return { draws: keyedDraws(seed), subject, n: 0 }
}
