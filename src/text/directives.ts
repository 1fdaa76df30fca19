import type { BlockReason, StopReason, TextRequest } from './spec.ts'

/** The directives of the last user text, which trigger any outcome without a config. */
export interface DirectedText {
  /** The text without its directives. */
  prompt: string
  /** Refuses the prompt: `[[block]]`, `[[block prohibited_content]]`. */
  block?: BlockReason
  /** Ends the answer early: `[[stop safety]]`, `[[stop recitation]]`. */
  stop?: StopReason
  /** Truncates the answer after this many tokens, with finish `length`: `[[tokens 200]]`. */
  tokens?: number
  /** Sets the exact answer: `[[say: Paris.]]`. */
  say?: string
  /** Writes thoughts, and includes them in the answer: `[[think]]`. */
  think?: boolean
}

/** A list of directives for banners and help. */
export const textDirectivesHelp =
  '[[block safety]]  [[stop safety]]  [[tokens 200]]  [[say: text]]  [[think]]'

const blockReasons: readonly BlockReason[] = ['safety', 'other', 'blocklist', 'prohibited_content']
export const stopReasons: readonly StopReason[] = [...blockReasons, 'recitation', 'language', 'spii']

/** The maximum of `[[tokens …]]`. */
export const maxDirectiveTokens = 20_000

const bracketed = /\[\[([^[\]]+)\]\]/g
/** The directives of texts, without those of errors. */
export const textDirectives = ['block', 'stop', 'tokens', 'say', 'think'] as const
const directive = new RegExp(`^(${textDirectives.join('|')})(?![a-z])[ :]*`, 'i')

/** Reads the directives of a text. Other double brackets and unknown reasons stay in the text. */
export function readTextDirectives(text: string): DirectedText {
  const directed: DirectedText = { prompt: text }
  if (!text.includes('[[')) return directed
  let rest = ''
  let from = 0
  bracketed.lastIndex = 0
  for (let found = bracketed.exec(text); found; found = bracketed.exec(text)) {
    const inside = found[1]!.trim()
    const head = directive.exec(inside)
    if (!head || !apply(directed, head[1]!.toLowerCase(), inside.slice(head[0].length).trim())) continue
    rest += `${text.slice(from, found.index)} `
    from = bracketed.lastIndex
  }
  directed.prompt = (rest + text.slice(from)).trim()
  return directed
}

/** The correct form of a directive whose value is invalid. */
export function textDirectiveUsage(word: string, rest: string): string | undefined {
  if (apply({ prompt: '' }, word, rest.replace(/^[ :]*/, '').trim())) return undefined
  if (word === 'tokens') return '[[tokens 200]], with a whole number from 1'
  return `[[${word}]], or [[${word} REASON]] with ${(word === 'stop' ? stopReasons : blockReasons).join(', ')}`
}

function apply(directed: DirectedText, word: string, argument: string): boolean {
  if (word === 'block') {
    const reason = argument.toLowerCase()
    const block = reason === '' ? 'safety' : blockReasons.find((known) => known === reason)
    if (block !== undefined) directed.block = block
    return block !== undefined
  }
  if (word === 'stop') {
    const reason = argument.toLowerCase()
    const stop = reason === '' ? 'safety' : stopReasons.find((known) => known === reason)
    if (stop !== undefined) directed.stop = stop
    return stop !== undefined
  }
  if (word === 'tokens') {
    if (!/^[1-9]\d{0,8}$/.test(argument)) return false
    directed.tokens = Math.min(Number(argument), maxDirectiveTokens)
    return true
  }
  if (word === 'say') directed.say = argument
  if (word === 'think') directed.think = true
  return word === 'say' || word === 'think'
}

/** A failure of the answer that a directive in the prompt triggers. */
export type PromptFault =
  | { kind: 'error'; status: number; message: string; afterTokens: number }
  | { kind: 'cut'; afterTokens: number }

export const faultDirectives = ['error', 'cut'] as const
const pattern = /\[\[\s*(error|cut)\b([^[\]]*)\]\]/i
const details = /^ ?(\d{3})? ?(?:after (\d{1,6}))? ?$/i

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
  const [head] = rest.split(':', 1)
  // One space for several, because adjacent \s* would backtrack in cubic time.
  const [whole, digits, after] = details.exec(head!.replace(/\s+/g, ' ')) ?? []
  if (whole === undefined) return undefined
  const afterTokens = Number(after ?? 0)
  if (word === 'cut') return digits === undefined ? { kind: 'cut', afterTokens } : undefined
  const status = Number(digits ?? 500)
  if (status < 400 || status > 599) return undefined
  const message = rest.slice(head!.length + 1).trim()
  return { kind: 'error', status, message: message || messageFor(status), afterTokens }
}

/** @assumed §7 how the service behind the gateway fails is undocumented; wire §8.7. */
export function messageFor(status: number): string {
  if (status === 429) return 'Resource has been exhausted (e.g. check quota).'
  if (status === 503 || status === 529) return 'The model is overloaded. Please try again later.'
  return status < 500 ? 'The request was refused.' : 'An internal error has occurred. Please retry.'
}
