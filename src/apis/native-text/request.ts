import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { OutputFormat, TextRequest, Thinking } from '../../text/spec.ts'
import { Fields } from '../text/fields.ts'
import type { ReceivedImages } from '../text/images.ts'
import { RequestRefused } from '../text/refused.ts'
import { readContents, readTexts } from './contents.ts'
import { readTools } from './tools.ts'

const maxTokens = 2 ** 30 - 1
const maxSeed = 2 ** 31
export const maxCandidates = 8

const responseTypes = ['text/plain', 'application/json', 'text/x.enum'] as const

/** Roughly how long it thinks at each level. */
const levels = { MINIMAL: 32, LOW: 128, MEDIUM: 512, HIGH: 2048 } as const

const levelNames = Object.keys(levels) as (keyof typeof levels)[]

/**
 * Reads a native request (§2.6, §4.7) into neutral words.
 *
 * @assumed §4.7 all fields but contents are not shown; wire §8.2.
 * @param model without the `models/` that some clients write before it.
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
  const logprobs = config?.boolean('responseLogprobs')
    ? (config.wholeNumber('logprobs', 0, 20) ?? 0)
    : undefined
  const system = instruction && readTexts(instruction)
  const output: OutputFormat = config ? readOutput(config) : { kind: 'text' }
  const { tools, toolChoice } = readTools(fields)
  const stop = config?.texts('stopSequences', 5) ?? []
  const candidates = config?.wholeNumber('candidateCount', 1, maxCandidates) ?? 1
  const thinking = readThinking(config?.within('thinkingConfig'))
  const request: TextRequest = { model, turns, output, tools, toolChoice, stop, candidates, thinking }
  if (system !== undefined) request.system = system
  if (maxTokens !== undefined) request.maxTokens = maxTokens
  if (logprobs !== undefined) request.logprobs = logprobs
  const seed = config?.number('seed', -maxSeed, maxSeed)
  if (seed !== undefined) request.seed = seed
  return request
}

/** Checked, though nothing follows from them here: dice have one temperature. */
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
  const native = config.get('responseSchema')
  const json = config.get('responseJsonSchema')
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

/** Without a configuration it doesn't think; with one that names no budget, as long as it likes. */
function readThinking(config: Fields | undefined): Thinking {
  if (!config) return { budget: 0, include: false }
  const include = config.boolean('includeThoughts') ?? false
  const level = config.oneOf('thinkingLevel', levelNames)
  const budget = config.wholeNumber('thinkingBudget', -1, maxTokens)
  if (budget !== undefined) return { budget: budget === -1 ? 'auto' : budget, include }
  return { budget: level === undefined ? 'auto' : levels[level], include }
}
