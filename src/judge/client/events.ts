import type { Timeout } from './timeout.ts'
import { TransportError } from './errors.ts'

/** The longest event that is waited for. */
const maxEventLength = 1024 * 1024

/**
 * The data of the events of a stream, in order. A character that was cut in two is put together again.
 * @throws {TransportError} for a stream that breaks off inside an event.
 */
export async function* eventsOf(response: Response, patient: Timeout): AsyncGenerator<string, void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      patient.renew()
      const events = (rest + decoder.decode(next.value, { stream: true })).split(/\r?\n\r?\n/)
      rest = events.pop()!
      if (rest.length > maxEventLength) throw new TransportError('an event of the stream does not end')
      for (const event of events) yield dataOf(event)
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  if (rest.trim() !== '') throw new TransportError('the stream ended inside an event')
}

function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice(5).trimStart()).join('\n')
}

/** @throws {TransportError} for an event that is no JSON. */
export function parseEvent(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data) as Record<string, unknown>
  } catch {
    throw new TransportError(`an event of the stream is no JSON: ${data.slice(0, 60)}`)
  }
}
