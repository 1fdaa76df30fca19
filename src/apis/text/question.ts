import { identityOf } from '../../gateway/identity.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Draws } from '../../engine/random/draws.ts'
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
  /** The answer, if it is short enough to store, and what its dialect wrote of it. */
  #settled: TextAnswer | undefined
  #written: unknown

  /** @param promptDirectives whether directives such as `[[error 503]]` in its prompt are obeyed. */
  constructor(asked: TextRequest, promptDirectives: boolean) {
    const { request, trouble } = promptDirectives
      ? readTrouble(asked)
      : { request: asked, trouble: undefined }
    this.request = request
    this.trouble = trouble
  }

  /** The conversation, its model and the client's seed: equal subjects get equal answers, in either dialect. */
  get subject(): string {
    const { model, system = '', turns, seed } = this.request
    this.#subject ??= identityOf('text', {
      model,
      system,
      turns: turns as unknown as JsonValue,
      ...(seed !== undefined && { seed }),
    })
    return this.#subject
  }

  /** The answer: the same at each attempt, so that a retry looks like a retry. */
  answer(writer: Writer, draws: Draws, fixed: FixedAnswer | undefined, work: WorkBudget): TextAnswer {
    const chance = new QuestionChance(this, draws, 0)
    if (fixed) return writer.answer(this.request, chance, fixed, work)
    if (this.#settled) return this.#settled
    const answer = writer.answer(this.request, chance, undefined, work)
    if (answer.usage.total <= maxSettledTokens) this.#settled = answer
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
const maxSettledTokens = 4_000

/** Draws for one question. Its subject is hashed on first use: answers without randomness never need it. */
export class QuestionChance implements TextChance {
  readonly draws: Draws
  readonly n: number
  readonly #question: Question

  constructor(question: Question, draws: Draws, n: number) {
    this.#question = question
    this.draws = draws
    this.n = n
  }

  get subject(): string {
    return this.#question.subject
  }
}
