import { headerOf, type Incoming } from './incoming.ts'
import { nextTurn, runAtOnce, runInTurns } from '../engine/clock/timers/steps.ts'
import type { WorkBudget } from '../engine/work-budget.ts'
import { isPromise, mapMaybePromise, type MaybePromise } from './maybe-promise.ts'
import { isJson, parseJson, parseLargeJson } from './bodies/body.ts'
import { readForm } from './bodies/form.ts'
import { identityOf, shortened } from './identity.ts'
import { isHeavy, wellFormed, type JsonObject } from './bodies/json.ts'
import type { GatewayParts } from './parts.ts'
import { Memory, Newcomers } from '../engine/remembered.ts'
import type { PreparedBody, Route } from './route.ts'
import type { Found } from './router.ts'

/** What a request says of itself, for rules and journal. */
export interface Said {
  readonly model?: string
  readonly prompt?: string
}

/** What a request with a body asks for, by its target and its body alone. */
export interface Asked {
  readonly body: JsonObject
  readonly prepared: unknown
  readonly identity: string
  /** What it says of itself, and what its route found in it: undefined until it was checked, and where a task decides. */
  said: Said | undefined
  checked: unknown
  /** The units that its check cost: the same request spends as many each time. */
  work: number
}

const noFields: JsonObject = {}

/** The body, parsed; empty where none was read. */
export function bodyOf(asked: Asked | undefined): JsonObject {
  return asked?.body ?? noFields
}

/** Longer bodies, with their targets, are rarely sent twice. */
export const maxRememberedBodyLength = 4_096
export const maxRememberedBodies = 500

/** Larger bodies are read in steps. */
const maxBytesAtOnce = 256 * 1024

/** Each step of larger ones has a turn of its own, whatever they hold. */
const maxQuickBytes = 1024 * 1024

/**
 * Reads what bodies ask for. Test suites and agents ask the same again and again: what was asked in JSON, and could be
 * prepared without waiting for anything, is the same when the same bytes come to the same target. It is kept from the
 * second time on, since what is asked but once would only be carried along.
 */
export class Asking {
  readonly #parts: Pick<GatewayParts, 'ignoredFields' | 'media'>
  readonly #newcomers = new Newcomers()
  readonly #known = new Memory<Asked>(maxRememberedBodies)

  constructor(parts: Pick<GatewayParts, 'ignoredFields' | 'media'>) {
    this.#parts = parts
  }

  /**
   * Reads what a body asks for. One that is neither JSON nor a form counts as an empty object, which the route will then
   * miss its fields in.
   *
   * @throws {GatewayError} for a body that can't be parsed or prepared.
   * @assumed §4.1 other content types are not shown; wire §1.5.
   */
  read(
    incoming: Incoming,
    found: Found<Route>,
    path: string,
    bytes: Uint8Array,
    work: WorkBudget,
  ): MaybePromise<Asked> {
    const { method, target } = incoming
    const contentType = headerOf(incoming, 'content-type')
    if (bytes.length > maxBytesAtOnce) return this.#readLarge(found, path, bytes, contentType, work)
    if (!isJson(contentType)) {
      return this.#prepared(found, runAtOnce(readForm(bytes, contentType)) ?? {}, path)
    }
    const isShort = bytes.length + target.length <= maxRememberedBodyLength
    const text = isShort ? wellFormed(bytes) : undefined
    const key = text === undefined ? undefined : `${method} ${target}\n${text}`
    const known = key === undefined ? undefined : this.#known.get(key)
    if (known) return known
    const asked = this.#prepared(found, parseJson(text ?? bytes, found.route.malformed), path)
    if (key !== undefined && !isPromise(asked)) this.#keep(key, asked)
    return asked
  }

  /** What takes long is done in steps, and what can't be cut has a turn of its own. */
  async #readLarge(
    found: Found<Route>,
    path: string,
    bytes: Uint8Array,
    contentType: string,
    work: WorkBudget,
  ): Promise<Asked> {
    const body = isJson(contentType)
      ? await runInTurns(parseLargeJson(bytes, work, found.route.malformed))
      : ((await runInTurns(readForm(bytes, contentType))) ?? {})
    const rest = async (): Promise<void> => {
      if (isHeavy(work) || bytes.length > maxQuickBytes) await nextTurn()
    }
    await rest()
    const made = await found.route.prepare!(body, this.#parts.media, path)
    await rest()
    const fields = (await runInTurns(shortened(made.fields))) as JsonObject
    await rest()
    const asked = this.#askedOf(found, body, { prepared: made.prepared, fields })
    await rest()
    return asked
  }

  /** What came before is noted by its identity, which others keep as well: bodies that come but once aren't carried along. */
  #keep(key: string, asked: Asked): void {
    if (this.#newcomers.hasCome(asked.identity)) this.#known.keep(key, asked)
  }

  #prepared(found: Found<Route>, body: JsonObject, path: string): MaybePromise<Asked> {
    const made = found.route.prepare!(body, this.#parts.media, path)
    return mapMaybePromise(made, (prepared) => this.#askedOf(found, body, prepared))
  }

  /** What is asked of a task, or of a model, means that one; the same of another is another request. */
  #askedOf(
    { route, params }: Found<Route>,
    body: JsonObject,
    { prepared, fields }: PreparedBody<unknown>,
  ): Asked {
    let value = ''
    for (const name in params) value += value === '' ? params[name]! : `/${params[name]!}`
    const named = value === '' ? undefined : { field: route.path, value }
    const identity = identityOf(route.operation, fields, this.#parts.ignoredFields, named)
    return { body, prepared, identity, said: undefined, checked: undefined, work: 0 }
  }
}
