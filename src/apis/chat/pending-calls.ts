import type { TurnPart } from '../../text/spec.ts'
import { show, type Fields } from '../text/fields.ts'
import { RequestRefused } from '../text/refused.ts'

type Call = Extract<TurnPart, { type: 'call' }>

/**
 * Keeps watch over tools: every call must be answered by the messages right behind it, and nothing else may.
 * @assumed §4.9 these refusals are not shown; they are those of the protocol's own service (wire §9.1).
 */
export class PendingCalls {
  #pending = new Map<string, Call>()
  #names = new Set<string>()
  #where = ''

  /** Before a message is read: who isn't a tool must wait for the tools. */
  before(role: string, path: string): void {
    if (role !== 'tool') this.end()
    if (role === 'assistant') this.#where = path
  }

  made(calls: readonly Call[]): void {
    for (const call of calls) this.#names.add(call.name)
    this.#pending = new Map(calls.flatMap((call) => (call.id === undefined ? [] : [[call.id, call]])))
  }

  /** @returns the name of the tool that a message answers for. */
  answered(message: Fields): string {
    const id = message.text('tool_call_id')
    if (!id) throw new RequestRefused(`${message.at('tool_call_id')} is required`)
    const call = this.#pending.get(id)
    if (!call) {
      throw new RequestRefused(
        `${message.path} answers the call ${show(id)} that nobody made: messages with role 'tool' must be a ` +
          `response to a preceding message with 'tool_calls'`,
      )
    }
    this.#pending.delete(id)
    return call.name
  }

  answeredByName(name: string, path: string): void {
    if (this.#names.has(name)) return
    throw new RequestRefused(`${path} answers a call of ${show(name)} that nobody made`)
  }

  /** @throws {RequestRefused} when somebody still waits for an answer. */
  end(): void {
    const [id] = this.#pending.keys()
    if (id === undefined) return
    throw new RequestRefused(
      `${this.#where} has 'tool_calls' and must be followed by tool messages responding to each 'tool_call_id'; ` +
        `${show(id)} has none`,
    )
  }
}
