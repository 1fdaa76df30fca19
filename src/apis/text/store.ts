import * as z from 'zod/mini'
import type { Attachment } from '../define/api.ts'
import type { Core } from '../../gateway/core.ts'
import type { Changes } from '../../engine/tasks/changes.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Turn } from '../../text/spec.ts'

/** The maximum number of stored responses. The oldest are dropped. Their total length is also limited. */
export const maxStored = 10_000
export const maxStoredCharacters = 64_000_000

/** How long a response is stored. @assumed §8 retention is undocumented; the protocol's own service says 30 days. */
const retentionMs = 30 * 24 * 3_600_000

/** A response that clients can read, delete, and continue. */
export interface StoredResponse {
  /** A hash of the API key. Other accounts can't see the response. */
  readonly key: string
  /** When it was requested, in virtual milliseconds. */
  readonly at: number
  /** When its last token is due. Until then, the response is in progress. */
  readonly completesAt: number
  /** The response that it continues. */
  readonly previous: string | null
  /** The turns of its request, and its answer. */
  readonly turns: readonly Turn[]
  readonly input: readonly JsonObject[]
  /** The response in its complete state. */
  readonly response: JsonObject
}

/** The form of a stored response, whose document may come from outside. */
const storedForm = z.lazy(() =>
  z.looseObject({
    key: z.string(),
    at: z.int().check(z.gte(0)),
    completesAt: z.number().check(z.gte(0)),
    previous: z.nullable(z.string()),
    turns: z.array(
      z.looseObject({ role: z.enum(['user', 'assistant', 'tool']), parts: z.array(z.unknown()) }),
    ),
    input: z.array(z.looseObject({})),
    response: z.looseObject({}),
  }),
)

/** Stores responses with the state of the simulator. */
export function attachStore({ use, events }: Core): Attachment {
  const responses = use(storedResponses)
  events.on('tasks.cleared', ({ namespace }) => responses.forget(namespace))
  return {
    stored: {
      response: {
        list: () => responses.all(),
        read: (namespace, id) => responses.get(namespace, id),
        schema: storedForm,
        write: (namespace, id, stored) => responses.put(namespace, id, stored),
      },
    },
  }
}

/** The stored responses of a simulator. */
export function storedResponses({ changes }: Core): StoredResponses {
  return new StoredResponses(changes)
}

interface Slot {
  readonly namespace: string
  readonly stored: StoredResponse
  readonly characters: number
}

/** The stored responses of a simulator. Ids are unique, because the namespace is hashed into them. */
export class StoredResponses {
  readonly #changes: Changes
  readonly #byId = new Map<string, Slot>()
  #characters = 0

  /** @param changes records each response that is stored or removed. */
  constructor(changes: Changes) {
    this.#changes = changes
  }

  put(namespace: string, id: string, stored: StoredResponse): void {
    this.remove(namespace, id)
    const characters = countCharacters(stored)
    this.#byId.set(id, { namespace, stored, characters })
    this.#characters += characters
    this.#changes.note('response', namespace, id)
    while (this.#byId.size > maxStored || this.#characters > maxStoredCharacters) {
      const [oldest, slot] = this.#byId.entries().next().value!
      this.remove(slot.namespace, oldest)
    }
  }

  /** A response of a namespace, for any account and instant. */
  get(namespace: string, id: string): StoredResponse | undefined {
    const slot = this.#byId.get(id)
    return slot?.namespace === namespace ? slot.stored : undefined
  }

  /** A response that an account may see at an instant. */
  find(namespace: string, id: string, key: string, now: number): StoredResponse | undefined {
    const stored = this.get(namespace, id)
    return stored?.key === key && now - stored.at < retentionMs ? stored : undefined
  }

  remove(namespace: string, id: string): void {
    const slot = this.#byId.get(id)
    if (slot?.namespace !== namespace) return
    this.#byId.delete(id)
    this.#characters -= slot.characters
    this.#changes.note('response', namespace, id)
  }

  /** Removes all responses of a namespace. */
  forget(namespace: string): void {
    for (const [of, id] of this.all()) if (of === namespace) this.remove(of, id)
  }

  /** The namespace and id of each response, oldest first. */
  *all(): Generator<[namespace: string, id: string]> {
    for (const [id, { namespace }] of this.#byId) yield [namespace, id]
  }
}

/** The approximate length of a value as JSON. Writing a long conversation as JSON would take milliseconds. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 4
  let count = 2
  for (const [name, inner] of Object.entries(value)) count += name.length + 2 + countCharacters(inner)
  return count
}
