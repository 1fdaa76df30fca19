import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type {
  DeclaredSchema,
  OutputFormat,
  TextRequest,
  Thinking,
  Tool,
  ToolChoice,
} from '../../text/spec.ts'
import { Fields, RequestRefused, show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { readContents, readTexts } from './contents.ts'

export const maxTokens = 2 ** 30 - 1
export const maxSeed = 2 ** 31
export const maxCandidates = 8
export const maxStops = 5

export const responseTypes = ['text/plain', 'application/json', 'text/x.enum'] as const

/** The number of thought tokens for each level. */
const levels = { MINIMAL: 32, LOW: 128, MEDIUM: 512, HIGH: 2048 } as const

export const levelNames = Object.keys(levels) as (keyof typeof levels)[]

/**
 * Reads a native request (§2.6, §4.7) into the form of the writer.
 *
 * @assumed §4.7 all fields but contents are undocumented; wire §8.2.
 * @param model the model, without the `models/` prefix of some clients.
 * @throws {RequestRefused}
 */
export function readNativeRequest(
  body: JsonObject,
  model: string,
  images: ReceivedImages,
  messageLimit: number,
): TextRequest {
  const fields = new Fields(body as never, '')
  const turns = readContents(fields.get('contents'), images, messageLimit)
  const instruction = fields.within('systemInstruction')
  fields.list('safetySettings')?.forEach((each, index) => new Fields(each, `safetySettings[${index}]`))
  const config = fields.within('generationConfig')
  if (config) checkSampling(config)
  const maxTokens = config && readMaxTokens(config)
  const top = config?.wholeNumber('logprobs', 0, 20) ?? 0
  const logprobs = config?.boolean('responseLogprobs') ? top : undefined
  const system = instruction && readTexts(instruction)
  const output: OutputFormat = config ? readOutput(config) : { kind: 'text' }
  const { tools, toolChoice } = readTools(fields)
  const stop = config?.texts('stopSequences', maxStops) ?? []
  const candidates = config?.wholeNumber('candidateCount', 1, maxCandidates) ?? 1
  const thinking = readThinking(config?.within('thinkingConfig'))
  const seed = config?.number('seed', -maxSeed, maxSeed)
  return {
    model,
    turns,
    output,
    tools,
    toolChoice,
    stop,
    candidates,
    thinking,
    system,
    maxTokens,
    logprobs,
    seed,
  }
}

/** Checks sampling parameters, which have no effect here. */
function checkSampling(config: Fields): void {
  config.number('temperature', 0, 2)
  config.number('topP', 0, 1)
  config.number('topK', 0, 1_000_000)
  config.number('presencePenalty', -2, 2)
  config.number('frequencyPenalty', -2, 2)
}

function readMaxTokens(config: Fields): number | undefined {
  const value = config.get('maxOutputTokens')
  if (typeof value === 'number' && value > maxTokens) {
    throw new RequestRefused('maxOutputTokens is invalid', 'gateway')
  }
  return config.wholeNumber('maxOutputTokens', 1, maxTokens)
}

function readOutput(config: Fields): OutputFormat {
  const type = config.oneOf('responseMimeType', responseTypes) ?? 'text/plain'
  const native = config.schema('responseSchema')
  const json = config.schema('responseJsonSchema')
  if (native !== undefined && json !== undefined) {
    throw new RequestRefused('only one of responseSchema and responseJsonSchema may be set')
  }
  const given = native ?? json
  if (given === undefined) return { kind: type === 'application/json' ? 'json' : 'text' }
  if (type === 'text/plain') {
    throw new RequestRefused('a response schema needs responseMimeType "application/json" or "text/x.enum"')
  }
  const schema = { dialect: native === undefined ? 'json-schema' : 'native', schema: given } as const
  return type === 'text/x.enum' ? { kind: 'enum', schema } : { kind: 'schema', schema }
}

/** Reads the budget of thoughts: 0 without a configuration, unlimited if the configuration sets none. */
function readThinking(config: Fields | undefined): Thinking {
  if (!config) return { budget: 0, include: false }
  const include = config.boolean('includeThoughts') ?? false
  const level = config.oneOf('thinkingLevel', levelNames)
  const budget = config.wholeNumber('thinkingBudget', -1, maxTokens)
  if (budget !== undefined) return { budget: budget === -1 ? 'auto' : budget, include }
  return { budget: level === undefined ? 'auto' : levels[level], include }
}

export const modes = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const

export const functionName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

export const maxFunctions = 512

/**
 * Reads the declared functions, and the function choice.
 *
 * @assumed §4.7 tools are undocumented; wire §8.2. The vendor's own tools, such as search, are accepted but not used.
 * @throws {RequestRefused} for invalid or repeated names, and for allowed names of undeclared functions.
 */
export function readTools(fields: Fields): { tools: readonly Tool[]; toolChoice: ToolChoice } {
  const value = fields.get('tools')
  const tools = value === undefined ? [] : readDeclared(Array.isArray(value) ? value : [value])
  const config = fields.within('toolConfig')?.within('functionCallingConfig')
  return { tools, toolChoice: readChoice(config, tools) }
}

function readDeclared(given: readonly JsonValue[]): Tool[] {
  let count = 0
  const tools = given.flatMap((item, index) => {
    const tool = new Fields(item, `tools[${index}]`)
    const declared = tool.list('functionDeclarations') ?? []
    count += declared.length
    if (count > maxFunctions) {
      throw new RequestRefused(`tools declare ${count} functions or more, at most ${maxFunctions} are taken`)
    }
    return declared.map((each, place) =>
      readFunction(new Fields(each, `${tool.at('functionDeclarations')}[${place}]`)),
    )
  })
  const names = new Set<string>()
  const twice = tools.find(({ name }) => names.size === names.add(name).size)?.name
  if (twice !== undefined) throw new RequestRefused(`Duplicate function declaration found: ${twice}`)
  return tools
}

function readFunction(fields: Fields): Tool {
  const name = fields.text('name')
  if (name === undefined || !functionName.test(name)) {
    throw new RequestRefused(
      `${fields.at('name')} is ${show(name)}: a function's name begins with a letter or "_", goes on with letters, ` +
        'digits, "_", ".", ":" or "-", and has at most 128 of them',
    )
  }
  const description = fields.text('description')
  const parameters = parametersOf(fields)
  return {
    name,
    description,
    parameters,
  }
}

function parametersOf(fields: Fields): DeclaredSchema | undefined {
  const native = fields.schema('parameters')
  const json = fields.schema('parametersJsonSchema')
  if (native !== undefined && json !== undefined) {
    throw new RequestRefused(`only one of ${fields.at('parameters')} and parametersJsonSchema may be set`)
  }
  if (native !== undefined) return { dialect: 'native', schema: native }
  return json === undefined ? undefined : { dialect: 'json-schema', schema: json }
}

function readChoice(config: Fields | undefined, tools: readonly Tool[]): ToolChoice {
  const mode = config?.oneOf('mode', modes) ?? 'AUTO'
  const allowed = config?.texts('allowedFunctionNames', maxFunctions)
  const unknown = allowed?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new RequestRefused(`allowedFunctionNames has ${show(unknown)}, which no function declaration names`)
  }
  if (mode === 'ANY' && tools.length === 0) {
    throw new RequestRefused('functionCallingConfig.mode is ANY, and tools declare no function')
  }
  const converted = mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : 'auto'
  // For the vendor, an empty list means no list.
  return { mode: converted, parallel: true, allowed: allowed && allowed.length > 0 ? allowed : undefined }
}
