import { didYouMean } from '../../engine/did-you-mean.ts'
import { readPath } from './body-path.ts'

/** Names that templates may use, such as `${task.id}`. After a final dot, a name or path of the author follows. */
const templateNames = [
  'task.id',
  'task.nth',
  'task.model',
  'task.prompt',
  'task.state',
  'task.progress',
  'model',
  'prompt',
  'operation',
  'namespace',
  'attempt',
  'now',
  'now.seconds',
  'now.ms',
  'request.id',
  'request.method',
  'request.path',
  'body.',
  'headers.',
  'query.',
  'vars.',
] as const

/** Returns the value of a name; undefined if the request has none. */
export type TemplateValues = (name: string) => unknown

/** `$${` escapes a plain `${`. */
const pattern = /\$(\$\{)|\$\{([^{}]*)\}?/g

/** Longer values are truncated. All values of a response together have at most this many characters. */
export const maxValueCharacters = 10_000
export const maxFilledCharacters = 1_000_000

/** Why a template in a text is invalid; undefined if all are valid. */
export function templateProblem(text: string): string | undefined {
  for (const [whole, escaped, name = ''] of text.matchAll(pattern)) {
    if (escaped !== undefined) continue
    if (!whole.endsWith('}')) return `${whole.slice(0, 40)} has no end. ${plainAdvice}`
    const known = templateNames.find((each) =>
      each.endsWith('.') ? name.startsWith(each) && name !== each : name === each,
    )
    if (known === 'body.' && !readPath(name.slice(5)))
      return `${whole} has no path into a body. Write it as \${body.messages[0].content}`
    if (known === undefined) {
      const meant = didYouMean(name, templateNames).replace(/"(.*?)\.?"/, '"${$1}"')
      return `nothing fills ${whole.slice(0, 100)}.${meant} Known: ${templateNames.map((each) => (each.endsWith('.') ? `${each}NAME` : each)).join(', ')}. ${plainAdvice}`
    }
  }
  return undefined
}

/** Why a text may not contain a template, if it contains one: nothing would fill it. Other braces are ignored. */
export function unfilledProblem(text: string): string | undefined {
  const found = /\$\{[^{}]+\}/.exec(text)?.[0]
  if (found === undefined || templateProblem(found) !== undefined) return undefined
  return `nothing fills ${found} here. Templates are filled in the body and headers of respond, and in set`
}

const plainAdvice = 'Write $${ for a plain ${'

/** Fills the templates in the values of JSON. If a text is a single template, it becomes the value itself, of any type. */
export function fillJson(value: unknown, values: TemplateValues, budget = new Budget()): unknown {
  if (typeof value === 'string') {
    const [whole, , name] = new RegExp(pattern.source).exec(value) ?? []
    if (name !== undefined && whole === value) return budget.take(values(name) ?? null)
    return fill(value, (each) => asText(budget.take(values(each))))
  }
  if (Array.isArray(value)) return value.map((each) => fillJson(each, values, budget))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillJson(each, values, budget)]))
}

/**
 * Fills the templates in a text, escaped so that no value can break the syntax: as JSON strings in JSON and event streams,
 * with entities in markup.
 */
export function fillText(text: string, values: TemplateValues): string {
  const budget = new Budget()
  const isJson = /^\s*(?:[[{]|(?:data|event|id|retry):)/.test(text)
  const isMarkup = text.trimStart().startsWith('<')
  return fill(text, (name, before) => {
    const value = budget.take(values(name))
    if (isMarkup) return asText(value).replaceAll(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`)
    if (!isJson) return asText(value)
    return isInQuotes(before) ? JSON.stringify(asText(value)).slice(1, -1) : JSON.stringify(value ?? null)
  })
}

/** Fills the templates in a header. Characters that are invalid in headers are percent-encoded. */
export function fillHeader(text: string, values: TemplateValues): string {
  const budget = new Budget()
  return fill(text, (name) =>
    asText(budget.take(values(name)))
      .slice(0, maxHeaderCharacters)
      .replaceAll(/\p{Surrogate}/gu, '?')
      .replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent),
  )
}

const maxHeaderCharacters = 1_000

/** Whether a text contains a template or an escaped one. */
export const hasTemplates = (text: string): boolean => text.includes('${')

function fill(text: string, valueOf: (name: string, before: string) => string): string {
  return text.replaceAll(pattern, (_whole, escaped: string | undefined, name: string, at: number) =>
    escaped === undefined ? valueOf(name, text.slice(0, at)) : escaped,
  )
}

/** Whether a JSON string is open at the end of a text. */
function isInQuotes(text: string): boolean {
  return text.replaceAll(/\\./gs, '').split('"').length % 2 === 0
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Limits how much text the values of one response add. */
class Budget {
  #left = maxFilledCharacters

  take(value: unknown): unknown {
    const taken = typeof value === 'string' ? value.slice(0, Math.min(maxValueCharacters, this.#left)) : value
    const { length } = asText(taken)
    if (length > this.#left) return null
    this.#left -= length
    return taken
  }
}
