import { Refused } from '../jobs/kit/refused.ts'
import type { OutputFormat, TextRequest, Thinking, Tool, ToolChoice } from '../../text/spec.ts'
import { tokensOfEffort } from '../text/openai/shared-form.ts'
import { show } from '../text/fields.ts'
import type { ReadRequest } from '../text/operation.ts'
import type { ReceivedImages } from '../text/prepare.ts'
import { textsOf, readConversation, type ReadingOptions } from './conversation.ts'
import { withoutEffect, type MessageBody, type PromptBody } from './form.ts'

/** How a message is answered. */
export interface MessageForm {
  readonly isStream: boolean
  /** Whether thoughts are sent as their signature only. */
  readonly isThinkingOmitted: boolean
  /** What the request has that is accepted without an effect, as sentences. */
  readonly notes: readonly string[]
}

/**
 * Reads a request for a message into the form of the writer.
 *
 * @assumed §4.9 the fields of a request for messages are undocumented; fields and refusals are those of the vendor's own service and SDK.
 * @throws {Refused}
 */
export function readMessageRequest(
  body: MessageBody,
  images: ReceivedImages,
  how: ReadingOptions,
): ReadRequest<MessageForm> {
  const { max_tokens: limit, stop_sequences: stop = [], stream: isStream = false } = body
  const { request: prompt, isThinkingOmitted, unused } = readPrompt(body, images, how)
  if (body.thinking?.type === 'enabled') {
    if (limit <= body.thinking.budget_tokens) {
      throw new Refused('max_tokens: must be greater than `thinking.budget_tokens`')
    }
    checkForcedThinking(body, prompt)
  }
  const notes = [...toolNotes(unused), ...fieldNotes(body)]
  return {
    request: { maxTokens: limit, ...prompt, stop },
    form: { isStream, isThinkingOmitted, notes },
  }
}

/** Everything of a request but its limits. */
interface Prompt {
  readonly request: Omit<TextRequest, 'maxTokens'>
  readonly isThinkingOmitted: boolean
  /** Types of the vendor's own tools, which are accepted and never used. */
  readonly unused: readonly string[]
}

/** Reads what counts as input: all but limits, sampling and how the answer is sent. @throws {Refused} */
export function readPrompt(body: PromptBody, images: ReceivedImages, how: ReadingOptions): Prompt {
  const { system, turns } = readConversation(body.messages, images, how)
  const { tools, toolChoice, unused } = readTools(body)
  const thinking = readThinking(body)
  const instruction = [...textsOf(body.system ?? ''), ...system].join('\n')
  const request: TextRequest = {
    model: body.model,
    turns,
    output: readOutput(body),
    tools,
    toolChoice,
    stop: [],
    candidates: 1,
    thinking,
    ...(instruction !== '' && { system: instruction }),
  }
  const isThinkingOmitted = thinking.include && body.thinking?.display === 'omitted'
  return { request, isThinkingOmitted, unused }
}

/** A model that must think can be neither forced to use a tool nor sampled otherwise. */
function checkForcedThinking({ temperature = 1 }: MessageBody, { toolChoice }: TextRequest): void {
  if (toolChoice.mode === 'required') {
    throw new Refused('tool_choice: Thinking may not be enabled when tool_choice forces tool use.')
  }
  if (temperature !== 1) {
    throw new Refused('temperature: may only be set to 1 when thinking is enabled')
  }
}

/** The budget of a request, or what its effort stands for. */
function readThinking({ thinking, output_config: config }: PromptBody): Thinking {
  if (thinking?.type === 'enabled') return { budget: thinking.budget_tokens, include: true }
  if (thinking?.type !== 'adaptive') return { budget: 0, include: false }
  return { budget: config?.effort ? tokensOfEffort(config.effort) : 'auto', include: true }
}

/** The format of the answer, which had a field of its own in the beta. */
function readOutput({ output_config: config, output_format: older }: PromptBody): OutputFormat {
  const format = config?.format ?? older
  if (!format) return { kind: 'text' }
  return { kind: 'schema', schema: { dialect: 'json-schema', schema: format.schema } }
}

function fieldNotes(body: MessageBody): string[] {
  const given = Object.keys(withoutEffect()).filter((name) => name in body)
  if (given.length === 0) return []
  return [`${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} accepted without effect.`]
}

function toolNotes(types: readonly string[]): string[] {
  if (types.length === 0) return []
  return [
    `Tools of type ${types.join(', ')} are accepted and never used: only those with an input_schema are.`,
  ]
}

interface ToolFields {
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice
  /** Types of the vendor's own tools, which are accepted and never used. */
  readonly unused: readonly string[]
}

/**
 * Reads tools and the choice among them.
 *
 * @assumed §4.9 tools of messages are undocumented; tools and refusals are those of the vendor's own service.
 * @throws {Refused} for repeated names, and for choices of undeclared tools.
 */
function readTools({ tools: given = [], tool_choice: choice }: PromptBody): ToolFields {
  const names = given.map(({ name }) => name)
  const twice = names.findIndex((name, index) => name !== undefined && names.indexOf(name) !== index)
  if (twice >= 0)
    throw new Refused(`tools.${twice}.name: Tool names must be unique, not ${show(names[twice])} again`)
  const unused = new Set<string>()
  const tools: Tool[] = []
  for (const tool of given) {
    if ('input_schema' in tool) {
      const { name, description, input_schema: schema } = tool
      tools.push({ name, description, parameters: { dialect: 'json-schema', schema } })
    } else unused.add(tool.type)
  }
  return { tools, toolChoice: readChoice(choice, tools, names), unused: [...unused] }
}

function readChoice(
  choice: PromptBody['tool_choice'],
  tools: readonly Tool[],
  names: readonly (string | undefined)[],
): ToolChoice {
  if (!choice) return { mode: tools.length === 0 ? 'none' : 'auto', parallel: true }
  const { type, name, disable_parallel_tool_use: isSingle = false } = choice
  const parallel = !isSingle
  if (type === 'auto' || type === 'none') return { mode: type, parallel }
  if (names.length === 0) throw new Refused('tool_choice: may only be specified while providing tools')
  if (type === 'any') return { mode: tools.length === 0 ? 'none' : 'required', parallel }
  if (!name) throw new Refused('tool_choice.name: Field required')
  if (!names.includes(name)) {
    throw new Refused(`tool_choice.name: Tool ${show(name)} not found in provided tools`)
  }
  const isUsed = tools.some((tool) => tool.name === name)
  return isUsed ? { mode: 'required', allowed: [name], parallel } : { mode: 'none', parallel }
}
