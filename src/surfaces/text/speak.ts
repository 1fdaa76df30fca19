import { upstreamError, type GatewayError } from '../../gateway/errors.ts'
import { identityOf } from '../../gateway/identity.ts'
import type { JsonValue } from '../../gateway/json.ts'
import type { Context } from '../../gateway/route.ts'
import type { BlockReason, TextAnswer, TextChance, TextRequest, Writer } from '../../text/spec.ts'
import { once } from '../../text/once.ts'
import { payForTokens } from './pay.ts'
import type { RefusedWords } from './refused.ts'
import type { TextSurfaceSettings } from './settings.ts'
import { askedShape, endingAs, type AskedShape } from './shape.ts'
import { readTrouble, type Trouble } from './trouble.ts'

/** An answer that is paid for, with the dice that its pace is drawn from. */
export interface Spoken {
  readonly answer: TextAnswer
  readonly chance: TextChance
  /** What goes wrong once it is under way. */
  readonly trouble: Trouble | undefined
  /** How a rule wants it to come. */
  readonly asked: AskedShape | undefined
}

/** How a dialect is to be answered. */
export interface Manner {
  /** Whether the answer comes bit by bit, so that something can still go wrong once it is under way. */
  readonly streams: boolean
  /** The dialect's words for what the service behind the gateway refuses, by its status. */
  readonly words: (status: number) => RefusedWords
  /** The refusal of a prompt that is blocked, where that is no answer. */
  readonly blocked?: (reason: BlockReason) => GatewayError
}

/**
 * Has a request answered and charges its key for it.
 *
 * @throws {GatewayError} for a key that can't pay, and where the prompt asks for an error before anything else.
 */
export function speak(
  original: TextRequest,
  context: Context,
  writer: Writer,
  { magicPrompts }: Pick<TextSurfaceSettings, 'magicPrompts'>,
  { streams, words, blocked }: Manner,
): Spoken {
  const { draws, attempt } = context
  const { request, trouble } = magicPrompts
    ? readTrouble(original)
    : { request: original, trouble: undefined }
  if (trouble?.kind === 'error' && (trouble.afterTokens === 0 || !streams)) {
    throw upstreamError(trouble.status, trouble.message, words(trouble.status))
  }
  const subject = once(() => subjectOf(request))
  const chance: TextChance = {
    draws,
    get subject() {
      return subject()
    },
    n: attempt,
  }
  const asked = askedShape(context)
  const { text, finishReason } = asked?.shape ?? {}
  const answer = endingAs(
    writer.answer(request, chance, text === undefined ? undefined : { text }),
    finishReason,
  )
  if (answer.blocked !== undefined && blocked) throw blocked(answer.blocked)
  const { prompt, answer: said, thoughts } = answer.usage
  payForTokens(context, request.model, { input: prompt.total, output: said + thoughts })
  return { answer, chance, trouble, asked }
}

/** What is asked, of whom: the same in either dialect, streamed or not, gets the same answer. */
function subjectOf({ model, system = '', turns }: TextRequest): string {
  return identityOf('text', { model, system, turns: turns as unknown as JsonValue })
}
