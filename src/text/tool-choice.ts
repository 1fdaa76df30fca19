import { nameWords } from './json-schema/property-names.ts'
import type { PromptValues } from './prompt-values.ts'
import type { TextRequest, Tool } from './spec.ts'
import { answeredCalls, pendingResults, timesCalled, type AnsweredCalls } from './tool-result.ts'
import { contentWords, stem } from './write/word-list.ts'

/** The maximum number of calls in one answer. */
export const maxCalls = 4

/** Words in the names of tools that do not describe their purpose. */
const common = new Set(
  'get set find search list create make fetch tool function call run do use new add update api data info value current query lookup'.split(' '), // prettier-ignore
)

/**
 * Chooses the tools that an answer calls. With `auto`, those whose name, description or parameters share distinctive words
 * with the prompt, unless a tool has just answered.
 *
 * A tool that only formats the answer is called when no other tool is left.
 *
 * With `required`, always at least one: first those that suit the prompt, then the one for the final answer, then the
 * others. So a client that requires a call in every turn ends after at most as many turns as there are tools.
 *
 * @param prompt the last user text without directives.
 * @param repetitions returns how many calls of a tool the prompt needs: one for each place that it names.
 */
export function chooseTools(
  request: TextRequest,
  prompt: string,
  repetitions: (tool: Tool) => number,
): readonly Tool[] {
  const { toolChoice, turns } = request
  const { mode, parallel } = toolChoice
  const open = findOpenTools(request)
  if (open.length === 0) return []
  const scored = scoreTools(open, prompt)
  const best = scored.map(({ tool }) => tool)
  const suiting = scored.filter(({ score }) => score >= 2).map(({ tool }) => tool)
  const chosen =
    mode === 'auto'
      ? optionalTools(suiting, open, turns)
      : requiredTools(best, suiting, answeredCalls(turns), repetitions)
  return chosen.slice(0, parallel ? maxCalls : 1)
}

/**
 * Chooses a tool for an answer that calls one in any case: the one that suits the prompt best, and doesn't receive the final
 * answer. Empty if the request allows no call.
 */
export function chooseAnyTool(request: TextRequest, prompt: string): readonly Tool[] {
  const best = scoreTools(findOpenTools(request), prompt).map(({ tool }) => tool)
  const step = best.find((tool) => !isFinal(tool) && !isAnswerFormat(tool))
  return step ? [step] : best.slice(0, 1)
}

/** The tools that the request allows, in its order. */
function findOpenTools({ tools, toolChoice: { mode, allowed } }: TextRequest): readonly Tool[] {
  const names = allowed && new Set(allowed)
  return mode === 'none' ? [] : tools.filter(({ name }) => names === undefined || names.has(name))
}

/** The tools with their scores, the best first. */
function scoreTools(
  open: readonly Tool[],
  prompt: string,
): readonly { readonly tool: Tool; readonly score: number }[] {
  const words = new Set(contentWords(prompt.slice(0, 20_000)).map(stem))
  const scored = open.map((tool) => ({ tool, score: scoreOf(tool, words) }))
  return scored.toSorted((one, other) => other.score - one.score)
}

/** The tools for a turn that may call some. */
function optionalTools(
  suiting: readonly Tool[],
  open: readonly Tool[],
  turns: TextRequest['turns'],
): readonly Tool[] {
  const format = open.find(isAnswerFormat)
  const steps = pendingResults(turns).length > 0 ? [] : suiting.filter((tool) => tool !== format)
  if (steps.length > 0 || format === undefined) return steps
  return timesCalled(answeredCalls(turns), format.name) > 0 ? [] : [format]
}

/** The tools for a turn that must call one. */
function requiredTools(
  best: readonly Tool[],
  suiting: readonly Tool[],
  answered: AnsweredCalls,
  repetitions: (tool: Tool) => number,
): readonly Tool[] {
  const isLeft = (tool: Tool): boolean => timesCalled(answered, tool.name) < Math.max(1, repetitions(tool))
  const final = best.find(isFinal)
  const steps = suiting.filter((tool) => tool !== final && isLeft(tool))
  if (steps.length > 0) return steps
  const others = best.filter((tool) => tool !== final && isLeft(tool))
  // Calls one in the first step even if none suits the prompt, so that the client's loop runs.
  if (answered.size === 0 && others.length > 0) return others.slice(0, 1)
  if (final !== undefined && isLeft(final)) return [final]
  return [others[0] ?? final ?? best[0]!]
}

const finalNames = /^(?:final|finish|done|submit|answer|respond|response|return|extract|complete|conclude|stop|end|give final)\b|\b(?:final|answer|response|result|output|done|finish)$/ // prettier-ignore

/**
 * Whether a tool receives the final answer: by its name, or because its schema has the same name, as in agents' response
 * formats.
 */
function isFinal({ name, parameters }: Tool): boolean {
  const schema = parameters?.schema as { title?: unknown } | null | undefined
  return finalNames.test(nameWords(name)) || (schema?.title !== undefined && schema.title === name)
}

const formatNames = /\b(?:final answer|(?:format|structured|formatted) (?:output|response|answer)|(?:output|response) format)\b/ // prettier-ignore

/** Whether a client uses a tool only to get JSON, such as `format_output` in LlamaIndex and `extract-1` in LangChain. */
function isAnswerFormat({ name, description }: Tool): boolean {
  return (
    formatNames.test(nameWords(name)) ||
    /\b(?:respond|answer|reply) with (?:a )?json\b|\bstructured output\b/i.test(description ?? '')
  )
}

/** A word of the name counts 2; one of the description or of a parameter counts 1. */
function scoreOf(tool: Tool, words: ReadonlySet<string>): number {
  const isTelling = (each: string): boolean => !common.has(each)
  const named = nameWords(tool.name).split(' ').filter(isTelling).map(stem)
  const described = contentWords((tool.description ?? '').slice(0, 2_000)).filter(isTelling).map(stem) // prettier-ignore
  const parameters = parameterNames(tool)
    .slice(0, 50)
    .flatMap((each) => nameWords(each).split(' '))
    .map(stem)
  const shared = new Set([...named, ...described, ...parameters].filter((each) => words.has(each)))
  return [...shared].reduce((sum, each) => sum + (named.includes(each) ? 2 : 1), 0)
}

const onePlace = /^(city|location|place|town|country)$/

/** How many times a prompt calls a tool: once for each place that it names, if the tool takes a single place. */
export function repetitionsOf(tool: Tool, { mentioned }: PromptValues): number {
  const place = parameterNames(tool).find((name) => onePlace.test(nameWords(name)))
  return place === undefined ? 1 : Math.max(1, mentioned(place).length)
}

function parameterNames(tool: Tool): string[] {
  const schema = tool.parameters?.schema as { properties?: unknown } | null | undefined
  const properties = schema?.properties
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}
