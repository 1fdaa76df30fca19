import type { WorkBudget } from '../engine/work-budget.ts'
import type { Rng } from './write/rng.ts'
import type { Prose } from './write/prose.ts'
import type { PromptValues } from './prompt-values.ts'
import { nameWords } from './json-schema/hints.ts'
import { compileSchema, writeInstance, type CompiledSchema } from './json-schema/schema.ts'
import { SchemaRefused, type TextCall, type TextRequest, type Tool } from './spec.ts'
import { pendingResults } from './tool-result.ts'
import { contentWords, stem } from './write/word-list.ts'
import type { Words } from './write/words.ts'

/** How many calls one answer makes at most. */
const maxCalls = 4

/** Words in the names of tools that say nothing of what they are for. */
const common = new Set(
  'get set find search list create make fetch tool function call run do use new add update api data info value current query lookup'.split(' '), // prettier-ignore
)

/**
 * The tools that an answer calls. With `auto`, those whose name, description or parameters share telling words with the
 * prompt, unless a tool has just answered; with `required`, always the one that fits best.
 *
 * @param prompt the last user text without directives.
 */
export function chooseTools(
  { tools, toolChoice, turns }: TextRequest,
  prompt: string,
  work: WorkBudget,
): readonly Tool[] {
  const { mode, allowed, parallel } = toolChoice
  const names = allowed && new Set(allowed)
  const open = tools.filter(({ name }) => names === undefined || names.has(name))
  if (mode === 'none' || open.length === 0) return []
  const isAnswered = pendingResults(turns).length > 0
  if (mode === 'auto' && isAnswered) return []
  const said = new Set(contentWords(prompt.slice(0, 20_000)).map(stem))
  const scored = open.map((tool) => ({ tool, score: scoreOf(tool, said, work) }))
  const best = scored.toSorted((one, other) => other.score - one.score)
  const fitting = best.filter(({ score }) => score >= 2).map(({ tool }) => tool)
  const chosen = fitting.length === 0 && mode === 'required' ? [best[0]!.tool] : fitting
  return chosen.slice(0, parallel ? maxCalls : 1)
}

/** The units of looking at a tool, and at a word of it. */
const scoreWork = 10
const wordWork = 0.5

/** A word of the name counts 2, one of the description or of a parameter 1. */
function scoreOf(tool: Tool, said: ReadonlySet<string>, work: WorkBudget): number {
  const named = nameWords(tool.name)
    .split(' ')
    .filter((each) => !common.has(each))
    .map(stem)
  const described = contentWords((tool.description ?? '').slice(0, 2_000))
    .filter((each) => !common.has(each))
    .map(stem)
  const schema = tool.parameters?.schema as { properties?: unknown } | null | undefined
  const properties =
    typeof schema?.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : []
  const parameters = properties
    .slice(0, 50)
    .flatMap((each) => nameWords(each).split(' '))
    .map(stem)
  work.spend(scoreWork + (named.length + described.length + parameters.length) * wordWork, 'its tools')
  const fitting = new Set([...named, ...described, ...parameters].filter((each) => said.has(each)))
  return [...fitting].reduce((sum, each) => sum + (named.includes(each) ? 2 : 1), 0)
}

/** Large values are for requests with few candidates: together they stay bounded. */
export function maxValuesOf({ candidates }: TextRequest): number {
  return Math.min(5_000, Math.floor(20_000 / Math.min(candidates, 16)))
}

/** Everything that arguments are written from. */
export interface CallWriting {
  dice: Rng
  words: Words
  prose: Prose
  values: PromptValues
  parallel: boolean
  /** What they may cost. */
  work: WorkBudget
}

/**
 * The calls of the chosen tools, with arguments from the prompt where they fit. A prompt that names several places
 * calls a tool with a single place once for each.
 * @throws {SchemaRefused} for parameters that can't be fulfilled, with the tool's index.
 */
export function writeCalls(request: TextRequest, chosen: readonly Tool[], writing: CallWriting): TextCall[] {
  const calls: TextCall[] = []
  for (const tool of chosen) {
    const times = writing.parallel && chosen.length === 1 ? repetitions(tool, writing.values) : 1
    for (let time = 0; time < times && calls.length < maxCalls; time++) {
      const dice = writing.dice.of(`call/${calls.length}`)
      const values = {
        ...writing.values,
        suggest: (name: string) => writing.values.suggest(name).slice(time),
      }
      const args = argumentsOf(request, tool, { ...writing, dice, values })
      calls.push({ name: tool.name, args, id: hexadecimal(dice) })
    }
  }
  return calls
}

const onePlace = /^(city|location|place|town|country)$/

function repetitions(tool: Tool, { suggest }: PromptValues): number {
  const schema = tool.parameters?.schema as { properties?: Record<string, unknown> } | undefined
  const place = Object.keys(schema?.properties ?? {}).find((name) => onePlace.test(nameWords(name)))
  return place === undefined ? 1 : Math.max(1, suggest(place).length)
}

function argumentsOf(
  request: TextRequest,
  tool: Tool,
  { dice, words, prose, values, work }: CallWriting,
): Readonly<Record<string, unknown>> {
  if (tool.parameters === undefined) return {}
  const index = request.tools.indexOf(tool)
  try {
    const value = writeInstance(compileParameters(tool, index, work)!, {
      dice,
      words,
      suggest: values.suggest,
      write: (kind, luck) =>
        kind === 'title' ? prose.title() : prose.sentence(String(luck.unit('sentence'))),
      choose: values.choose,
      optional: 'suggested',
      maxValues: maxValuesOf(request),
      work,
    })
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { value }
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
    throw ofTool(error, tool, index)
  }
}

/** @throws {SchemaRefused} that names the tool. */
export function compileParameters(tool: Tool, index: number, work: WorkBudget): CompiledSchema | undefined {
  if (tool.parameters === undefined) return undefined
  try {
    return compileSchema(tool.parameters, work)
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
    throw ofTool(error, tool, index)
  }
}

function ofTool(error: SchemaRefused, tool: Tool, index: number): SchemaRefused {
  if (error.tool !== undefined) return error
  const message = error.message.replace(
    /^The schema/,
    `The schema of the parameters of "${tool.name.slice(0, 100)}"`,
  )
  return new SchemaRefused(message, error.pointer, index)
}

function hexadecimal(dice: Rng): string {
  return Array.from({ length: 4 }, (_, part) =>
    dice
      .integer(2 ** 32, `id/${part}`)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
}
