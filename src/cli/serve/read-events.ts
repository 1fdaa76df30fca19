import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { StreamEvent } from '../../control/stream-events.ts'

/**
 * Reads server-sent events of the control API.
 * @param onSilence called when nothing has come for a while.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onSilence: () => void,
  maxSilenceMs: number,
): AsyncGenerator<StreamEvent> {
  let timer = hostTimers.setTimeout(onSilence, maxSilenceMs)
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of body) {
      hostTimers.clearTimeout(timer)
      timer = hostTimers.setTimeout(onSilence, maxSilenceMs)
      const messages = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = messages.pop()!
      for (const message of messages) yield parseMessage(message)
    }
  } finally {
    hostTimers.clearTimeout(timer)
  }
}

function parseMessage(message: string): StreamEvent {
  const fields = new Map(message.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const id = fields.get('id')
  return {
    event: fields.get('event'),
    ...(id !== undefined && { id }),
    data: JSON.parse(fields.get('data') ?? '{}') as object,
  } as StreamEvent
}
