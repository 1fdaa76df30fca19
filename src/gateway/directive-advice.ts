import { editDistance } from '../engine/did-you-mean.ts'
import { once } from '../engine/once.ts'
import { hintHeader, type Reply } from './replies/reply.ts'

/** Words that users try, each with the directives of tasks and texts that they probably mean. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  delay: ['render'],
  wait: ['render'],
  sleep: ['render'],
  pause: ['render'],
  duration: ['render'],
  rendering: ['render'],
  queue: ['queued'],
  pending: ['queued'],
  hang: ['stuck'],
  freeze: ['stuck'],
  fail: ['error'],
  failed: ['fail', 'error'],
  failure: ['fail', 'error'],
  error: ['fail'],
}

/** A directive up to its end, or up to the bracket that makes it invalid. */
const bracketed = /\[\[\s*([a-z]+)\b([^[\]]*)(\]\])?/gi
/** A prompt with more brackets uses them for another purpose. */
const maxBrackets = 50
const maxQuotedLength = 60

/** How many different typos are reported, so a client that invents them can't fill the memory. */
const maxWarnings = 1_000

/** The directives of an operation. */
export interface DirectiveSupport {
  readonly operation: string
  /** The directives that take effect in its prompts, such as `fail` for `[[fail: reason]]`; empty if none does. */
  readonly directives?: readonly string[]
  /** Returns what to write if the value of a directive is invalid. */
  readonly directiveUsage?: (word: string, rest: string) => string | undefined
}

/** Adds advice to responses whose prompt has a directive without effect, and warns once of each. */
export class DirectiveAdvice {
  readonly #findAll: () => ReadonlySet<string>
  readonly #onWarning: (message: string) => void
  readonly #warned = new Set<string>()

  /** @param findAll finds the directives of every operation. */
  constructor(findAll: () => Iterable<string>, onWarning: (message: string) => void) {
    this.#findAll = once(() => new Set(findAll()))
    this.#onWarning = onWarning
  }

  /** Adds a header to the reply if the prompt has a directive without effect. */
  addTo(reply: Reply, support: DirectiveSupport, prompt: string): Reply {
    const typo = findDirectiveTypo(prompt, support, this.#findAll)
    if (!typo) return reply
    const { operation } = support
    const key = `${operation} ${typo.written}`
    if (!this.#warned.has(key) && this.#warned.size < maxWarnings) {
      this.#warned.add(key)
      this.#onWarning(`${operation}: ${typo.advice}`)
    }
    return { ...reply, headers: { ...hintHeader(typo.advice), ...reply.headers } }
  }
}

/** A directive without effect, and its correction. */
interface DirectiveTypo {
  /** As written, such as `[[fial: x]]`, shortened. */
  readonly written: string
  readonly advice: string
}

/**
 * Finds the first directive in a prompt that does nothing because its word or its value is wrong. Only words that resemble
 * a directive count, since double brackets may be part of the text.
 *
 * @param findAll finds the directives of every operation. One that belongs to another operation has no effect here.
 */
function findDirectiveTypo(
  prompt: string,
  { directives: known = [], directiveUsage }: DirectiveSupport,
  findAll: () => ReadonlySet<string>,
): DirectiveTypo | undefined {
  if (!prompt.includes('[[')) return undefined
  let count = 0
  bracketed.lastIndex = 0
  for (let found = bracketed.exec(prompt); found; found = bracketed.exec(prompt)) {
    if (++count > maxBrackets) return undefined
    const [whole, word = '', rest = '', end] = found
    const name = word.toLowerCase()
    const written = whole.length > maxQuotedLength ? `${whole.slice(0, maxQuotedLength)}...` : whole
    if (end === undefined) {
      if (!known.includes(name)) continue
      const why = 'it contains a bracket, or does not end with ]]'
      return { written, advice: `The directive ${written} has no effect: ${why}.` }
    }
    if (known.includes(name)) {
      const usage = directiveUsage?.(name, rest)
      if (usage === undefined) continue
      const why = /^[\s:]*$/.test(rest) ? 'it needs a value' : "its value can't be read"
      return { written, advice: `The directive ${written} has no effect: ${why}. Write ${usage}.` }
    }
    const same = Object.hasOwn(synonyms, name) ? synonyms[name]! : undefined
    const meant = same?.find((each) => known.includes(each)) ?? known.find((each) => isTypoOf(name, each))
    if (meant === undefined && same === undefined && !findAll().has(name)) continue
    const guess = meant === undefined ? '' : ` Did you mean [[${meant}]]?`
    const list = known.map((each) => `[[${each}]]`).join(', ')
    return { written, advice: `The directive ${written} has no effect here.${guess} Known are ${list}.` }
  }
  return undefined
}

/** Whether a word is one edit away from another, or two edits if it has five letters or more. */
function isTypoOf(word: string, meant: string): boolean {
  if (word.length < 4) return false
  const maxDistance = word.length < 5 ? 1 : 2
  return isTransposed(word, meant) || editDistance(word, meant, maxDistance + 1) <= maxDistance
}

/** Whether two adjacent letters are swapped, which an edit distance counts as two edits. */
function isTransposed(word: string, meant: string): boolean {
  if (word.length !== meant.length) return false
  const at = [...word].findIndex((letter, index) => letter !== meant[index])
  return at >= 0 && word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2) === meant
}
