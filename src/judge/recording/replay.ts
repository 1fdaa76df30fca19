import type { GatewayRequest } from '../../gateway/request.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { maxBodyBytes } from './record.ts'
import {
  findDifference,
  toDecision,
  makeBodyRepeatable,
  type RecordedLine,
  type RecordedRequest,
  type Recording,
} from './recording.ts'

/** Result of a replay. */
export interface ReplayResult {
  readonly exchanges: number
  readonly same: number
  /** Exchanges that could not be replayed, and why. */
  readonly skipped: readonly Deviation[]
  /** Exchanges with a different decision. */
  readonly different: readonly Deviation[]
}

/** An exchange whose decisions differ, and the difference. */
export interface Deviation {
  readonly number: number
  readonly namespace: string
  readonly request: string
  readonly why: string
}

/**
 * Sends all recorded requests again, each at its instant, and compares the decisions.
 *
 * @param simulator a simulator with the options of the recording; its clock is `manual` and at the start of the recording.
 */
export async function replay({ lines }: Recording, simulator: Simulator): Promise<ReplayResult> {
  const skipped: Deviation[] = []
  const different: Deviation[] = []
  let exchanges = 0
  for (const line of lines) {
    const about = { ...placeOf(line), request: `${line.request.method} ${line.request.target}` }
    if (line.line === 'exchange') exchanges++
    if (line.request.body === undefined && line.request.bodyBytes > 0) {
      skipped.push({ ...about, why: `its body was longer than ${maxBodyBytes} bytes, or was not read` })
      continue
    }
    await advanceTo(simulator, about.namespace, line.line === 'control' ? line.at : line.entry.at)
    const exchange = await simulator.handle(toIncoming(line.request))
    if (line.line === 'control') continue
    if (!exchange.entry) {
      different.push({ ...about, why: 'it is no longer an exchange' })
      continue
    }
    makeBodyRepeatable(exchange)
    const decision = toDecision(exchange, exchange.entry)
    exchange.settle(line.entry.outcome === 'open' ? 'aborted' : line.entry.outcome, line.entry.bytes)
    const why = findDifference(line.decision, decision)
    if (why !== undefined) different.push({ ...about, why })
  }
  const same = exchanges - different.length - skipped.length
  return { exchanges, same, skipped, different }
}

function placeOf(line: RecordedLine): { number: number; namespace: string } {
  if (line.line === 'control') return { number: 0, namespace: line.namespace }
  return { number: line.entry.number, namespace: line.entry.namespace }
}

async function advanceTo({ namespaces }: Simulator, name: string, instant: number): Promise<void> {
  const { clock } = namespaces.get(name)
  if (instant > clock.now()) await clock.advanceTo(instant)
}

function toIncoming({ body, bodyBytes, ...request }: RecordedRequest): GatewayRequest {
  if (body === undefined) return request
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
  return { ...request, announcedBytes: bodyBytes, body: streamOnce(bytes) }
}

async function* streamOnce(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
