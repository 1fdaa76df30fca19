import { nameWords, singular } from './json-schema/property-names.ts'
import { isInstruction, topicOf } from './reading.ts'
import { beginning, excerpt, isStopWord, stem, wordsOf } from './write/word-list.ts'

/** Candidate values from a prompt. They may not fit the schema. */
export interface PromptValues {
  /** Candidates for a property name, likeliest first. */
  suggest(name: string): readonly unknown[]
  /** The same, without values from the results of tools. */
  mentioned(name: string): readonly unknown[]
  /** The values of an enumeration that the prompt mentions. */
  choose(values: readonly unknown[]): readonly unknown[]
}

const placeNames =
  /\b(city|town|location|place|destination|origin|country|region|area|departure|arrival|station|airport|capital)\b/
const fromNames = /\b(origin|from|departure|start|source)\b/
const toNames = /\b(destination|to|arrival|target|end)\b/
const queryNames = /\b(query|search|question|prompt|keyword|term|q|topic|subject|theme)s?\b/
const wholeNames = /\b(text|input|message|sentence|original|source text)\b/
const personNames =
  /\b((?:first|given|full|user|customer|person|contact) ?name|name|author|recipient|person|customer|attendee|guest)\b/
const numberNames = /\b(count|quantity|amount|number|num|limit|guests|people|passengers|nights|days|hours|minutes|age|price|size|total|max|min|n|x|y|a|b)\b/ // prettier-ignore

/** Extracts candidate property values from a prompt: `city` gets Oslo from "weather in Oslo?". */
export function readPromptValues(prompt: string): PromptValues {
  const text = excerpt(prompt)
  const quoted = [...text.matchAll(/["“]([^"“”]{1,200})["”]/g)].map(([, inside]) => inside!)
  const emails = text.match(/[\w.+-]{1,40}@[\w-]{1,40}(?:\.[\w-]{1,20}){1,3}/g) ?? []
  const urls = text.match(/https?:\/\/[^\s"'<>)]{1,200}/g) ?? []
  const dates = text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? []
  const numbers = readNumbers(text)
  const [, sought] = /\b(?:search|look|google)\b[^.?!\n]{0,40}? for ([^.?!\n]{1,200})/i.exec(text) ?? []
  const searched = sought === undefined ? [] : [sought.trim()]
  const names = properNames(text)
  const placed = names.filter(({ before }) =>
    /^(?:in|at|to|from|for|near|of|and|or|is|around)$|,$/.test(before),
  )
  const after = (word: string): string[] =>
    names.filter(({ before }) => before === word).map(({ name }) => name)
  const proposals = new Map<string, readonly unknown[]>()

  function propose(name: string): readonly unknown[] {
    const words = singular(nameWords(name))
    const titles = names.map((each) => each.name)
    if (/\be ?mail\b/.test(words)) return emails
    if (/\b(url|uri|link|website)\b/.test(words)) return urls
    if (/\bdate\b|\bday\b|\bwhen\b/.test(words) && dates.length > 0) return dates
    if (/\b(to|cc|bcc|recipient|sender)\b/.test(words) && emails.length > 0) return emails
    if (fromNames.test(words) && after('from').length > 0) return after('from')
    if (toNames.test(words) && after('to').length > 0) return after('to')
    if (placeNames.test(words)) return placed.length > 0 ? placed.map((each) => each.name) : titles
    // A name after "in" or "from" is more likely a place.
    if (personNames.test(words))
      return [...quoted, ...titles.filter((each) => !placed.some((place) => place.name === each)), ...titles]
    if (queryNames.test(words))
      return [...quoted, ...searched, ...(topicOf(text) === '' ? [] : [topicOf(text)])]
    if (wholeNames.test(words))
      return [...quoted, ...(text.trim() === '' ? [] : [beginning(text.trim(), 1_000)])]
    if (/\btitle\b|\bheadline\b/.test(words)) return quoted
    const measures = measuresOf(words, numbers)
    if (measures.length > 0) return measures
    return numberNames.test(words) ? numbers.map(({ value }) => value) : []
  }

  function suggest(name: string): readonly unknown[] {
    const found = proposals.get(name)
    if (found !== undefined) return found
    const proposed = [...new Set(propose(name))]
    if (proposals.size < 1_000) proposals.set(name, proposed)
    return proposed
  }

  const known = new Set(wordsOf(text).map(stem))
  const isNamed = (value: unknown): boolean =>
    typeof value === 'string' &&
    /[\p{L}\p{N}]/u.test(value) &&
    wordsOf(value.replaceAll('_', ' ')).every((each) => known.has(stem(each)))
  return { suggest, mentioned: suggest, choose: (values) => values.slice(0, 1_000).filter(isNamed) }
}

/** Finds numbers by their unit: `degrees` gets 17 from "17 degrees". */
export function readMeasures(text: string): (name: string) => readonly number[] {
  const numbers = readNumbers(excerpt(text))
  return (name) => measuresOf(singular(nameWords(name)), numbers)
}

function measuresOf(words: string, numbers: readonly Measure[]): number[] {
  const stems = words.split(' ').map(stem)
  return numbers.filter(({ unit }) => unit !== '' && stems.includes(stem(unit))).map(({ value }) => value)
}

interface Measure {
  value: number
  /** The word after the number; empty if there is none. */
  unit: string
}

interface ProperName {
  name: string
  /** The word before it, in lower case; empty at the beginning. */
  before: string
}

/** Words in capitals that are not names, such as formats of an answer. */
const namesNothing = new Set('I JSON YAML XML CSV HTML SQL API URL ID'.split(' '))

/** Finds runs of capitalised words, unless they only begin a sentence. */
function properNames(text: string): ProperName[] {
  const found: ProperName[] = []
  const pieces = text.match(/[\p{L}\p{N}'’-]+|[.!?\n:]|,/gu) ?? []
  for (let at = 0; at < pieces.length;) {
    const start = at
    while (
      at < pieces.length &&
      /^\p{Lu}[\p{L}'’-]*$/u.test(pieces[at]!) &&
      (at > start || !isOpening(pieces, at))
    )
      at++
    if (at > start) {
      const name = pieces.slice(start, at).join(' ')
      const before = pieces[start - 1] ?? ''
      const isList = before === ',' || before === 'and'
      const earlier = found.at(-1)
      // In "in Oslo, Bergen and Rome", all three follow "in".
      if (!namesNothing.has(name) && name.length <= 60)
        found.push({ name, before: isList && earlier !== undefined ? earlier.before : before.toLowerCase() })
    } else at++
  }
  return found
}

/** Whether a word is capitalised only because it begins a sentence. */
function isOpening(pieces: readonly string[], at: number): boolean {
  const [before, word, after = ''] = [pieces[at - 1], pieces[at]!, pieces[at + 1]]
  if (before !== undefined && !/^[.!?\n]$/.test(before)) return false
  return isStopWord(word) || isInstruction(word) || !/^\p{Lu}|^(?:is|was|has|lives|works|from)$/u.test(after)
}

const spelled = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** Numbers with the word that follows them: `3 nights`. */
function readNumbers(text: string): Measure[] {
  const pattern =
    /(?<![\w.-])(-?\d{1,12}(?:\.\d{1,6})?|two|three|four|five|six|seven|eight|nine|ten)\b(?:\s+(?:more\s+)?([a-z]+))?/gi
  return [...text.matchAll(pattern)].slice(0, 100).map(([, amount, unit = '']) => {
    const named = spelled.indexOf(amount!.toLowerCase())
    return { value: named >= 0 ? named : Number(amount), unit: unit.toLowerCase() }
  })
}
