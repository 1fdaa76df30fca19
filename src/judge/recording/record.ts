import type { Api } from '../../apis/define/api.ts'
import type { ExplainedEntry } from '../../control/entry-schema.ts'
import { encodeBase64 } from '../../gateway/bodies/base64.ts'
import { joinChunks } from '../../gateway/bodies/body.ts'
import { controlPrefix, readTarget } from '../../gateway/request.ts'
import type { GatewayRequest } from '../../gateway/request.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { version } from '../../version.ts'
import { Aliases } from './aliases.ts'
import {
  recordingVersion,
  toDecision,
  makeBodyRepeatable,
  type RecordedRequest,
  type RecordingHead,
} from './recording.ts'
import { isPromise } from '../../engine/maybe-promise.ts'

/** Longer bodies are not recorded, and their exchanges can't be replayed. */
export const maxBodyBytes = 1024 * 1024

/** A simulator that records its requests and decisions. */
export interface Recorded {
  readonly simulator: Simulator
  /** Writes the exchanges that are still open. */
  readonly end: () => void
}

/**
 * Records a simulator: one line of JSON for each settled exchange, and for each control API call that changes something.
 *
 * @param options the options of the simulator, for the first line.
 * @param write writes one line.
 * @param apis those of users.
 */
export function recordSimulator(
  simulator: Simulator,
  options: Readonly<Record<string, unknown>>,
  write: (line: string) => void,
  apis: readonly Api[] = [],
): Recorded {
  const aliases = new Aliases(apis)
  const open = new Map<JournalEntry, () => void>()
  let order = 0
  write(JSON.stringify(headOf(simulator, options, aliases)))

  const recordExchange = (exchange: Exchange, request: () => RecordedRequest): Exchange => {
    const { entry } = exchange
    if (!entry) return exchange
    makeBodyRepeatable(exchange)
    const place = ++order
    const decision = toDecision(exchange, entry)
    const writeLine = (): void => {
      if (!open.delete(entry)) return
      const data: ExplainedEntry = { ...entry, reasons: entry.reasons() }
      write(JSON.stringify({ line: 'exchange', order: place, request: request(), decision, entry: data }))
    }
    open.set(entry, writeLine)
    const settle = exchange.settle.bind(exchange)
    exchange.settle = (...outcome) => {
      settle(...outcome)
      writeLine()
    }
    return exchange
  }
  const recordCall = (exchange: Exchange, request: () => RecordedRequest): Exchange => {
    const namespace =
      simulator.namespaces.all().find(({ clock }) => clock === exchange.clock)?.name ?? 'default'
    const at = exchange.now
    write(JSON.stringify({ line: 'control', order: ++order, namespace, at, request: request() }))
    return exchange
  }

  const handle = (incoming: GatewayRequest): Exchange | Promise<Exchange> => {
    const isCall = isControl(incoming)
    if (isCall && !changesSomething(incoming)) return simulator.handle(incoming)
    const { observed, request } = observeBody(incoming, aliases)
    const record = (exchange: Exchange): Exchange => (isCall ? recordCall : recordExchange)(exchange, request)
    const handled = simulator.handle(observed)
    return isPromise(handled) ? handled.then(record) : record(handled)
  }
  return { simulator: { ...simulator, handle }, end: () => open.forEach((writeLine) => writeLine()) }
}

function headOf(
  simulator: Simulator,
  options: Readonly<Record<string, unknown>>,
  aliases: Aliases,
): RecordingHead {
  const { controlToken: _secret, ...recorded } = options
  const { keys = [] } = recorded as { keys?: readonly (string | { key: string })[] }
  const secrets = new Set(keys.map((key) => (typeof key === 'string' ? key : key.key)))
  const { now: start } = simulator.control.clock.status('default')
  const data = aliases.inValue(JSON.parse(JSON.stringify(recorded)), secrets) as RecordingHead['options']
  return { line: 'recording', version: recordingVersion, greenroom: version, start, options: data }
}

function isControl({ target }: GatewayRequest): boolean {
  return target.includes(controlPrefix) && readTarget(target).path.startsWith(controlPrefix)
}

function changesSomething({ method, target }: GatewayRequest): boolean {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return false
  return !readTarget(target).path.startsWith(`${controlPrefix}/clock`)
}

/** Copies the body of a request while it is read. */
function observeBody(
  incoming: GatewayRequest,
  aliases: Aliases,
): { observed: GatewayRequest; request: () => RecordedRequest } {
  const { transport, method, target, origin, headers, body, problem } = incoming
  const chunks: Uint8Array[] = []
  let bodyBytes = 0
  async function* copyChunks(sent: NonNullable<GatewayRequest['body']>): AsyncGenerator<Uint8Array> {
    for await (const chunk of typeof sent === 'function' ? [await sent()] : sent) {
      bodyBytes += chunk.length
      if (bodyBytes <= maxBodyBytes) chunks.push(chunk.slice())
      yield chunk
    }
  }
  return {
    observed: body ? { ...incoming, body: copyChunks(body) } : incoming,
    request: () => ({
      transport,
      method,
      target: aliases.inQueries(target),
      origin,
      headers: aliases.inHeaders(headers),
      ...(bodyBytes > 0 && bodyBytes <= maxBodyBytes
        ? { body: encodeBase64(joinChunks(chunks, bodyBytes)) }
        : {}),
      bodyBytes,
      ...(problem === undefined ? {} : { problem }),
    }),
  }
}
