/** Of longer texts, only both ends are read, since the question is usually at one of them. */
const maxReadLength = 20_000

const word = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?/gu

const stopWords = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but ' +
    'by can could did do does doing down during each few for from further get give had has have having he her here ' +
    'hers him his how i if in into is it its itself just know let like made make me more most my myself need no nor ' +
    'not now of off on once only or other our out over own please same say shall she should so some such tell than ' +
    'that the their them then there these they this those through to too under until up us very want was we were ' +
    'what when where which while who whom why will with would you your yours thanks thank hello hi hey ok okay yes ' +
    "i'm i'd it's what's don't can't let's"
  ).split(' '),
)

/** The part of a text that is analysed. */
export function excerpt(text: string): string {
  if (text.length <= maxReadLength) return text
  return `${beginning(text, maxReadLength / 2)}\n${text.slice(-maxReadLength / 2).replace(/^[\udc00-\udfff]/, '')}`
}

/** The first characters of a text, without half a surrogate pair at the end. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, text.length > length ? '' : '$&')
}

/** All words in lower case, in order. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().replaceAll('’', "'").match(word) ?? []
}

/** The distinct content words of a text, in order of first occurrence. */
export function contentWords(text: string): string[] {
  return tellingOf(wordsOf(text))
}

/** The distinct content words of a list. */
export function tellingOf(words: readonly string[]): string[] {
  return [...new Set(words)].filter((each) => !stopWords.has(each))
}

export function isStopWord(each: string): boolean {
  return stopWords.has(each.toLowerCase())
}

/** A word without its common endings, so that `cities` matches `city` and `booking` matches `book`. */
export function stem(each: string): string {
  if (each.length > 4 && each.endsWith('ies')) return `${each.slice(0, -3)}y`
  if (each.length > 5 && each.endsWith('ing')) return each.slice(0, -3)
  if (each.length > 4 && each.endsWith('ed')) return each.slice(0, -2)
  if (each.length > 3 && each.endsWith('s') && !each.endsWith('ss')) return each.slice(0, -1)
  return each
}
