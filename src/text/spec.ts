import type { DurationSpec } from '../engine/random/distribution.ts'
import type { Draws } from '../engine/random/draws.ts'

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
  /** The maximum number of tokens in the thoughts and the answer of one candidate together. Missing: no limit. */
  maxTokens?: number | undefined
  /** Stop sequences: the answer ends before the first occurrence of one. */
  stop: readonly string[]
  /** The number of different answers, from 1 to 128. */
  candidates: number
  thinking: Thinking
  /** The number of alternatives to list for each token, from 0 to 20. Missing: no log probabilities. */
  logprobs?: number | undefined
  /** The client's own seed. Another seed gives another answer to the same conversation. */
  seed?: number | undefined
}

export interface Turn {
  role: 'user' | 'assistant' | 'tool'
  parts: readonly TurnPart[]
}

export type TurnPart =
  | { type: 'text'; text: string }
  /** Width and height are in pixels. If they are unknown, the image counts as one tile. */
  | { type: 'image'; mimeType: string; digest?: string; width?: number; height?: number }
  | { type: 'call'; name: string; args: Readonly<Record<string, unknown>>; id?: string }
  /** The result of a tool. Chat identifies the call only by its id, so the API looks up its name. */
  | { type: 'result'; name: string; value: unknown; id?: string }
  /** A file, a sound or code. It counts as one tile, and is mentioned by its media type. */
  | { type: 'other'; mimeType: string }

export type OutputFormat =
  | { kind: 'text' }
  /** Any JSON object. */
  | { kind: 'json' }
  /** JSON that is valid for the schema; `isFenced` puts it into a code block. */
  | { kind: 'schema'; schema: DeclaredSchema; isFenced?: boolean }
  /** One bare value of the schema's `enum`, without quotes. */
  | { kind: 'enum'; schema: DeclaredSchema }

/** A schema as the client wrote it. `native` has upper-case types and counts as texts; the other dialect is JSON Schema. */
export interface DeclaredSchema {
  dialect: 'native' | 'json-schema'
  schema: unknown
  /** Refuses keywords that structured outputs refuse, instead of ignoring them. */
  strict?: StrictSchema | undefined
}

/** The name of a strict schema in a refusal. */
export interface StrictSchema {
  /** Its name, such as `function 'get_weather'`. */
  title: string
  /** The field of the request that contains it. */
  param: string
  code: string | null
}

export interface Tool {
  name: string
  description?: string | undefined
  /** Missing: the tool takes no arguments. */
  parameters?: DeclaredSchema | undefined
}

export interface ToolChoice {
  /** `auto`: calls a tool if the prompt fits one. `required`: always calls one (ANY). */
  mode: 'auto' | 'required' | 'none'
  /** The names of tools that may be called; missing: all. */
  allowed?: readonly string[] | undefined
  /** Whether one answer may call several tools. */
  parallel: boolean
}

export interface Thinking {
  /** The maximum number of tokens in the thoughts. 0 turns them off; `auto` lets the writer choose. */
  budget: number | 'auto'
  /** Whether the answer includes the thoughts. They are counted in any case. */
  include: boolean
}

/**
 * Why a prompt was refused or an answer broken off, in lower case. Each API has its own spelling.
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
  /** Notes on the ignored parts of the request's schemas, as sentences. */
  notes: readonly string[]
}

export interface TextCandidate {
  /** Its thoughts, if the request includes them. */
  thoughts?: string | undefined
  /** The plain answer; empty if it calls tools or was cut off while thinking. */
  text: string
  calls: readonly TextCall[]
  /** Whether the text is a refusal of the model, for which some APIs have a field. */
  isRefusal?: true
  finish: Finish
  /** The stop sequence that ended the text. */
  stopSequence?: string | undefined
  /** The exact reason for the end that a rule sets. APIs translate the reasons that they know. */
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
  /** The beginning of its arguments as JSON, if the limit of tokens ended them. */
  cut?: string
  /** 32 hexadecimal digits. APIs shorten or prefix them. */
  id: string
}

export interface TokenLogprob {
  token: string
  /** Natural logarithm of its probability: at most 0. */
  logprob: number
  /** The likeliest tokens for its place, in order, including the token itself. */
  top: readonly { token: string; logprob: number }[]
}

/** The media of a prompt, except text. */
export type Medium = 'image' | 'video' | 'audio' | 'document'

export interface PromptTokens {
  text: number
  /** The number of tokens of each medium in the prompt. */
  media: Readonly<Partial<Record<Medium, number>>>
  total: number
}

export interface TextUsage {
  prompt: PromptTokens
  /** The tokens of all candidates together, without thoughts. */
  answer: number
  thoughts: number
  total: number
}

/** How answers are chosen, for all requests of a simulator. */
export interface TextSettings {
  /**
   * `prose` (default): sentences about the prompt. `echo`: the last user text itself. `multibyte`: a sentence with letters of
   * several bytes, keyed by the conversation.
   */
  mode?: 'prose' | 'echo' | 'multibyte'
  /** Fixed answers. The first that fits a request is used, before anything else. */
  answers?: readonly FixedAnswer[]
  /** Whether directives in a prompt, such as `[[say: …]]`, take effect. Default true. */
  promptDirectives?: boolean
  /** The pace of answers; by default, they are written at once. */
  timing?: TextTiming
}

/**
 * An exact answer, whatever format the request has.
 *
 * @example
 * const fixed: FixedAnswer = { prompt: '*capital of Norway*', text: 'Oslo.', thoughts: 'In the north.' }
 * await using sim = createSimulator({ text: { answers: [fixed] } })
 */
export interface FixedAnswer {
  /** The models that it applies to; `*` matches any characters. */
  model?: string
  /** Matches the last user text, ignoring case; `*` matches any characters. */
  prompt?: string
  text?: string
  /** A value that is sent as JSON text. */
  json?: unknown
  /** `always`: every answer calls a tool of its request that suits the prompt, also after its result. */
  calls?: readonly FixedCall[] | 'always'
  thoughts?: string
  /** Refuses the prompt. */
  block?: BlockReason
  /** The text with which the model refuses. */
  refusal?: string
  /** Whether there is no candidate at all. */
  empty?: true
  /** How the answer ends; `stop` by default. */
  finish?: Finish
}

export interface FixedCall {
  name: string
  args: Readonly<Record<string, unknown>>
}

/**
 * The pace of a text.
 *
 * @example
 * const timing: TextTiming = { firstToken: '300ms', tokensPerSecond: 40 }
 * await using sim = createSimulator({ text: { timing } })
 */
export interface TextTiming {
  /** The time until the first token. */
  firstToken?: DurationSpec
  /** How many tokens follow in a second; missing: all at once. */
  tokensPerSecond?: number
}

/** The pace of a rule. */
export interface ChunkedPace extends TextTiming {
  /** The unit of its chunks, if not a token. */
  chunk?: ChunkUnit
  /** A pause before each further chunk, in addition to the pace. */
  gap?: DurationSpec
}

export type ChunkUnit = 'token' | 'word' | 'character'

export interface TextChunk {
  text: string
  /** The time since admission, in milliseconds. */
  atMs: number
}

/** The key of an answer's random draws: the identity of the request, and the number of earlier identical requests. */
export interface TextChance {
  readonly draws: Draws
  /** It may be computed on first access. */
  readonly subject: string
  readonly n: number
}

/** Writes answers. The same settings, request and draws give the same answer. */
export interface Writer {
  /**
   * Refuses invalid or contradictory schemas of the output format and of tools. It is cheap enough for a validation step.
   * {@link Writer.answer} calls it too.
   * @throws {SchemaRefused} with the pointer, and the name of the tool if the schema belongs to one.
   */
  check(request: TextRequest): void
  /**
   * Writes an answer. Synchronous, in bounded time, and without effects.
   * @param fixed an exact answer, in place of those in the settings.
   * @throws {SchemaRefused} for a schema that {@link Writer.check} refuses, or for which no value was found.
   */
  answer(request: TextRequest, chance: TextChance, fixed?: FixedAnswer): TextAnswer
}

/** Thrown for a request whose answer would be too large. The message is for the client. */
export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge'

  constructor(what: string, max: number) {
    super(`The answer would have more than ${max} ${what}. Request less of it.`)
  }
}

/** Thrown for an invalid or unsatisfiable schema, or one that strict mode refuses. The message is for the client. */
export class SchemaRefused extends Error {
  override name = 'SchemaRefused'
  /** JSON pointer into the schema, such as `/properties/age/minimum`; empty for the schema itself. */
  readonly pointer: string
  /** The strict schema that the rules of structured outputs refuse. */
  readonly strict: StrictSchema | undefined

  constructor(message: string, pointer: string, strict?: StrictSchema) {
    super(message)
    this.pointer = pointer
    this.strict = strict
  }
}
