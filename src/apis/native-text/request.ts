import { Refused } from '../jobs/kit/refused.ts'
import type { OutputFormat, TextRequest, Thinking, Tool, ToolChoice } from '../../text/spec.ts'
import { show } from '../text/fields.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { readContents, readTexts } from './contents.ts'
import { maxFunctions, type DeclaredFunction, type GenerateBody, type GenerationConfig } from './form.ts'

/** The number of thought tokens for each level. */
const levels = { MINIMAL: 32, LOW: 128, MEDIUM: 512, HIGH: 2048 } as const

/**
 * Reads a native request (§2.6, §4.7) into the form of the writer.
 *
 * @assumed §4.7 all fields but contents are undocumented; wire §8.2.
 * @param model the model, without the `models/` prefix of some clients.
 * @throws {Refused}
 */
export function readNativeRequest(
  body: GenerateBody,
  model: string,
  images: ReceivedImages,
  messageLimit: number,
): TextRequest {
  const { systemInstruction: instruction, generationConfig: config = {} } = body
  const { tools, toolChoice } = readTools(body)
  return {
    model,
    turns: readContents(body.contents, images, messageLimit),
    output: outputFor(config),
    tools,
    toolChoice,
    stop: config.stopSequences ?? [],
    candidates: config.candidateCount ?? 1,
    thinking: thinkingFor(config.thinkingConfig),
    system: instruction && readTexts(instruction, 'systemInstruction'),
    maxTokens: config.maxOutputTokens,
    logprobs: config.responseLogprobs ? (config.logprobs ?? 0) : undefined,
    seed: config.seed,
  }
}

function outputFor(config: GenerationConfig): OutputFormat {
  const { responseMimeType: type = 'text/plain', responseSchema: native, responseJsonSchema: json } = config
  if (native !== undefined && json !== undefined) {
    throw new Refused('only one of responseSchema and responseJsonSchema may be set')
  }
  const given = native ?? json
  if (given === undefined) return { kind: type === 'application/json' ? 'json' : 'text' }
  if (type === 'text/plain') {
    throw new Refused('a response schema needs responseMimeType "application/json" or "text/x.enum"')
  }
  const schema = { dialect: native === undefined ? 'json-schema' : 'native', schema: given } as const
  return type === 'text/x.enum' ? { kind: 'enum', schema } : { kind: 'schema', schema }
}

/** The budget of thoughts: 0 without a configuration, unlimited if the configuration sets none. */
function thinkingFor(config: GenerationConfig['thinkingConfig']): Thinking {
  if (!config) return { budget: 0, include: false }
  const { includeThoughts: include = false, thinkingLevel: level, thinkingBudget: budget } = config
  if (budget !== undefined) return { budget: budget === -1 ? 'auto' : budget, include }
  return { budget: level === undefined ? 'auto' : levels[level], include }
}

/**
 * The declared functions, and the function choice.
 *
 * @assumed §4.7 tools are undocumented; wire §8.2. The vendor's own tools, such as search, are accepted but not used.
 * @throws {Refused} for repeated names, and for allowed names of undeclared functions.
 */
function readTools({ tools: given = [], toolConfig }: GenerateBody): {
  tools: readonly Tool[]
  toolChoice: ToolChoice
} {
  const declared: DeclaredFunction[] = []
  for (const { functionDeclarations = [] } of given) {
    declared.push(...functionDeclarations)
    if (declared.length > maxFunctions) {
      throw new Refused(
        `tools declare ${declared.length} functions or more, at most ${maxFunctions} are taken`,
      )
    }
  }
  const names = new Set<string>()
  const twice = declared.find(({ name }) => names.size === names.add(name).size)?.name
  if (twice !== undefined) throw new Refused(`Duplicate function declaration found: ${twice}`)
  const tools = declared.map(toTool)
  return { tools, toolChoice: choiceFor(toolConfig?.functionCallingConfig, tools) }
}

function toTool({
  name,
  description,
  parameters: native,
  parametersJsonSchema: json,
}: DeclaredFunction): Tool {
  const dialect = native === undefined ? 'json-schema' : 'native'
  const schema = native ?? json
  return { name, description, parameters: schema === undefined ? undefined : { dialect, schema } }
}

type CallingConfig = NonNullable<GenerateBody['toolConfig']>['functionCallingConfig']

function choiceFor(config: CallingConfig, tools: readonly Tool[]): ToolChoice {
  const { mode = 'AUTO', allowedFunctionNames: allowed } = config ?? {}
  const unknown = allowed?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new Refused(`allowedFunctionNames has ${show(unknown)}, which no function declaration names`)
  }
  if (mode === 'ANY' && tools.length === 0) {
    throw new Refused('functionCallingConfig.mode is ANY, and tools declare no function')
  }
  const converted = mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : 'auto'
  // For the vendor, an empty list means no list.
  return { mode: converted, parallel: true, allowed: allowed && allowed.length > 0 ? allowed : undefined }
}
