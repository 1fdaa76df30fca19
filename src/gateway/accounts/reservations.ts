/** A part of the money, set aside for a task. */
export interface Reservation {
  readonly quota: number
  /** When the task ends, as far as is known; null: never by itself. */
  readonly endsAt: number | null
  /** Whether it is spent then. */
  readonly spends: boolean
}

/**
 * What is set aside for tasks, in columns, so that millions of tasks take no object each. Places are numbers from 0; what
 * is removed gives its place to the last one.
 */
export class Reservations {
  readonly #tasks: string[] = []
  readonly #quotas: number[] = []
  /** Infinity where a task never ends by itself. */
  readonly #ends: number[] = []
  readonly #spends: boolean[] = []
  /** Where each task stands, from when on somebody asks for one by its id: only who keeps a state does. */
  #places: Map<string, number> | undefined
  #quota = 0

  get size(): number {
    return this.#tasks.length
  }

  /** All of it. */
  get quota(): number {
    return this.#quota
  }

  add(task: string, { quota, endsAt, spends }: Reservation): void {
    this.#places?.set(task, this.#tasks.length)
    this.#tasks.push(task)
    this.#quotas.push(quota)
    this.#ends.push(endsAt ?? Infinity)
    this.#spends.push(spends)
    this.#quota += quota
  }

  /** The place of a task; undefined when nothing is set aside for it. */
  placeOf(task: string): number | undefined {
    this.#places ??= new Map(this.#tasks.map((each, place) => [each, place]))
    return this.#places.get(task)
  }

  taskAt(place: number): string {
    return this.#tasks[place]!
  }

  /** Whether a task is known to end behind an instant, unless something happens to it. */
  endsBehind(place: number, instant: number): boolean {
    const end = this.#ends[place]!
    return end > instant && end !== Infinity
  }

  at(place: number): Reservation {
    const end = this.#ends[place]!
    return {
      quota: this.#quotas[place]!,
      endsAt: end === Infinity ? null : end,
      spends: this.#spends[place]!,
    }
  }

  /** Notes that a task ends otherwise than was known. */
  change(place: number, { endsAt, spends }: Omit<Reservation, 'quota'>): void {
    this.#ends[place] = endsAt ?? Infinity
    this.#spends[place] = spends
  }

  remove(place: number): void {
    this.#quota -= this.#quotas[place]!
    if (this.#places?.get(this.#tasks[place]!) === place) this.#places.delete(this.#tasks[place]!)
    const [task, quota, end, spends] = [
      this.#tasks.pop()!,
      this.#quotas.pop()!,
      this.#ends.pop()!,
      this.#spends.pop()!,
    ]
    if (place === this.#tasks.length) return
    this.#tasks[place] = task
    this.#quotas[place] = quota
    this.#ends[place] = end
    this.#spends[place] = spends
    this.#places?.set(task, place)
  }

  /** The tasks for which something is set aside. */
  tasks(): IterableIterator<string> {
    return this.#tasks.values()
  }
}
