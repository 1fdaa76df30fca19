import { scripts } from '../data/mention-words.ts'
import { languages } from '../data/subjects.ts'
import { isColourWord, meaningsOf } from '../data/meanings.ts'

/**
 * The language of a prompt: from its script, otherwise from its function words and nouns. Only words of that language
 * count, so that the German "Rock" (skirt) does not match "rock band".
 */
export function detectLanguage(text: string): string {
  for (const [language, characters] of scripts) if (characters.test(text)) return language
  const tokens = normalize(text).split(/[^\p{L}]+/u)
  let [best, highest] = ['en', 0]
  for (const language of ['en', 'es', 'pt', 'fr', 'de']) {
    const score = scoreLanguage(tokens, language) + (language === 'en' && asciiText.test(text) ? 1 : 0)
    if (score > highest) [best, highest] = [language, score]
  }
  return best
}

const asciiText = /^\p{ASCII}*$/u

function scoreLanguage(tokens: readonly string[], language: string): number {
  const { nouns, places, colours, functionWords } = languages[language]!
  const known = tokens.filter(
    (token) =>
      token.length > 3 &&
      (Object.hasOwn(nouns, token) ||
        Object.hasOwn(nouns, token.replace(/e?s$/, '')) ||
        Object.hasOwn(nouns, token.replace(/s$/, '')) ||
        Object.hasOwn(places, token) ||
        Object.keys(colours).some((stem) => token.startsWith(stem)) ||
        (language === 'en' && (meaningsOf(token).length > 0 || isColourWord(token)))),
  )
  return tokens.filter((token) => functionWords.includes(token)).length + 0.5 * known.length
}

/** Whether a language writes words without spaces between them. */
export function isUnspaced(language: string): boolean {
  return language === 'zh' || language === 'ja'
}

/** Converts to lower case without accents. Marks of other scripts than Latin stay, since they are vowels in Hindi. */
export function normalize(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
}

const maxTokens = 90
const maxWordLength = 8

/** Splits a text into words and punctuation marks. Chinese and Japanese are split at the longest known words. */
export function tokensOf(text: string, language: string): string[] {
  if (!isUnspaced(language)) {
    const words = normalize(text).replace(/['’]s\b/g, '')
    return (words.match(/[\p{L}\p{M}\p{N}]+|[,.;:!?]/gu) ?? []).slice(0, maxTokens)
  }
  const { nouns, places, colours, ignored } = languages[language]!
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
