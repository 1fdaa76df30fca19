import { keyedDraws } from '../../src/engine/random/draws.ts'
import { compileSchema, writeInstance } from '../../src/text/json-schema/schema.ts'
import type { DeclaredSchema, TextChance, TextRequest } from '../../src/text/spec.ts'
import { loadWords, rngFor } from '../../src/text/write/random.ts'

const words = await loadWords()

/** A value for a schema, without a prompt. */
export function writeSchema(declared: DeclaredSchema, seed = 1): unknown {
  return writeInstance(compileSchema(declared), {
    rng: rngFor({ draws: keyedDraws(seed), subject: 'test', n: 0 }, 'schema'),
    words,
    suggest: () => [],
    choose: () => [],
    write: (kind) => (kind === 'title' ? 'Paper boats' : 'A paper boat crosses the pond.'),
    optional: 'most',
    maxValues: 5_000,
  })
}

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
