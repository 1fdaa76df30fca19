import { languages } from '../data/subjects.ts'

/** A language whose words are known. */
export type Language = 'en' | 'zh'

/** The language of a prompt, by its script. */
export function detectLanguage(text: string): Language {
  return /[\u4e00-\u9fff]/.test(text) ? 'zh' : 'en'
}

/** Converts to lower case without accents. */
export function normalize(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
}

const maxTokens = 90
const maxWordLength = 8

/** Splits a text into words and punctuation marks. Chinese is split at the longest known words. */
export function tokensOf(text: string, language: Language): string[] {
  if (language === 'en') {
    const words = normalize(text).replace(/['’]s\b/g, '')
    return (words.match(/[\p{L}\p{M}\p{N}]+|[,.;:!?]/gu) ?? []).slice(0, maxTokens)
  }
  const { nouns, places, colours, ignored } = languages.zh
  const isKnown = (word: string): boolean =>
    Object.hasOwn(places, word) ||
    Object.hasOwn(nouns, word) ||
    Object.hasOwn(colours, word) ||
    ignored.includes(word)
  const tokens: string[] = []
  for (let index = 0; index < text.length && tokens.length < maxTokens;) {
    const longest = Math.min(maxWordLength, text.length - index)
    const lengths = Array.from({ length: longest }, (_, shorter) => longest - shorter)
    const length = lengths.find((each) => isKnown(text.slice(index, index + each)))
    const foreign = /^(?:[A-Za-z0-9]+|[\u30a0-\u30ffー]+)/.exec(text.slice(index, index + 40))?.[0]
    const token = length === undefined ? (foreign ?? text[index]!) : text.slice(index, index + length)
    tokens.push(token.toLowerCase())
    index += token.length
  }
  return tokens
}

/** Whether a token ends a clause. */
export function isPunctuation(token: string): boolean {
  return /^[,.;:!?，。、]$/.test(token)
}
