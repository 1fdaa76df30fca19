import { pluralize } from '../../wording.ts'
import { ClockError } from '../clock-settings.ts'
import { listWaiters, maxListed } from '../list-waiters.ts'
import type { HostTimers } from '../timers/host-timers.ts'
import type { Waiters } from '../waiters.ts'
import type { HeldTime, Ledger } from './ledger.ts'

/** Valid names of participants. */
export const participantName = /^[\w.:@/-]{1,64}$/

export const maxParticipants = 1_000

/**
 * The clients that share a clock, if they are known: time moves only when all of them are parked. A participant is
 * parked while it sleeps on the clock, or waits for a delayed response.
 *
 * The number of seats is fixed, and each name takes one. Waits without a name are only counted: each stands for some
 * participant. So a participant that waits for two things at once should use its name.
 */
export class Participants {
  readonly #elapsedMs: () => number
  readonly #ledger: Ledger
  /** By name: when each was last seen, or undefined before. */
  readonly #joined = new Map<string, number | undefined>()
  /** Names that left, for which a late request no longer counts. */
  readonly #left = new Set<string>()
  readonly #waiters: Waiters
  #seats: number

  /**
   * @param ledger has the hold of participants that are not parked.
   * @param seats the number of participants, 0 if unknown.
   * @throws {ClockError} for an invalid number of seats.
   */
  constructor(ledger: Ledger, waiters: Waiters, { elapsedMs }: HostTimers, seats = 0) {
    if (!(Number.isInteger(seats) && seats >= 0 && seats <= maxParticipants)) {
      throw new ClockError(
        `Failed to set the clock: participants is ${seats}. Use a whole number up to ${maxParticipants}.`,
      )
    }
    this.#seats = seats
    this.#elapsedMs = elapsedMs
    this.#ledger = ledger
    this.#waiters = waiters
    const describe = (_holds: unknown, time: HeldTime): string => this.#describe(time)
    const find = (): { who: string } | undefined =>
      this.areKnown && this.parked < this.#seats ? { who: 'participants' } : undefined
    ledger.derive({ rank: 50, outcome: 'absent', describe }, find)
  }

  /** How many participants share the clock; 0 if unknown. */
  get expected(): number {
    return this.#seats
  }

  get areKnown(): boolean {
    return this.#seats > 0
  }

  get parked(): number {
    const clients = this.#waiters.parkedClients()
    const named = new Set(clients.filter((name) => name !== undefined && this.#joined.has(name)))
    return named.size + clients.filter((name) => name === undefined).length
  }

  get names(): string[] {
    return [...this.#joined.keys()]
  }

  /**
   * Adds a participant: time waits for it, too.
   * @throws {ClockError} when there are too many.
   */
  join(name: string): void {
    if (this.#joined.has(name)) return
    if (this.#joined.size >= maxParticipants) {
      throw new ClockError(`Failed to join the clock as "${name}": ${maxParticipants} take part already.`)
    }
    this.#joined.set(name, undefined)
    this.#left.delete(name)
    this.#seats = Math.max(this.#seats, this.#joined.size)
  }

  /**
   * Removes a participant until it joins again: time no longer waits for it. A name that was not seen yet, and a call
   * without a name, give up a free seat.
   * @throws {ClockError} for a name that left already, and if no seat is free.
   */
  leave(name?: string): void {
    const known = name !== undefined && this.#joined.delete(name)
    const hasLeft = name !== undefined && this.#left.has(name)
    if (!known && (hasLeft || this.#seats <= this.#joined.size)) {
      const others =
        this.names.length === 0
          ? 'there are no participants'
          : `the participants are ${this.names.join(', ')}`
      throw new ClockError(
        `Failed to leave the clock${name === undefined ? '' : ` as "${name}"`}: ${others}.`,
      )
    }
    if (name !== undefined) this.#noteLeft(name)
    this.#seats--
    this.#ledger.changed()
  }

  /** Records the end of a wait. */
  woke(name: string): void {
    if (this.#joined.has(name)) this.#joined.set(name, this.#elapsedMs())
  }

  /** Records a request of a participant. If there are free seats, a new name takes one. */
  seen(name: string): void {
    if (this.#seats === 0 || this.#left.has(name)) return
    if (!this.#joined.has(name) && this.#joined.size >= maxParticipants) return
    this.join(name)
    this.#joined.set(name, this.#elapsedMs())
  }

  #noteLeft(name: string): void {
    const [oldest] = this.#left
    if (this.#left.size >= maxParticipants) this.#left.delete(oldest!)
    this.#left.add(name)
  }

  /** The participants that time waits for, with the host's milliseconds since the last request of each. */
  absent(): { name: string; unseenMs: number | undefined }[] {
    const now = this.#elapsedMs()
    const parked = new Set(this.#waiters.parkedClients())
    return [...this.#joined]
      .filter(([name]) => !parked.has(name))
      .map(([name, seenMs]) => ({ name, unseenMs: seenMs === undefined ? undefined : now - seenMs }))
  }

  #describe({ waiters, start }: HeldTime): string {
    const list = listWaiters({ start, waiters: waiters.filter(({ waiting }) => waiting.kind !== 'work') })
    const parkedList = list.length === 0 ? '' : `: ${list.join(', ')}`
    return `waiting for ${this.#listAbsent()}; ${this.parked} of ${this.#seats} parked${parkedList}`
  }

  #listAbsent(): string {
    const missing = this.#seats - this.parked
    const named = this.absent()
      .slice(0, maxListed)
      .map(({ name, unseenMs }) =>
        unseenMs === undefined
          ? `${name} (not seen yet)`
          : `${name} (last seen ${(unseenMs / 1_000).toFixed(1)} s ago)`,
      )
    if (named.length === 0) return pluralize(missing, 'more participant')
    // A response without a name may belong to a named participant, so fewer can be missing than are not parked.
    if (named.length > missing) return `${pluralize(missing, 'participant')} of ${named.join(', ')}`
    const others = missing - named.length
    return `participant ${named.join(', ')}${others > 0 ? ` and ${pluralize(others, 'other')}` : ''}`
  }
}
