import type { GatewayRequest } from '../../gateway/request.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { decisionOf, differenceOf, makeReadable } from './decision.ts'
import type { RecordedLine, RecordedRequest, Recording } from './line.ts'
import { maxBodyBytes } from './record.ts'

/** What came of a replay. */
export interface Replayed {
  readonly exchanges: number
  readonly same: number
  /** Those that could not be asked again, and why. */
  readonly skipped: readonly Deviation[]
  /** Those that were decided otherwise. */
  readonly different: readonly Deviation[]
}

/** An exchange, and what is to be said of it. */
export interface Deviation {
  readonly number: number
  readonly namespace: string
  readonly request: string
  readonly why: string
}

/**
 * Asks everything again, each at its own instant, and compares what is decided.
 *
 * @param simulator made of the recording's options, its clock in mode `manual` and at the recording's start.
 */
export async function replay({ lines }: Recording, simulator: Simulator): Promise<Replayed> {
  const skipped: Deviation[] = []
  const different: Deviation[] = []
  let exchanges = 0
  for (const line of lines) {
    const about = { ...placeOf(line), request: `${line.request.method} ${line.request.target}` }
    if (line.line === 'exchange') exchanges++
    if (line.request.body === undefined && line.request.bodyBytes > 0) {
      skipped.push({ ...about, why: `its body had more than ${maxBodyBytes} bytes, or was not read` })
      continue
    }
    await goTo(simulator, about.namespace, line.line === 'control' ? line.at : line.entry.at)
    const exchange = await simulator.handle(asIncoming(line.request))
    if (line.line === 'control') continue
    if (!exchange.entry) {
      different.push({ ...about, why: 'it was an exchange, and is none now' })
      continue
    }
    makeReadable(exchange)
    const decision = decisionOf(exchange, exchange.entry)
    exchange.settle(line.entry.outcome === 'open' ? 'aborted' : line.entry.outcome, line.entry.bytes)
    const why = differenceOf(line.decision, decision)
    if (why !== undefined) different.push({ ...about, why })
  }
  const same = exchanges - different.length - skipped.length
  return { exchanges, same, skipped, different }
}

function placeOf(line: RecordedLine): { number: number; namespace: string } {
  if (line.line === 'control') return { number: 0, namespace: line.namespace }
  return { number: line.entry.number, namespace: line.entry.namespace }
}

async function goTo({ namespaces }: Simulator, name: string, instant: number): Promise<void> {
  const { clock } = namespaces.get(name)
  if (instant > clock.now()) await clock.advanceTo(instant)
}

function asIncoming({ body, bodyBytes, ...request }: RecordedRequest): GatewayRequest {
  if (body === undefined) return request
  const bytes = Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0))
  return { ...request, announcedBytes: bodyBytes, body: once(bytes) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
