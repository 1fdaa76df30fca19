import type { DurationSpec } from '../engine/random/distribution.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { WorkBudget } from '../engine/work-budget.ts'

/**
 * A text request, independent of its dialect (§2.6, §4.7, §4.9). APIs translate into it.
 */
export interface TextRequest {
  model: string
  /** System and developer texts, joined by line breaks. */
  system?: string | undefined
  /** The conversation, oldest first: at least one turn. */
  turns: readonly Turn[]
  output: OutputFormat
  tools: readonly Tool[]
  toolChoice: ToolChoice
  /** The maximum tokens of thoughts and answer of one candidate together. No limit when absent. */
  maxTokens?: number | undefined
  /** Stop sequences: the answer ends before the first occurrence of one. */
  stop: readonly string[]
  /** The number of different answers, from 1 to 128. */
  candidates: number
  thinking: Thinking
  /** The number of alternatives to list for each token, from 0 to 20. Absent: no log probabilities. */
  logprobs?: number | undefined
  /** The client's own seed: another seed gives another answer to the same conversation. */
  seed?: number | undefined
}

export interface Turn {
  role: 'user' | 'assistant' | 'tool'
  parts: readonly TurnPart[]
}

export type TurnPart =
  | { type: 'text'; text: string }
  /** Width and height in pixels if they are known; without them it counts as one tile. */
  | { type: 'image'; mimeType: string; digest?: string; width?: number; height?: number }
  | { type: 'call'; name: string; args: Readonly<Record<string, unknown>>; id?: string }
  /** The result of a tool. Chat names the call by its id only: the API looks its name up. */
  | { type: 'result'; name: string; value: unknown; id?: string }
  /** A file, a sound, code: counted as one tile and mentioned by its media type. */
  | { type: 'other'; mimeType: string }

export type OutputFormat =
  | { kind: 'text' }
  /** Any JSON object. */
  | { kind: 'json' }
  /** JSON that is valid for the schema; `isFenced` puts it into a code block. */
  | { kind: 'schema'; schema: DeclaredSchema; isFenced?: boolean }
  /** One bare value of the schema's `enum`, without quotes. */
  | { kind: 'enum'; schema: DeclaredSchema }

/** A schema as a client wrote it: `native` has upper-case types and counts as texts, the other is JSON Schema. */
export interface DeclaredSchema {
  dialect: 'native' | 'json-schema'
  schema: unknown
  /** Refuses keywords that structured outputs refuse, instead of ignoring them. */
  strict?: StrictSchema | undefined
}

/** The name of a strict schema in a refusal. */
export interface StrictSchema {
  /** Such as `function 'get_weather'`. */
  title: string
  /** The field of the request. */
  param: string
  code: string | null
}

export interface Tool {
  name: string
  description?: string | undefined
  /** Without one, the tool takes no arguments. */
  parameters?: DeclaredSchema | undefined
}

export interface ToolChoice {
  /** `auto`: when the prompt fits a tool. `required`: always (ANY). */
  mode: 'auto' | 'required' | 'none'
  /** The names that may be called; all of them when absent. */
  allowed?: readonly string[] | undefined
  /** Whether one answer may call several tools. */
  parallel: boolean
}

export interface Thinking {
  /** The maximum tokens of thoughts; 0 is off, `auto` lets the writer choose. */
  budget: number | 'auto'
  /** Whether the thoughts are part of the answer. They are counted either way. */
  include: boolean
}

/**
 * Why a prompt was refused or an answer broken off, in lower case; APIs spell it their way.
 *
 * @example
 * const block: BlockReason = 'safety'
 * await using sim = createSimulator({ text: { answers: [{ prompt: '*explosives*', block }] } })
 */
export type BlockReason = 'safety' | 'other' | 'blocklist' | 'prohibited_content'
export type StopReason = BlockReason | 'recitation' | 'language' | 'spii'

/**
 * How an answer ends.
 *
 * @example
 * const finish: Finish = 'length'
 * await using sim = createSimulator({ text: { answers: [{ text: 'Kites fly because', finish }] } })
 */
export type Finish = 'stop' | 'length' | 'tool_calls' | StopReason

export interface TextAnswer {
  /** Why the prompt as a whole was refused. There are no candidates then. */
  blocked?: BlockReason
  candidates: readonly TextCandidate[]
  usage: TextUsage
  /** Sentences about the parts of the request's schemas that are ignored. */
  notes: readonly string[]
}

export interface TextCandidate {
  /** Its thoughts, only when the request includes them. */
  thoughts?: string | undefined
  /** The plain answer; empty when it calls tools or was cut while thinking. */
  text: string
  calls: readonly TextCall[]
  finish: Finish
  /** The reason that a rule gives for the end, literally; APIs translate those that they know. */
  finishAs?: string
  thoughtTokens: number
  /** Tokens of the text, or of the calls. */
  answerTokens: number
  /** One for each token of the text, if the request has `logprobs`. */
  logprobs?: readonly TokenLogprob[] | undefined
}

export interface TextCall {
  name: string
  /** Valid for the tool's declared parameters. */
  args: Readonly<Record<string, unknown>>
  /** 32 hexadecimal digits: APIs cut or prefix them. */
  id: string
}

export interface TokenLogprob {
  token: string
  /** Natural logarithm of its probability: at most 0. */
  logprob: number
  /** The likeliest tokens in its place, the likeliest first; the token itself is among them. */
  top: readonly { token: string; logprob: number }[]
}

/** The media of a prompt other than text. */
export type Medium = 'image' | 'video' | 'audio' | 'document'

export interface PromptTokens {
  text: number
  /** The tokens of each medium in the prompt. */
  media: Readonly<Partial<Record<Medium, number>>>
  total: number
}

export interface TextUsage {
  prompt: PromptTokens
  /** All candidates together, without thoughts. */
  answer: number
  thoughts: number
  total: number
}

/** How the answers are chosen, for all requests of a simulator. */
export interface TextSettings {
  /** `prose` (default): sentences about the prompt. `echo`: the last user text itself. */
  mode?: 'prose' | 'echo'
  /** Fixed answers; the first that fits a request is taken, before anything else. */
  answers?: readonly FixedAnswer[]
  /** Whether directives such as `[[say: …]]` in a prompt are obeyed. Default true. */
  promptDirectives?: boolean
  /** How fast answers are written; at once by default. */
  timing?: TextTiming
}

/**
 * An answer that is given word for word, whatever format the request asks for.
 *
 * @example
 * const fixed: FixedAnswer = { prompt: '*capital of Norway*', text: 'Oslo.', thoughts: 'In the north.' }
 * await using sim = createSimulator({ text: { answers: [fixed] } })
 */
export interface FixedAnswer {
  /** The models it is for; `*` matches any run of characters. */
  model?: string
  /** Matches the last user text, ignoring case; `*` matches any run of characters. */
  prompt?: string
  text?: string
  /** A value that is answered as JSON text. */
  json?: unknown
  calls?: readonly { name: string; args: Readonly<Record<string, unknown>> }[]
  thoughts?: string
  /** Refuses the prompt. */
  block?: BlockReason
  /** How the answer ends; `stop` by default. */
  finish?: Finish
}

/**
 * How fast a text is written.
 *
 * @example
 * const timing: TextTiming = { firstToken: '300ms', tokensPerSecond: 40, tokensPerChunk: 2 }
 * await using sim = createSimulator({ text: { timing } })
 */
export interface TextTiming {
  /** How long until the first token. */
  firstToken?: DurationSpec
  /** How many tokens follow in a second; all at once when absent. */
  tokensPerSecond?: number
  /** A pause before each further chunk, on top of the speed. */
  jitter?: DurationSpec
  /** How many tokens come together; 1 by default. */
  tokensPerChunk?: number
}

/** A pace with another unit of chunks than tokens. */
export interface ChunkedPace extends TextTiming {
  chunk?: ChunkUnit
}

export type ChunkUnit = 'token' | 'word' | 'character'

export interface TextChunk {
  text: string
  /** Counted from admission. */
  atMs: number
}

/** The key of an answer's random draws: the identity of the request, and the number of earlier identical ones. */
export interface TextChance {
  readonly draws: Draws
  /** May be computed on first access. */
  readonly subject: string
  readonly n: number
}

/** Writes answers. Same settings, request and chance: the same answer. */
export interface Writer {
  /**
   * Refuses invalid or contradictory schemas, of the output format and of every tool. Cheap enough for
   * a validation step; {@link Writer.answer} calls it too.
   * @param work the work budget; by default that of one request.
   * @throws {SchemaRefused} with the pointer, and the name of the tool if the schema belongs to one.
   * @throws {WorkRefused} when the budget runs out.
   */
  check(request: TextRequest, work?: WorkBudget): void
  /**
   * Synchronous, bounded in time and without effects.
   * @param fixed an answer word for word, in place of those of the settings.
   * @param work the work budget; by default that of one request.
   * @throws {SchemaRefused} for a schema that {@link Writer.check} refuses, or for which no value was found.
   * @throws {WorkRefused} when the budget runs out.
   */
  answer(request: TextRequest, chance: TextChance, fixed?: FixedAnswer, work?: WorkBudget): TextAnswer
}

/** An invalid or unsatisfiable schema, or one that strict mode refuses. The message is for the client. */
export class SchemaRefused extends Error {
  override name = 'SchemaRefused'
  /** JSON pointer into the schema, such as `/properties/age/minimum`; empty for the schema itself. */
  readonly pointer: string
  /** The strict schema that is refused by the rules of structured outputs. */
  readonly strict: StrictSchema | undefined

  constructor(message: string, pointer: string, strict?: StrictSchema) {
    super(message)
    this.pointer = pointer
    this.strict = strict
  }
}
