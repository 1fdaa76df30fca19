import type { TextRequest, Turn } from '../../text/spec.ts'

/** What goes wrong with an answer because its prompt says so. */
export type Trouble =
  | { kind: 'error'; status: number; message: string; afterTokens: number }
  | { kind: 'cut'; afterTokens: number }

/** The directives of errors in texts. */
export const troubleDirectives = ['error', 'cut'] as const
const pattern = /\[\[\s*(error|cut)\b([^[\]]{0,300})\]\]/i
const details = /^\s*(\d{3})?\s*(?:after\s+(\d{1,6}))?\s*(?::\s*(.*))?$/is

/** One line for help. */
export const troubleHelp = '[[error 503]]  [[error 429 after 5: busy]]  [[cut after 5]]'

/**
 * Takes the directives `[[error STATUS]]`, `[[error STATUS after TOKENS: message]]` and `[[cut after TOKENS]]` out of
 * the last thing the user said.
 */
export function readTrouble(request: TextRequest): { request: TextRequest; trouble: Trouble | undefined } {
  const index = request.turns.findLastIndex(({ role }) => role === 'user')
  const turn = request.turns[index]
  const said = turn?.parts.find((part) => part.type === 'text' && isTroubled(part.text))
  if (!turn || said?.type !== 'text') return { request, trouble: undefined }
  const [whole, word = '', rest = ''] = pattern.exec(said.text)!
  const trouble = troubleOf(word.toLowerCase(), rest)
  if (!trouble) return { request, trouble: undefined }
  const parts = turn.parts.map((part) =>
    part === said ? { ...said, text: said.text.replace(whole, ' ').trim() } : part,
  )
  const turns: readonly Turn[] = request.turns.with(index, { ...turn, parts })
  return { request: { ...request, turns }, trouble }
}

/** Most texts have no brackets at all. */
function isTroubled(text: string): boolean {
  return text.includes('[[') && pattern.test(text)
}

function troubleOf(word: string, rest: string): Trouble | undefined {
  const [whole, status, after, message] = details.exec(rest) ?? []
  if (whole === undefined) return undefined
  const afterTokens = Number(after ?? 0)
  if (word === 'cut') return { kind: 'cut', afterTokens }
  const known = Number(status ?? 500)
  if (known < 400 || known > 599) return undefined
  return { kind: 'error', status: known, message: message?.trim() || messageOf(known), afterTokens }
}

/** @assumed §7 what the service behind the gateway says when it fails is not shown; wire §8.7. */
export function messageOf(status: number): string {
  if (status === 429) return 'Resource has been exhausted (e.g. check quota).'
  if (status === 503) return 'The model is overloaded. Please try again later.'
  return status < 500 ? 'The request was refused.' : 'An internal error has occurred. Please retry.'
}
