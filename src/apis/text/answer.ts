import type { JsonValue } from '../../gateway/bodies/json.ts'
import { identityOf } from '../../gateway/identity.ts'
import { relayError, upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import type { Draws } from '../../engine/random/draws.ts'
import { drawFor, type Draw } from '../../scenario/faults/fault.ts'
import type { StreamShape } from '../../scenario/vocabulary/types.ts'
import {
  textDirectives,
  textDirectiveUsage,
  faultDirectives,
  faultUsage,
  readPromptFault,
  type PromptFault,
} from '../../text/directives.ts'
import type { BlockReason, TextAnswer, TextChance, TextRequest } from '../../text/spec.ts'
import type { Guard, UpstreamWords } from './fields.ts'
import type { PreparedText } from './prepare.ts'
import type { TextApiSettings } from './settings.ts'

/** A checked text request. */
export interface TextInput {
  readonly request: TextRequest
  readonly promptFault: PromptFault | undefined
}

/** A billed answer, with the data for its stream. */
export interface BilledAnswer {
  readonly answer: TextAnswer
  readonly promptFault: PromptFault | undefined
  /** The draws of its pace, which differ between attempts. */
  readonly chance: TextChance
  /** The effects of rules on the stream, their ids and their draws. */
  readonly shape: { readonly stream: StreamShape; readonly rule: string; readonly draw: Draw } | undefined
}

interface AnswerOptions {
  readonly words: (status: number) => UpstreamWords
  readonly blocked: ((reason: BlockReason) => GatewayError) | undefined
  readonly guard: Guard
}

/** An image of an answer, which its API paints. */
export interface AnswerImage {
  readonly tokens: number
  /** Whether the answer has no text. */
  readonly isAlone: boolean
}

/** The directives that prompts of texts may contain. */
export function directivesOf({
  promptDirectives,
}: TextApiSettings): Pick<Route, 'directives' | 'directiveUsage'> {
  if (!promptDirectives) return {}
  const isFault = (word: string): boolean => faultDirectives.some((each) => each === word)
  return {
    directives: [...textDirectives, ...faultDirectives],
    directiveUsage: (word, rest) => (isFault(word) ? faultUsage(word, rest) : textDirectiveUsage(word, rest)),
  }
}

/** Removes the directives from the prompt, if they take effect. */
export function toInput(request: TextRequest, { promptDirectives }: TextApiSettings): TextInput {
  if (!promptDirectives) return { request, promptFault: undefined }
  const { request: plain, fault } = readPromptFault(request)
  return { request: plain, promptFault: fault }
}

/**
 * Answers a request and charges its key. Each attempt gets the same answer.
 *
 * @param isStream whether the answer is streamed, so that it can still fail after it has begun.
 * @param image comes with the text, or in its place.
 * @throws {GatewayError} for a key that can't pay, and if the prompt triggers an error before the answer.
 */
export function answerText(
  { request, promptFault }: TextInput,
  x: Exchange,
  isStream: boolean,
  { words, blocked, guard }: AnswerOptions,
  image: AnswerImage | undefined,
): BilledAnswer {
  const { draws, decision } = x
  if (promptFault?.kind === 'error' && (promptFault.afterTokens === 0 || !isStream)) {
    throw upstreamError(promptFault.status, promptFault.message, words(promptFault.status))
  }
  const { writer } = x.prepared as PreparedText
  const { stream } = decision
  const fixed = decision.answer ?? (stream?.text === undefined ? undefined : { text: stream.text })
  const spoken = guard(() => writer.answer(request, new RequestChance(request, draws, 0), fixed))
  for (const note of spoken.notes) addHint(x, note)
  if (spoken.blocked !== undefined && blocked) throw blocked(spoken.blocked)
  const hasImage = image !== undefined && spoken.blocked === undefined
  const written = hasImage && image.isAlone ? withoutText(spoken) : spoken
  const { prompt, answer, thoughts } = written.usage
  const tools = written.candidates.flatMap(({ calls }) => calls.map(({ name }) => name))
  if (request.tools.length > 0 && request.toolChoice.mode !== 'none') x.entry.canCallTools = true
  if (tools.length > 0) x.entry.toolCalls = tools
  const output = answer + thoughts + (hasImage ? image.tokens : 0)
  chargeTokens(x, request.model, { input: prompt.total, output }, hasImage ? 1 : 0)
  return {
    answer: stream?.finishReason === undefined ? written : finishAs(written, stream.finishReason),
    promptFault,
    chance: new RequestChance(request, draws, x.attempt),
    shape: stream && {
      stream,
      rule: decision.rules.join('+'),
      draw: drawFor(draws, decision.rules, x.identity, x.attempt),
    },
  }
}

/** Adds a sentence to what the hint header says. */
export function addHint(x: Exchange, hint: string): void {
  x.hint = x.hint === '' ? hint : `${x.hint} ${hint}`
}

function withoutText(answer: TextAnswer): TextAnswer {
  const { prompt } = answer.usage
  return {
    ...answer,
    candidates: answer.candidates.map((each) => ({ ...each, text: '', thoughts: '', calls: [] })),
    usage: { ...answer.usage, answer: 0, thoughts: 0, total: prompt.total },
  }
}

function finishAs(answer: TextAnswer, reason: string): TextAnswer {
  return {
    ...answer,
    candidates: answer.candidates.map((candidate) => ({ ...candidate, finishAs: reason })),
  }
}

/** The draws for one request. Its subject is hashed on first use, because an answer without randomness never needs it. */
class RequestChance implements TextChance {
  readonly draws: Draws
  readonly n: number
  readonly #request: TextRequest
  #subject: string | undefined

  constructor(request: TextRequest, draws: Draws, n: number) {
    this.#request = request
    this.draws = draws
    this.n = n
  }

  /** A hash of the conversation, its model and the client's seed. Equal subjects get equal answers from both APIs. */
  get subject(): string {
    const { model, system = '', turns, seed } = this.#request
    return (this.#subject ??= identityOf('text', {
      model,
      system,
      turns: turns as unknown as JsonValue,
      ...(seed !== undefined && { seed }),
    }))
  }
}

/**
 * Charges the key for tokens, or for images if these have a price of their own.
 * @throws {GatewayError} for a key that can't pay; then nothing is charged.
 */
export function chargeTokens(
  x: Exchange,
  model: string,
  tokens: { readonly input: number; readonly output: number },
  images = 0,
): void {
  const quota = x.billing.quotaFor(model, { tokens, images })
  const shortage = x.account.shortage(quota, x.now)
  if (shortage) throw relayError(403, shortage.code, shortage.message)
  x.charge({ quota, tokens })
}
