import type { ExplainedEntry } from '../../control/control.ts'
import { controlPrefix } from '../../control/routes.ts'
import { readTarget } from '../../gateway/request.ts'
import type { GatewayRequest } from '../../gateway/request.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { version } from '../../version.ts'
import { Aliases } from './aliases.ts'
import { decisionOf, makeReadable } from './decision.ts'
import { recordingVersion, type RecordedRequest, type RecordingHead } from './line.ts'
import { isPromise } from '../../engine/maybe-promise.ts'

/** Longer bodies are only counted: an exchange with one can't be replayed. */
export const maxBodyBytes = 1024 * 1024

/** A simulator that writes down what it is asked and what it decides. */
export interface Recorded {
  readonly simulator: Simulator
  /** Writes what is still under way. */
  readonly end: () => void
}

/**
 * Records a simulator: one line of JSON for each exchange when its door is done with it, and for each call of the
 * control plane that changes something.
 *
 * @param options what the simulator was made of, for the first line.
 * @param write takes one line, without its end.
 */
export function recorded(
  simulator: Simulator,
  options: Readonly<Record<string, unknown>>,
  write: (line: string) => void,
): Recorded {
  const aliases = new Aliases()
  const under = new Map<JournalEntry, () => void>()
  let order = 0
  write(JSON.stringify(headOf(simulator, options, aliases)))

  const noteExchange = (exchange: Exchange, request: () => RecordedRequest): Exchange => {
    const { entry } = exchange
    if (!entry) return exchange
    makeReadable(exchange)
    const place = ++order
    const decision = decisionOf(exchange, entry)
    const line = (): void => {
      if (!under.delete(entry)) return
      write(
        JSON.stringify({
          line: 'exchange',
          order: place,
          request: request(),
          decision,
          entry: asData(entry),
        }),
      )
    }
    under.set(entry, line)
    const settle = exchange.settle.bind(exchange)
    exchange.settle = (...settlement) => {
      settle(...settlement)
      line()
    }
    return exchange
  }
  const noteCall = (exchange: Exchange, request: () => RecordedRequest): Exchange => {
    const namespace =
      simulator.namespaces.all().find(({ clock }) => clock === exchange.clock)?.name ?? 'default'
    const at = exchange.now
    write(JSON.stringify({ line: 'control', order: ++order, namespace, at, request: request() }))
    return exchange
  }

  const handle = (incoming: GatewayRequest): Exchange | Promise<Exchange> => {
    const isCall = isControl(incoming)
    if (isCall && !changesSomething(incoming)) return simulator.handle(incoming)
    const { heard, request } = listenTo(incoming, aliases)
    const note = (exchange: Exchange): Exchange => (isCall ? noteCall : noteExchange)(exchange, request)
    const handled = simulator.handle(heard)
    return isPromise(handled) ? handled.then(note) : note(handled)
  }
  return { simulator: { ...simulator, handle }, end: () => under.forEach((line) => line()) }
}

function headOf(
  simulator: Simulator,
  options: Readonly<Record<string, unknown>>,
  aliases: Aliases,
): RecordingHead {
  // Who controlled the server is no part of what happened, and its token nobody's business.
  const { controlToken: _secret, ...made } = options
  const { keys = [] } = made as { keys?: readonly (string | { key: string })[] }
  const secrets = new Set(keys.map((key) => (typeof key === 'string' ? key : key.key)))
  const { now: start } = simulator.control.clock('default')
  const data = aliases.inValue(JSON.parse(JSON.stringify(made)), secrets) as RecordingHead['options']
  return { line: 'recording', version: recordingVersion, greenroom: version, start, options: data }
}

function isControl({ target }: GatewayRequest): boolean {
  return target.includes(controlPrefix) && readTarget(target).path.startsWith(controlPrefix)
}

function changesSomething({ method, target }: GatewayRequest): boolean {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return false
  return !readTarget(target).path.startsWith(`${controlPrefix}/clock`)
}

/** The same request, whose body is kept as it passes. */
function listenTo(
  incoming: GatewayRequest,
  aliases: Aliases,
): { heard: GatewayRequest; request: () => RecordedRequest } {
  const { door, method, target, origin, headers, body, problem } = incoming
  const kept: Uint8Array[] = []
  let bodyBytes = 0
  async function* passing(sent: NonNullable<GatewayRequest['body']>): AsyncGenerator<Uint8Array> {
    for await (const chunk of typeof sent === 'function' ? [await sent()] : sent) {
      bodyBytes += chunk.length
      if (bodyBytes <= maxBodyBytes) kept.push(chunk.slice())
      yield chunk
    }
  }
  return {
    heard: body ? { ...incoming, body: passing(body) } : incoming,
    request: () => ({
      door,
      method,
      target: aliases.inQueries(target),
      origin,
      headers: aliases.inHeaders(headers),
      ...(bodyBytes > 0 && bodyBytes <= maxBodyBytes ? { body: base64Of(kept) } : {}),
      bodyBytes,
      ...(problem === undefined ? {} : { problem }),
    }),
  }
}

function asData(entry: JournalEntry): ExplainedEntry {
  return { ...entry, reasons: entry.reasons() }
}

function base64Of(chunks: readonly Uint8Array[]): string {
  let binary = ''
  for (const chunk of chunks) {
    // Arguments are limited in number; so much at a time always fits.
    for (let at = 0; at < chunk.length; at += 8_192) {
      binary += String.fromCharCode(...chunk.subarray(at, at + 8_192))
    }
  }
  return btoa(binary)
}
