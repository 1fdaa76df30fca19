import { identityOf } from '../../gateway/identity.ts'
import type { JsonValue } from '../../gateway/json.ts'
import type { Draws } from '../../engine/draws.ts'
import type { WorkBudget } from '../../engine/work-budget.ts'
import type { FixedAnswer, TextAnswer, TextChance, TextRequest, Writer } from '../../text/spec.ts'
import { readTrouble, type Trouble } from './trouble.ts'

/**
 * A request for a text, with all that follows from it alone. It is kept for whoever asks the same again, and what it
 * once had worked out isn't worked out again.
 */
export class Question {
  readonly request: TextRequest
  /** What its prompt wants to go wrong. */
  readonly trouble: Trouble | undefined
  #subject: string | undefined
  /** The answer, where it is the same each time, and what its dialect wrote of it. */
  #settled: TextAnswer | undefined
  #written: unknown

  /** @param magicPrompts whether directives such as `[[error 503]]` in its prompt are obeyed. */
  constructor(asked: TextRequest, magicPrompts: boolean) {
    const { request, trouble } = magicPrompts ? readTrouble(asked) : { request: asked, trouble: undefined }
    this.request = request
    this.trouble = trouble
  }

  /** What is asked, of whom: the same in either dialect, streamed or not, gets the same answer. */
  get subject(): string {
    const { model, system = '', turns } = this.request
    this.#subject ??= identityOf('text', { model, system, turns: turns as unknown as JsonValue })
    return this.#subject
  }

  /** The answer. One for which no dice were cast is the same each time. */
  answer(
    writer: Writer,
    chance: QuestionChance,
    given: FixedAnswer | undefined,
    work: WorkBudget,
  ): TextAnswer {
    if (given) return writer.answer(this.request, chance, given, work)
    if (this.#settled) return this.#settled
    const answer = writer.answer(this.request, chance, undefined, work)
    if (!chance.isCast && answer.usage.total <= mostSettledTokens) this.#settled = answer
    return answer
  }

  /**
   * What a dialect writes of an answer: the same each time, where the answer is.
   * @param write depends on question and answer alone. A question is asked in one dialect, and in one way.
   */
  written<Written>(answer: TextAnswer, write: () => Written): Written {
    if (answer !== this.#settled) return write()
    this.#written ??= write()
    return this.#written as Written
  }
}

/** Longer answers are worked out each time. */
const mostSettledTokens = 4_000

/** The dice of an answer, which know whether they have been cast. */
export class QuestionChance implements TextChance {
  readonly draws: Draws
  readonly n: number
  readonly #question: Question
  isCast = false

  constructor(question: Question, draws: Draws, n: number) {
    this.#question = question
    this.draws = draws
    this.n = n
  }

  /** Whoever casts dice has to say for whom. */
  get subject(): string {
    this.isCast = true
    return this.#question.subject
  }
}
