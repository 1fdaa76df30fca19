import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import type { Context } from '../../gateway/route.ts'
import type { BlockReason, TextAnswer, TextChance, Writer } from '../../text/spec.ts'
import { payForTokens } from './pay.ts'
import { QuestionChance, type Question } from './question.ts'
import type { Reading, RefusedWords } from './refused.ts'
import { askedShape, endingAs, type AskedShape } from './shape.ts'

/** An answer that is paid for, with the draws of its pace, which differ from attempt to attempt. */
export interface BilledAnswer {
  readonly question: Question
  readonly answer: TextAnswer
  readonly chance: TextChance
  /** How a rule wants it to come. */
  readonly asked: AskedShape | undefined
}

/** How a dialect is to be answered. */
export interface DialectOptions {
  /** Whether the answer comes bit by bit, so that something can still go wrong once it is under way. */
  readonly streams: boolean
  /** The dialect's words for what the service behind the gateway refuses, by its status. */
  readonly words: (status: number) => RefusedWords
  /** The refusal of a prompt that is blocked, where that is no answer. */
  readonly blocked?: (reason: BlockReason) => GatewayError
  /** Puts what is refused while the answer is written into the dialect's envelope. */
  readonly reading: Reading
}

/**
 * Has a request answered and charges its key for it.
 *
 * @throws {GatewayError} for a key that can't pay, and where the prompt asks for an error before anything else.
 */
export function generateAnswer(
  question: Question,
  context: Context,
  writer: Writer,
  { streams, words, blocked, reading }: DialectOptions,
): BilledAnswer {
  const { draws, attempt } = context
  const { request, trouble } = question
  if (trouble?.kind === 'error' && (trouble.afterTokens === 0 || !streams)) {
    throw upstreamError(trouble.status, trouble.message, words(trouble.status))
  }
  const chance = new QuestionChance(question, draws, attempt)
  const asked = askedShape(context)
  const { text, finishReason } = asked?.shape ?? {}
  const answer = endingAs(
    reading(() =>
      question.answer(writer, draws, text === undefined ? undefined : { text }, context.request.work),
    ),
    finishReason,
  )
  if (answer.blocked !== undefined && blocked) throw blocked(answer.blocked)
  const { prompt, answer: said, thoughts } = answer.usage
  payForTokens(context, request.model, { input: prompt.total, output: said + thoughts })
  return { question, answer, chance, asked }
}
