import type { BlockReason, StopReason } from './spec.ts'

/** The directives of the last user text, which trigger any outcome without a config. */
export interface TextMagic {
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
export const textMagicHelp = '[[block safety]]  [[stop safety]]  [[tokens 200]]  [[say: text]]  [[think]]'

export const blockReasons: readonly BlockReason[] = ['safety', 'other', 'blocklist', 'prohibited_content']
export const stopReasons: readonly StopReason[] = [...blockReasons, 'recitation', 'language', 'spii']

/** The maximum of `[[tokens …]]`. */
export const maxMagicTokens = 20_000

const bracketed = /\[\[([^[\]]{1,10000})\]\]/g
/** The directives of texts, without those of errors. */
export const textDirectives = ['block', 'stop', 'tokens', 'say', 'think'] as const
const directive = new RegExp(`^(${textDirectives.join('|')})(?![a-z])[ :]*`, 'i')

/** Reads the directives of a text. Other double brackets and unknown reasons stay in the text. */
export function readTextMagic(text: string): TextMagic {
  const magic: TextMagic = { prompt: text }
  if (!text.includes('[[')) return magic
  let rest = ''
  let from = 0
  bracketed.lastIndex = 0
  for (let found = bracketed.exec(text); found; found = bracketed.exec(text)) {
    const inside = found[1]!.trim()
    const head = directive.exec(inside)
    if (!head || !apply(magic, head[1]!.toLowerCase(), inside.slice(head[0].length).trim())) continue
    rest += `${text.slice(from, found.index)} `
    from = bracketed.lastIndex
  }
  magic.prompt = (rest + text.slice(from)).trim()
  return magic
}

/** The correct form of a directive whose value is invalid. */
export function textDirectiveUsage(word: string, rest: string): string | undefined {
  if (apply({ prompt: '' }, word, rest.replace(/^[ :]*/, '').trim())) return undefined
  if (word === 'tokens') return '[[tokens 200]], with a whole number from 1'
  return `[[${word}]], or [[${word} REASON]] with ${(word === 'stop' ? stopReasons : blockReasons).join(', ')}`
}

function apply(magic: TextMagic, word: string, argument: string): boolean {
  if (word === 'block') {
    const reason = argument.toLowerCase()
    const block = reason === '' ? 'safety' : blockReasons.find((known) => known === reason)
    if (block !== undefined) magic.block = block
    return block !== undefined
  }
  if (word === 'stop') {
    const reason = argument.toLowerCase()
    const stop = reason === '' ? 'safety' : stopReasons.find((known) => known === reason)
    if (stop !== undefined) magic.stop = stop
    return stop !== undefined
  }
  if (word === 'tokens') {
    if (!/^[1-9]\d{0,8}$/.test(argument)) return false
    magic.tokens = Math.min(Number(argument), maxMagicTokens)
    return true
  }
  if (word === 'say') magic.say = argument
  if (word === 'think') magic.think = true
  return word === 'say' || word === 'think'
}
