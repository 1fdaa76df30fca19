import type { TextRequest, Turn, TurnPart } from './spec.ts'
import { beginning, contentWords, excerpt, isStopWord } from './write/word-list.ts'

type PromptKind =
  | 'greeting'
  | 'thanks'
  | 'say'
  | 'question'
  | 'explanation'
  | 'story'
  | 'poem'
  | 'list'
  | 'code'
  | 'letter'
  | 'statement'

/** The purpose and topic of a prompt, guessed from its words. */
export interface PromptAnalysis {
  /** The last user text, without directives. */
  prompt: string
  kind: PromptKind
  /** A few words of the prompt, such as `the capital of France`; never empty. */
  topic: string
  /** The content words of the prompt, at most twelve. */
  words: readonly string[]
  length: 'short' | 'medium' | 'long'
  /** How many items, sentences or paragraphs to write. */
  count?: number
  unit?: 'sentence' | 'paragraph' | 'word'
  /** The text to repeat, if the prompt dictates it. */
  dictated?: string
  /** The topic of the previous turn. */
  earlier?: string
  pictures: number
}

const maxTopicLength = 80

/** The text of the last user turn; empty if that turn has none. */
export function lastUserText(turns: readonly Turn[]): string {
  const turn = turns.findLast(isFromUser)
  return turn === undefined ? '' : textOf(turn.parts)
}

/** Whether a turn is a user's own, as opposed to results of tools, which the native dialect also sends as the user. */
export function isFromUser({ role, parts }: Turn): boolean {
  return (
    role === 'user' &&
    !(parts.some(({ type }) => type === 'result') && !parts.some(({ type }) => type === 'text'))
  )
}

/** The texts among parts, joined by line breaks. */
export function textOf(parts: readonly TurnPart[]): string {
  const [only] = parts
  // Nearly all turns consist of one text.
  if (parts.length === 1 && only?.type === 'text') return only.text
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** @param prompt the last user text without its directives. */
export function analyzePrompt({ turns, system = '' }: TextRequest, prompt: string): PromptAnalysis {
  const text = excerpt(prompt).trim()
  const kind = kindOf(text)
  const last = turns.findLastIndex(isFromUser)
  const before = turns.slice(0, Math.max(last, 0)).findLast(isFromUser)
  const earlier = before === undefined ? '' : beginning(textOf(before.parts), 2_000)
  const pictures = last < 0 ? 0 : turns[last]!.parts.filter(({ type }) => type === 'image').length
  const dictated = kind === 'say' ? sayable.exec(text)?.[1] : undefined
  return {
    prompt,
    kind,
    topic: topicOf(text) || (pictures > 0 ? 'this picture' : 'your message'),
    words: contentWords(text).filter(isTelling).slice(0, 12),
    length: lengthOf(text, kind, excerpt(system)),
    ...amountOf(text),
    ...(dictated === undefined ? {} : { dictated }),
    ...(earlier.trim() === '' ? {} : { earlier: topicOf(earlier) }),
    pictures,
  }
}

/** Words of instructions, which don't describe the topic. */
const instructions = new Set(
  (
    'write tell explain describe summarize summarise translate list give show create generate draft compose suggest find ' +
    'discuss compare outline name define answer extract classify story tale poem haiku song essay article summary email ' +
    'letter paragraph paragraphs sentence sentences idea ideas tips steps ways names suggestions reasons examples facts ' +
    'explanation description short long brief detailed function code script python javascript typescript program class ' +
    'following text question word words reply respond two three four five six seven eight nine ten like going'
  ).split(' '),
)

export const isInstruction = (each: string): boolean => instructions.has(each.toLowerCase())

const isTelling = (each: string): boolean => !instructions.has(each) && !/^\d+$/.test(each) && each.length > 1

const sayable = /^(?:please\s+)?(?:say|reply with|respond with|answer with|repeat|output)(?: only| just| exactly)?(?: the words?)?[:\s]+["'“‘]?(.{1,80}?)["'”’]?[.!]?$/i // prettier-ignore

const kinds: readonly (readonly [PromptKind, RegExp])[] = [
  ['greeting', /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|ping|test(?:ing)?)\b[\s\S]{0,24}$/i],
  ['thanks', /^(?:thanks|thank you|thx|great|perfect|cool|ok(?:ay)?)\b[\s\S]{0,24}$/i],
  ['say', sayable],
  ['story', /\b(?:story|tale|fairy ?tale|fable|novel|scene|chapter|bedtime)\b/i],
  ['poem', /\b(?:poem|haiku|verse|rhyme|lyrics|song|sonnet|limerick)\b/i],
  ['letter', /\b(?:e-?mail|letter|cover letter|invitation)\b.{0,30}\b(?:to|for|about)\b/i],
  ['code', /\b(?:code|function|script|regex|sql|python|javascript|typescript|program|snippet|class)\b/i],
  ['list', /\b(?:list|ideas?|tips|steps|ways|names|suggestions?|reasons|examples|bullet)\b/i],
  [
    'explanation',
    /\b(?:explain|describe|essay|article|compare|summar|outline|how does|how do|why|discuss|detail)/i,
  ],
  ['question', /\?|^(?:what|who|where|when|which|how|is|are|can|does|do|did|will|should)\b/i],
]

function kindOf(text: string): PromptKind {
  return kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'statement'
}

function lengthOf(text: string, kind: PromptKind, system: string): PromptAnalysis['length'] {
  const texts = `${system}\n${text}`
  if (/\b(?:brief|briefly|concise|concisely|short|terse|one sentence|one word|in a word)\b/i.test(texts))
    return 'short'
  if (/\b(?:long|detailed|in detail|thorough|comprehensive|essay|in depth)\b/i.test(texts)) return 'long'
  if (kind === 'story' || kind === 'letter') return 'long'
  if (kind === 'explanation' || kind === 'list' || kind === 'code' || kind === 'poem') return 'medium'
  return text.length > 400 ? 'medium' : 'short'
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

function amountOf(text: string): Pick<PromptAnalysis, 'count' | 'unit'> {
  const [, amount, noun = ''] =
    /\b(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)[ -](?:\w+ )?(sentences?|paragraphs?|words?|ideas?|tips|steps|ways|names|suggestions|reasons|examples|items|things|points|bullets?|lines|facts)\b/i.exec(text) ?? [] // prettier-ignore
  if (amount === undefined) return {}
  const named = numbers.indexOf(amount.toLowerCase()) + 1
  const count = Math.min(named > 0 ? named : Number(amount), 100)
  const unit = (['sentence', 'paragraph', 'word'] as const).find((each) =>
    noun.toLowerCase().startsWith(each),
  )
  return { count: Math.max(count, 1), ...(unit === undefined ? {} : { unit }) }
}

const politeness = /^(?:(?:please|could you|can you|would you|will you|hey|hi|hello|now|and|also|ok|so|then|i want to|i need to|i would like to|i'd like to|i am looking for|i'm looking for|i want you to|i need you to|i'd like you to)[,\s]+)+/i // prettier-ignore
const asking = /^(?:what|who|where|when|which|why|how)(?:'s|’s)?(?:\s+(?:is|are|was|were|do|does|did|can|could|should|would|will|to|about|much|many|has|have|i|you|we)\b)*\s*/i // prettier-ignore
const yesNo = /^(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have)\s+(?:(?:i|you|we|it|they|there)\s+)?/i // prettier-ignore
const telling = /^(?:write|tell|explain|describe|summari[sz]e|translate|list|give|show|create|make|generate|draft|compose|suggest|find|discuss|compare|outline|name|define|answer|extract|classify)\b(?:\s+(?:me|us|for me|for us|to me|up|out))?\s*/i // prettier-ignore
const genre = /^(?:a|an|the|some|\d+|one|two|three|four|five|six|seven|eight|nine|ten)?\s*(?:(?:very|short|brief|long|little|detailed|quick|funny|simple|good|bedtime|few|new)\s+)*(?:story|tale|poem|haiku|song|essay|article|summary|list|e-?mail|letter|paragraphs?|sentences?|ideas?|tips|steps|ways|names|suggestions|reasons|examples|facts|explanation|description)\s+(?:about|on|of|for|to|that|in|from)\s+/i // prettier-ignore

const trailing = /(?:\s+(?:works?|please|in (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ )?(?:sentences?|words?|paragraphs?|lines?)))+\s*[?.!]*$/i // prettier-ignore
const quoting = /^[^:]{0,80}\b(?:following|below|this)\b[^:]{0,40}:\s*/i

/** The topic of a text in a few words; empty for an empty text. */
export function topicOf(text: string): string {
  const sentences =
    text
      .match(/[^.!?\n。！？]+[?？]?/g)
      ?.map((each) => each.trim())
      .filter((each) => each !== '') ?? []
  const sentence = sentences.findLast((each) => /[?？]$/.test(each)) ?? sentences[0] ?? text.trim()
  const plain = beginning(sentence, 400)
    .replaceAll(/["“”`*#<>{}[\]|]+/g, ' ')
    .replaceAll(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  const about = /\b(?:about|regarding|concerning)\s+(.{3,})/i.exec(plain)?.[1]
  const why = /^why\s+(is|are|was|were)\s+((?:the|a|an|my|our|this|that)\s+\S+|\S+)\s+(.+)$/i.exec(plain)
  if (why !== null)
    return shorten(`why ${why[2]} ${why[1]!.toLowerCase()} ${why[3]!.replaceAll(/[\s?？!.,;:]+$/g, '')}`)
  let topic =
    about ?? plain.replace(quoting, '').replace(politeness, '').replace(telling, '').replace(genre, '')
  topic = topic.replace(asking, '').replace(yesNo, '').replace(trailing, '')
  const short = shorten(topic.replaceAll(/^[\s,;:—-]+|[\s?？!.,;:—-]+$/g, ''))
  return short === '' ? shorten(plain.replaceAll(/[\s?？!.,;:]+$/g, '')) : short
}

/** The first twelve words, without trailing stop words. */
function shorten(topic: string): string {
  const words = topic.split(' ').slice(0, 12)
  while (words.length > 1 && words.length === 12 && isStopWord(words.at(-1)!)) words.pop()
  const joined = words.join(' ')
  if (joined.length <= maxTopicLength) return joined
  const characters = [...joined]
  return characters.length > maxTopicLength ? `${characters.slice(0, maxTopicLength).join('')}…` : joined
}
