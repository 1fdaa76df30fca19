import { accountOf } from '../../gateway/billing.ts'
import { relayError, upstreamError } from '../../gateway/errors.ts'
import type { Context } from '../../gateway/route.ts'
import type { TextAnswer, TextChance, TextRequest, Writer } from '../../text/spec.ts'
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

/**
 * Has a request answered and charges its key for it.
 *
 * @param words the dialect's words for what the service behind the gateway refuses, by its status.
 * @throws {GatewayError} for a key that can't pay, and where the prompt asks for an error before anything else.
 */
export function speak(
  original: TextRequest,
  context: Context,
  writer: Writer,
  { magicPrompts }: Pick<TextSurfaceSettings, 'magicPrompts'>,
  words: (status: number) => RefusedWords,
): Spoken {
  const { draws, attempt, now, billing } = context
  const { request, trouble } = magicPrompts
    ? readTrouble(original)
    : { request: original, trouble: undefined }
  if (trouble?.kind === 'error' && trouble.afterTokens === 0) {
    throw upstreamError(trouble.status, trouble.message, words(trouble.status))
  }
  const chance = { draws, subject: context.request.identity, n: attempt }
  const asked = askedShape(context)
  const { text, finishReason } = asked?.shape ?? {}
  const answer = endingAs(
    writer.answer(request, chance, text === undefined ? undefined : { text }),
    finishReason,
  )
  const { prompt, answer: said, thoughts } = answer.usage
  const tokens = { input: prompt.total, output: said + thoughts }
  const quota = billing.quotaFor(request.model, { tokens })
  const account = accountOf(context)
  const shortage = account.shortage(quota, now)
  if (shortage) throw relayError(403, shortage.code, shortage.message)
  account.charge({ quota, tokens }, now)
  return { answer, chance, trouble, asked }
}
