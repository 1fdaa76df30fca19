import { BoundedMap } from '../engine/bounded-map.ts'
import type { Draws } from '../engine/random/draws.ts'
import { hashApiKey } from '../engine/random/hash.ts'
import { KeyRing, labelKey, maxKeyLength, namespaceOfKey, type KeyLabel } from './accounts/keys.ts'
import type { KeyRecord } from '../scenario/vocabulary/types.ts'

/** What a credential says about the client that sent it. */
export interface Caller {
  readonly credential: string
  /** The name under which it is counted and stored. */
  readonly hashedKey: string
  /** The record of the key; undefined when the credential is no valid key. */
  readonly key: KeyRecord | undefined
  /** The namespace that the key belongs to or names. */
  readonly namespace: string | undefined
  /** How the journal shows the key. */
  readonly label: KeyLabel
}

/** Clients send the same key with every request: its label and hash are made once. */
const maxCallers = 1_000

/** Finds callers by their credentials. */
export class Callers {
  readonly #keys: KeyRing
  readonly #draws: Draws
  readonly #cache = new BoundedMap<Caller>(maxCallers)

  constructor(keys: readonly (string | KeyRecord)[], draws: Draws, options: { strict: boolean }) {
    this.#keys = new KeyRing(keys, options)
    this.#draws = draws
  }

  get(credential: string): Caller {
    const cached = this.#cache.get(credential)
    if (cached) return cached
    const key = this.#keys.find(credential)
    const namespace = key?.namespace || namespaceOfKey(credential)
    const label = labelKey(credential, this.#draws)
    const caller = { credential, hashedKey: hashApiKey(credential), key, namespace, label }
    if (credential.length <= maxKeyLength) this.#cache.set(credential, caller)
    return caller
  }

  /** How to change a credential that is no valid key. */
  adviceFor(credential: string): string {
    return this.#keys.adviceFor(credential)
  }
}
