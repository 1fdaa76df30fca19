/** The parts of the state, each with the names that identify a value in it. */
export interface StateNames {
  clock: [namespace: string]
  attempt: [namespace: string, identity: string]
  acceptance: [namespace: string, identity: string]
  rule: [id: string, ...namespace: string[]]
  count: [namespace: string, rule: string, scope: string]
  variable: [namespace: string, name: string]
  limit: [id: string]
  level: [namespace: string, limit: string, name: string]
  task: [namespace: string, id: string]
  submitted: [namespace: string, lifecycle: string]
  amended: [namespace: string, id: string]
  look: [namespace: string, id: string]
  /** The response to a submission with an idempotency key. */
  first: [namespace: string, key: string]
  response: [namespace: string, id: string]
  /** A file that a client uploaded. */
  upload: [namespace: string, id: string]
  account: [namespace: string, key: string]
  reserved: [namespace: string, key: string, task: string]
  /** No part of the state: everything of a namespace was forgotten. */
  cleared: [namespace: string]
}

/** The key of a value of the state: its part, and its names in that part. */
export type StateKey = {
  [Part in keyof StateNames]: [part: Part, ...names: StateNames[Part]]
}[keyof StateNames]

/** Above this number of changes, storing everything again is cheaper. */
const maxNoted = 500_000

function textOfKey(key: StateKey): string {
  return key.length === 2 ? `${key[0]}\n${key[1]}` : JSON.stringify(key)
}

/** What has changed since a reader began to read. Used when reading takes more than one turn. */
export class ChangeWatch {
  /** Stops watching. */
  readonly end: () => void
  #changed = new Map<string, StateKey>()
  /** Whether reading must start over, because everything of a namespace may have changed. */
  isOver = false

  constructor(end: () => void) {
    this.end = end
  }

  note(key: StateKey): void {
    if (key[0] === 'cleared') this.isOver = true
    this.#changed.set(textOfKey(key), key)
  }

  /** What has changed since the previous call. */
  take(): readonly StateKey[] {
    const changed = [...this.#changed.values()]
    this.#changed = new Map()
    return changed
  }
}

/**
 * Which values of the state have changed since they were stored. A value is read only when it is stored, so two
 * changes cost one write. Does nothing until something is stored or watched.
 */
export class Changes {
  readonly #watches = new Set<ChangeWatch>()
  #noted: Map<string, StateKey> | undefined
  #everything = false

  /** Starts noting changes. */
  begin(): void {
    this.#noted ??= new Map()
  }

  /** Notes that a value has changed, was added or removed. */
  note<Part extends keyof StateNames>(part: Part, ...names: StateNames[Part]): void {
    if (!this.#noted && this.#watches.size === 0) return
    const key = [part, ...names] as unknown as StateKey
    for (const watch of this.#watches) watch.note(key)
    if (!this.#noted) return
    this.#noted.set(textOfKey(key), key)
    if (this.#noted.size > maxNoted) this.everything()
  }

  /** Notes changes for a reader, until it ends the watch. */
  watch(): ChangeWatch {
    const watch = new ChangeWatch(() => this.#watches.delete(watch))
    this.#watches.add(watch)
    return watch
  }

  /** Notes that any value may have changed. */
  everything(): void {
    for (const watch of this.#watches) watch.isOver = true
    if (!this.#noted) return
    this.#noted.clear()
    this.#everything = true
  }

  get isEmpty(): boolean {
    return (this.#noted === undefined || this.#noted.size === 0) && !this.#everything
  }

  /** All changes, the earliest first; undefined if anything may have changed. */
  list(): readonly StateKey[] | undefined {
    return this.#everything ? undefined : [...(this.#noted?.values() ?? [])]
  }

  /** Call it when everything noted is stored. */
  markStored(): void {
    this.#noted?.clear()
    this.#everything = false
  }
}
