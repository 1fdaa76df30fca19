import { nameWords } from './json-schema/property-names.ts'
import { readMeasures, type PromptValues } from './prompt-values.ts'
import { isFromUser } from './reading.ts'
import type { TextCall, Turn, TurnPart } from './spec.ts'
import type { Rng } from './write/random.ts'
import { beginning } from './write/word-list.ts'

type Result = TurnPart & { type: 'result' }

const maxFacts = 6
const maxValueLength = 160
/** How many of the last calls are compared with new ones. */
const maxAnswered = 100

/** The results of the tools that answered last, after the last turn of the assistant or the user. */
export function pendingResults(turns: readonly Turn[]): readonly Result[] {
  const since = turns.findLastIndex((turn) => turn.role === 'assistant' || isFromUser(turn))
  return turns
    .slice(since + 1)
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'result'))
    .slice(-8)
}

/** The keys of answered calls since the last user turn. */
export type AnsweredCalls = ReadonlySet<string>

/** Calls whose results are present. A result without an id answers all calls of its name. */
export function answeredCalls(turns: readonly Turn[]): AnsweredCalls {
  const parts = turns.slice(turns.findLastIndex(isFromUser) + 1).flatMap((turn) => turn.parts)
  const results = parts.filter((part) => part.type === 'result')
  const isAnswered = ({ name, id }: TurnPart & { type: 'call' }): boolean =>
    results.some((result) =>
      id === undefined || result.id === undefined ? result.name === name : result.id === id,
    )
  const calls = parts.filter((part) => part.type === 'call').slice(-maxAnswered)
  return new Set(calls.filter(isAnswered).map(({ name, args }) => callKey(name, args)))
}

/** The key of a call. Names of functions have no blanks, so a blank separates name and arguments. */
export function callKey(name: string, args: TextCall['args']): string {
  return `${name} ${JSON.stringify(args)}`
}

/** The number of different arguments in the answered calls of a tool. */
export function timesCalled(answered: AnsweredCalls, name: string): number {
  return [...answered].filter((key) => key.startsWith(`${name} `)).length
}

/**
 * Prefers the values of results to those of the prompt: `temperature` comes from the tool's result. Results from before the
 * last user turn have a lower priority than the prompt, which may have changed the subject.
 */
export function withResults(values: PromptValues, turns: readonly Turn[]): PromptValues {
  const lastUser = turns.findLastIndex(isFromUser)
  const budget = { visits: maxVisits }
  const recent = readResults(turns.slice(lastUser + 1), budget)
  const older = readResults(turns.slice(0, lastUser + 1), budget)
  return {
    ...values,
    suggest: (name) => [...new Set([...recent(name), ...values.suggest(name), ...older(name)])],
  }
}

/** How many values of results are considered for one answer. */
const maxVisits = 2_000

/** The candidates for a property name in the results of these turns, in order. */
function readResults(turns: readonly Turn[], budget: { visits: number }): (name: string) => unknown[] {
  const named = new Map<string, unknown[]>()
  const texts: string[] = []
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return
    for (const [name, inner] of Object.entries(each)) {
      if (--budget.visits < 0) return
      if (!Array.isArray(each))
        named.set(nameWords(name), [...(named.get(nameWords(name)) ?? []).slice(0, 20), inner])
      visit(inner)
    }
  }
  for (const { value } of latestFirst(turns)) {
    if (--budget.visits < 0) break
    const read = parsed(value)
    if (typeof read === 'string') texts.push(read)
    else visit(read)
  }
  const measured = texts.slice(0, maxTexts).map(readMeasures)
  return (name) => [...(named.get(nameWords(name)) ?? []), ...measured.flatMap((find) => find(name))]
}

/** How many results other than JSON are searched for numbers. */
const maxTexts = 20

/** The results of tools, latest first. Those between two turns of the assistant keep their order. */
function latestFirst(turns: readonly Turn[]): Result[] {
  const groups: Result[][] = [[]]
  for (const { role, parts } of turns) {
    if (role === 'assistant') groups.push([])
    groups.at(-1)!.push(...parts.filter((part) => part.type === 'result'))
  }
  return groups.toReversed().flat()
}

/** Writes sentences about the results of tools, with their values. */
export function tellResults(results: readonly Result[], topic: string, rng: Rng): string {
  const openings = [
    `Here is what I found about ${topic}.`,
    `I looked that up for you.`,
    `I checked ${topic} for you.`,
  ]
  return [rng.pick(openings, 'opening'), ...results.map(tell)].join(' ')
}

function tell({ name, value }: Result): string {
  const words = nameWords(name) || 'tool'
  const read = parsed(value)
  const facts = factsOf(read)
  const failure = facts.find(({ label }) => label === 'error')
  if (failure !== undefined) return `The tool "${words}" reported an error: ${failure.value}.`
  if (facts.length === 0) return `The tool "${words}" gave no result.`
  if (facts.length === 1 && facts[0]!.label === '')
    return asSentence(`According to "${words}": ${facts[0]!.value}`)
  const parts = facts.map(
    ({ label, value: fact }) => `${label === '' ? 'one value' : `the ${label}`} is ${fact}`,
  )
  const last = parts.pop()!
  return asSentence(parts.length === 0 ? upper(last) : upper(`${parts.join(', ')} and ${last}`))
}

/** Parses a result, since chat sends results as text, often as JSON. */
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

/** The first plain values of a result, with the names that lead to them. */
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
      // The names of wrappers carry no information.
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
