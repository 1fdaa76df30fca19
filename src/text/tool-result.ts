import type { Rng } from './write/rng.ts'
import { nameWords } from './json-schema/hints.ts'
import type { PromptValues } from './prompt-values.ts'
import { isAsking } from './reading.ts'
import type { Turn, TurnPart } from './spec.ts'
import { beginning } from './write/word-list.ts'

type Result = TurnPart & { type: 'result' }

const maxFacts = 6
const maxValueLength = 160

/** The results of the tools that answered last: those after the last turn of the assistant or the user. */
export function pendingResults(turns: readonly Turn[]): readonly Result[] {
  const since = turns.findLastIndex((turn) => turn.role === 'assistant' || isAsking(turn))
  return turns
    .slice(since + 1)
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'result'))
    .slice(-8)
}

/** What tools answered goes before what the prompt offers: `temperature` is what the tool says it is. */
export function withResults(values: PromptValues, results: readonly Result[]): PromptValues {
  const named = new Map<string, unknown[]>()
  let visited = 0
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || visited > 2_000) return
    for (const [name, inner] of Object.entries(each)) {
      visited++
      if (!Array.isArray(each))
        named.set(nameWords(name), [...(named.get(nameWords(name)) ?? []).slice(0, 20), inner])
      visit(inner)
    }
  }
  for (const { value } of results) visit(parsed(value))
  if (named.size === 0) return values
  return { ...values, suggest: (name) => [...(named.get(nameWords(name)) ?? []), ...values.suggest(name)] }
}

/** Sentences that tell what tools answered, with its values. */
export function tellResults(results: readonly Result[], topic: string, dice: Rng): string {
  const openings = [
    `Here is what I found about ${topic}.`,
    `I looked that up for you.`,
    `I checked ${topic} for you.`,
  ]
  return [dice.pick(openings, 'opening'), ...results.map(tell)].join(' ')
}

function tell({ name, value }: Result): string {
  const spoken = nameWords(name) || 'tool'
  const read = parsed(value)
  const facts = factsOf(read)
  const failure = facts.find(({ label }) => label === 'error')
  if (failure !== undefined) return `The tool "${spoken}" reported an error: ${failure.value}.`
  if (facts.length === 0) return `The tool "${spoken}" gave no result.`
  if (facts.length === 1 && facts[0]!.label === '')
    return asSentence(`According to "${spoken}": ${facts[0]!.value}`)
  const parts = facts.map(
    ({ label, value: said }) => `${label === '' ? 'one value' : `the ${label}`} is ${said}`,
  )
  const last = parts.pop()!
  return asSentence(parts.length === 0 ? upper(last) : upper(`${parts.join(', ')} and ${last}`))
}

/** Chat sends results as text, often as JSON. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || value.length > 1_000_000) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

interface Fact {
  label: string
  value: string
}

/** The first plain values of a result, with the names on the way to them. */
function factsOf(value: unknown): Fact[] {
  const facts: Fact[] = []
  const visit = (each: unknown, label: string, depth: number): void => {
    if (facts.length >= maxFacts || each === null || each === undefined || each === '' || depth > 4) return
    if (typeof each !== 'object') {
      facts.push({ label, value: shorten(String(each)) })
      return
    }
    if (Array.isArray(each)) {
      if (each.length > 1 && each.some((item) => typeof item === 'object')) facts.push({ label: `number of ${label || 'results'}`, value: String(each.length) }) // prettier-ignore
      if (each.every((item) => typeof item !== 'object')) {
        if (each.length > 0) facts.push({ label, value: shorten(each.slice(0, 8).join(', ')) })
      } else visit(each[0], label === '' ? '' : `first ${label}`, depth + 1)
      return
    }
    for (const [name, inner] of Object.entries(each).slice(0, 50)) {
      const own = nameWords(name)
      // Wrappers say nothing themselves.
      visit(inner, /^(?:result|output|content|data|value|response)s?$/.test(own) ? label : own, depth + 1)
    }
  }
  visit(value, '', 0)
  return facts
}

function shorten(text: string): string {
  const plain = beginning(text, maxValueLength * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = [...plain]
  return characters.length > maxValueLength ? `${characters.slice(0, maxValueLength).join('')}…` : plain
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
