import type { Words } from './words.ts'
import type { TextRequest } from '../../text/spec.ts'

const lastUser = (r: TextRequest): string =>
  r.turns
    .filter(({ role }) => role === 'user')
    .at(-1)
    ?.parts.map((p) => (p.type === 'text' ? p.text : ''))
    .join(' ') ?? ''
const tokens = (text: string): string[] => text.match(/\s?\S+|\s+/g) ?? []
const count = (text: string): number => tokens(text).length
const countPrompt = (r: TextRequest): { text: number; image: number; total: number } => {
  const parts = r.turns.flatMap((t) => t.parts)
  const text = parts.reduce((sum, p) => sum + (p.type === 'text' ? count(p.text) : 0), 0)
  const image = 258 * parts.filter((p) => p.type === 'image').length
  return { text, image, total: text + image }
}

export const standInWords: Words = {
  check: () => {},
  countTokens: count,
  countPrompt,
  paceText: (text, pace) => {
    const every = pace.tokensPerSecond ? 1000 / pace.tokensPerSecond : 0
    const first = typeof pace.firstToken === 'string' ? parseInt(pace.firstToken) * 1000 : 0
    return tokens(text).map((token, i) => ({ text: token, atMs: Math.round(first + i * every) }))
  },
  embed: (text, n) => Array.from({ length: n }, (_, i) => Math.sin(text.length + i)),
  writer: {
    answer: (r, chance) => {
      const prompt = lastUser(r)
      const p = countPrompt(r)
      if (prompt.includes('[[block]]'))
        return {
          blocked: 'safety',
          candidates: [],
          usage: { prompt: p, answer: 0, thoughts: 0, total: p.total },
        }
      const pending = r.turns.at(-1)?.role !== 'tool'
      const tool = r.tools[0]
      const candidates = Array.from({ length: r.candidates }, (_, i) => {
        const called = tool && pending && r.toolChoice.mode !== 'none'
        const id = chance.draws.text('0123456789abcdef', 32, 'id', chance.subject, i)
        const say =
          r.output.kind === 'text'
            ? `Here is something about ${prompt} number ${i + 1}.`
            : '{"city": "Oslo", "size": 3}'
        const all = tokens(say)
        const cut = r.maxTokens !== undefined && all.length > r.maxTokens
        const text = called ? '' : cut ? all.slice(0, r.maxTokens).join('') : say
        const thoughts = r.thinking.include && r.thinking.budget !== 0 ? 'Let me think about it.' : undefined
        return {
          ...(thoughts === undefined ? {} : { thoughts }),
          text,
          calls: called ? [{ name: tool.name, args: { city: 'Oslo' }, id }] : [],
          finish: called ? ('tool_calls' as const) : cut ? ('length' as const) : ('stop' as const),
          thoughtTokens: count(thoughts ?? ''),
          answerTokens: called ? 5 : count(text),
          ...(r.logprobs === undefined
            ? {}
            : {
                logprobs: tokens(text).map((token) => ({
                  token,
                  logprob: -0.1,
                  top: [{ token, logprob: -0.1 }],
                })),
              }),
        }
      })
      const answer = candidates.reduce((s, c) => s + c.answerTokens, 0)
      const thoughts = candidates.reduce((s, c) => s + c.thoughtTokens, 0)
      return { candidates, usage: { prompt: p, answer, thoughts, total: p.total + answer + thoughts } }
    },
  },
}
