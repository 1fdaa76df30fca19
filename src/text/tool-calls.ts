import { isObject } from '../engine/is-object.ts'
import { compileSchema, writeInstance, type CompiledSchema } from './json-schema/schema.ts'
import type { PromptValues } from './prompt-values.ts'
import { SchemaRefused, type TextCall, type TextRequest, type Tool } from './spec.ts'
import { countCallTokens, countTokens, firstTokens } from './tokens.ts'
import { maxCalls, repetitionsOf } from './tool-choice.ts'
import { answeredCalls, callKey, timesCalled } from './tool-result.ts'
import type { Prose } from './write/prose.ts'
import type { Rng, Words } from './write/random.ts'

/** The sources of arguments and structured answers. */
interface ValueWriting {
  rng: Rng
  words: Words
  prose: Prose
  values: PromptValues
}

/** How many times arguments are drawn until they differ from those of an answered call. */
const maxAttempts = 6

/**
 * Writes the calls of the chosen tools, with arguments from the prompt if they fit. If a prompt names several places, a
 * tool for one place is called once for each.
 * @throws {SchemaRefused} for parameters that can't be fulfilled.
 */
export function writeCalls(request: TextRequest, chosen: readonly Tool[], writing: ValueWriting): TextCall[] {
  const calls: TextCall[] = []
  const isRequired = request.toolChoice.mode === 'required'
  const answered = isRequired ? answeredCalls(request.turns) : new Set<string>()
  for (const tool of chosen) {
    const from = isRequired ? timesCalled(answered, tool.name) : 0
    const isAlone = request.toolChoice.parallel && chosen.length === 1
    const times = isAlone ? Math.max(1, repetitionsOf(tool, writing.values) - from) : 1
    for (let time = 0; time < times && calls.length < maxCalls; time++) {
      const rng = writing.rng.of(`call/${calls.length}`)
      const args = differentArguments(request, tool, { ...writing, rng }, from + time, answered)
      calls.push({ name: tool.name, args, id: callId(rng, 'id') })
    }
  }
  return calls
}

/** Arguments that differ from those of all answered calls of the tool, if there are any. */
function differentArguments(
  request: TextRequest,
  tool: Tool,
  writing: ValueWriting,
  skip: number,
  answered: ReadonlySet<string>,
): TextCall['args'] {
  const { values, rng } = writing
  const suggest = (name: string): readonly unknown[] => values.suggest(name).slice(skip)
  const first = argumentsOf(request, tool, { ...writing, values: { ...values, suggest } })
  let args = first
  const free: PromptValues = { suggest: () => [], mentioned: () => [], choose: () => [] }
  for (let attempt = 1; answered.has(callKey(tool.name, args)); attempt++) {
    if (attempt === maxAttempts) return first
    args = argumentsOf(request, tool, { ...writing, rng: rng.of(`again/${attempt}`), values: free })
  }
  return args
}

function argumentsOf(request: TextRequest, tool: Tool, writing: ValueWriting): TextCall['args'] {
  const compiled = compileParameters(tool)
  if (compiled === undefined) return {}
  const value = namingTool(tool, () => writeValue(request, compiled, writing, 'suggested'))
  return isObject(value) ? value : { value }
}

/**
 * Writes a value that is valid for a schema, about the prompt.
 * @throws {SchemaRefused} if no value fits.
 */
export function writeValue(
  { candidates }: TextRequest,
  schema: CompiledSchema,
  { rng, words, prose, values }: ValueWriting,
  optional: 'most' | 'suggested',
): unknown {
  return writeInstance(schema, {
    rng,
    words,
    ...values,
    write: (kind, own) => (kind === 'title' ? prose.title() : prose.sentence(String(own.unit('sentence')))),
    optional,
    // Only requests with few candidates may have large values, so that the total is bounded.
    maxValues: Math.floor(5_000 / Math.min(candidates, 16)),
  })
}

/** @throws {SchemaRefused} with the name of the tool. */
export function compileParameters({ parameters, name }: Tool): CompiledSchema | undefined {
  return parameters && namingTool({ name }, () => compileSchema(parameters))
}

function namingTool<Value>({ name }: Tool, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error
    const title = `The schema of the parameters of "${name.slice(0, 100)}"`
    throw new SchemaRefused(error.message.replace(/^The schema(?! of)/, title), error.pointer, error.strict)
  }
}

/** The arguments as JSON, as far as they were written. */
export function argumentsText({ args, cut }: Pick<TextCall, 'args' | 'cut'>): string {
  return cut ?? JSON.stringify(args)
}

/**
 * The calls that a limit of tokens leaves: the one that exceeds it has the beginning of its arguments.
 * @param isCut whether the last call is cut in any case.
 */
export function limitCalls(calls: readonly TextCall[], limit: number, isCut: boolean): readonly TextCall[] {
  const fitting: TextCall[] = []
  let left = limit
  for (const [index, call] of calls.entries()) {
    const tokens = countCallTokens(call)
    const mustCut = isCut && index === calls.length - 1
    if (tokens <= left && !mustCut) {
      fitting.push(call)
      left -= tokens
      continue
    }
    const text = JSON.stringify(call.args)
    const room = Math.min(
      left - countTokens(call.name),
      mustCut ? Math.floor(countTokens(text) / 2) : Infinity,
    )
    if (room > 0) fitting.push({ ...call, cut: text.slice(0, firstTokens(text, room).end) })
    break
  }
  return fitting
}

/** An id of 32 hexadecimal digits. */
export function callId(rng: Rng, key: string): string {
  return Array.from({ length: 4 }, (_, part) =>
    rng
      .integer(2 ** 32, `${key}/${part}`)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
}
