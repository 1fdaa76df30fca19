import { eventsOf, parseEvent } from '../events.ts'
import { TransportError } from '../errors.ts'
import { checkFinish, type FinishedText } from './finished-text.ts'
import type { FlowStart } from './flow.ts'

interface ChatAnswer {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly error?: { readonly message?: string }
}

const path = '/v1/chat/completions'

/** Any other reason, such as `length` or `content_filter`, leaves the text incomplete. */
const completeReasons = ['stop', 'tool_calls']

/** A chat answer at once (§4.9). */
export const startChat: FlowStart = async (caller, prompt, made) => {
  const { model } = caller.settings
  const body = { model, messages: [{ role: 'user', content: prompt }] }
  return async () => {
    const finished = await caller.trying(async () => {
      const answer = await caller.json(path, { method: 'POST', body })
      return readText([answer as ChatAnswer])
    })
    made.text = finished.text
    checkFinish(finished, completeReasons)
  }
}

/** A chat answer as it is written (§4.9). Only `[DONE]` tells that a stream is whole. */
export const startChatStream: FlowStart = async (caller, prompt, made) => {
  const { model } = caller.settings
  const body = { model, messages: [{ role: 'user', content: prompt }], stream: true }
  return async () => {
    const finished = await caller.trying(() =>
      caller.open(path, { method: 'POST', body }, async (response, patient) => {
        const chunks: ChatAnswer[] = []
        let isDone = false
        for await (const data of eventsOf(response, patient)) {
          if (data === '[DONE]') isDone = true
          else chunks.push(parseEvent(data))
        }
        const read = readText(chunks)
        if (!isDone) throw new TransportError('the stream ended without [DONE]')
        return read
      }),
    )
    made.text = finished.text
    checkFinish(finished, completeReasons)
  }
}

/** @throws {TransportError} for an answer that says an error, or doesn't say why it ends. */
function readText(chunks: readonly ChatAnswer[]): FinishedText {
  const error = chunks.find((chunk) => chunk.error)?.error
  if (error) throw new TransportError(`the answer broke off: ${error.message}`)
  const choices = chunks.flatMap(({ choices: some = [] }) => some)
  const reason = choices.find(({ finish_reason }) => finish_reason)?.finish_reason
  if (!reason) throw new TransportError('the answer ended without saying why')
  return {
    text: choices.map(({ message, delta }) => message?.content ?? delta?.content ?? '').join(''),
    reason,
  }
}
