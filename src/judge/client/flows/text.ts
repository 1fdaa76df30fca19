import { eventsOf, parseEvent } from '../events.ts'
import { Failed, TransportError } from '../errors.ts'
import { checkFinish, type FinishedText } from './finished-text.ts'
import type { FlowStart } from './flow.ts'

/** §2.7, whole or as a chunk of a stream. */
interface NativeAnswer {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string; readonly thought?: boolean }[] }
    readonly finishReason?: string
  }[]
  readonly promptFeedback?: { readonly blockReason?: string }
  readonly error?: { readonly message?: string }
}

/** Any other reason, such as `MAX_TOKENS` or `SAFETY`, leaves the text incomplete. */
const completeReasons = ['STOP']

/** A text at once (§4.7). */
export const startText: FlowStart = async (caller, prompt, made) => {
  const { model } = caller.settings
  const body = { contents: [{ role: 'user', parts: [{ text: prompt }] }] }
  return async () => {
    const finished = await caller.trying(async () => {
      const answer = await caller.json(`/v1beta/models/${model}:generateContent`, { method: 'POST', body })
      return readText([answer as NativeAnswer])
    })
    made.text = finished.text
    checkFinish(finished, completeReasons)
  }
}

/** A text as it is written (§4.8). A stream that ends before it says why is asked for again. */
export const startTextStream: FlowStart = async (caller, prompt, made) => {
  const { model } = caller.settings
  const body = { contents: [{ role: 'user', parts: [{ text: prompt }] }] }
  const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`
  return async () => {
    const finished = await caller.trying(() =>
      caller.open(path, { method: 'POST', body }, async (response, patient) => {
        const chunks: NativeAnswer[] = []
        for await (const data of eventsOf(response, patient)) chunks.push(parseEvent(data))
        return readText(chunks)
      }),
    )
    made.text = finished.text
    checkFinish(finished, completeReasons)
  }
}

/** @throws {TransportError} for an answer that says an error, or doesn't say why it ends; {Failed} for one that was refused. */
function readText(chunks: readonly NativeAnswer[]): FinishedText {
  for (const { error, promptFeedback } of chunks) {
    if (error) throw new TransportError(`the answer broke off: ${error.message}`)
    if (promptFeedback?.blockReason !== undefined) {
      throw new Failed(`the prompt was blocked: ${promptFeedback.blockReason}`)
    }
  }
  const candidates = chunks.flatMap(({ candidates: some = [] }) => some)
  const reason = candidates.find(({ finishReason }) => finishReason)?.finishReason
  if (!reason) throw new TransportError('the answer ended without saying why')
  const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
  return { text: parts.map(({ text = '', thought }) => (thought ? '' : text)).join(''), reason }
}
