import type { TextRequest } from '../../text/spec.ts'

/** A failure of the answer that a directive in the prompt triggers. */
export type PromptFault =
  | { kind: 'error'; status: number; message: string; afterTokens: number }
  | { kind: 'cut'; afterTokens: number }

export const faultDirectives = ['error', 'cut'] as const
const pattern = /\[\[\s*(error|cut)\b([^[\]]{0,300})\]\]/i
const details = /^\s*(\d{3})?\s*(?:after\s+(\d{1,6}))?\s*(?::\s*(.*))?$/is

/** What to write if the value of a fault's directive is invalid. */
export function faultUsage(word: string, rest: string): string | undefined {
  if (parseFault(word, rest) !== undefined) return undefined
  if (word === 'cut') return '[[cut]], or [[cut after 5]] with a number of tokens'
  return '[[error 503]], [[error 429: busy]] or [[error 503 after 5]], with a status from 400 to 599'
}

/** A list of directives for help. */
export const promptFaultHelp = '[[error 503]]  [[error 429 after 5: busy]]  [[cut after 5]]'

/**
 * Removes the directives `[[error STATUS]]`, `[[error STATUS after TOKENS: message]]` and `[[cut after TOKENS]]` from the
 * user's last turn.
 */
export function readPromptFault(request: TextRequest): {
  request: TextRequest
  fault: PromptFault | undefined
} {
  const unchanged = { request, fault: undefined }
  const index = request.turns.findLastIndex(({ role }) => role === 'user')
  const turn = request.turns[index]
  const marked = turn?.parts.find((part) => part.type === 'text' && pattern.test(part.text))
  if (!turn || marked?.type !== 'text') return unchanged
  const { text, fault } = takePromptFault(marked.text)
  if (!fault) return unchanged
  const parts = turn.parts.map((part) => (part === marked ? { ...marked, text } : part))
  return { request: { ...request, turns: request.turns.with(index, { ...turn, parts }) }, fault }
}

/** Takes the first of these directives out of a text. */
export function takePromptFault(text: string): { text: string; fault: PromptFault | undefined } {
  const [whole, word = '', rest = ''] = pattern.exec(text) ?? []
  const fault = whole === undefined ? undefined : parseFault(word.toLowerCase(), rest)
  return fault ? { text: text.replace(whole!, ' ').trim(), fault } : { text, fault }
}

function parseFault(word: string, rest: string): PromptFault | undefined {
  const [whole, digits, after, message] = details.exec(rest) ?? []
  if (whole === undefined) return undefined
  const afterTokens = Number(after ?? 0)
  if (word === 'cut') return digits === undefined ? { kind: 'cut', afterTokens } : undefined
  const status = Number(digits ?? 500)
  if (status < 400 || status > 599) return undefined
  return { kind: 'error', status, message: message?.trim() || messageFor(status), afterTokens }
}

/** @assumed §7 how the service behind the gateway fails is undocumented; wire §8.7. */
export function messageFor(status: number): string {
  if (status === 429) return 'Resource has been exhausted (e.g. check quota).'
  if (status === 503 || status === 529) return 'The model is overloaded. Please try again later.'
  return status < 500 ? 'The request was refused.' : 'An internal error has occurred. Please retry.'
}
