import type { JournalEntry } from '../gateway/journal.ts'
import { isDelivered, isRetryableFailure } from './answers.ts'
import type { Channel } from './expectations/expect.ts'
import { Memory } from './memory.ts'
import { channelOf, isLook, isSubmission } from './operations.ts'

/** A task as far as it shows in the requests that concern it. */
export interface WatchedTask {
  readonly id: string
  readonly channel: Channel | null
  /** Its place among the tasks of its channel, from 1; 0 when its submission was not seen. */
  readonly nth: number
  /** The request that made it; undefined when it was not seen. */
  readonly submission: JournalEntry | undefined
  /** The key that its requests carry: masked, and hashed. */
  key: Pick<JournalEntry, 'key' | 'keyHash'>
  /** How often each operation was asked for it. */
  readonly counts: Map<string, number>
  firstAt: number
  lastAt: number
  /** Requests after the one that made it, and reports that went out about it. */
  uses: number
  lastLook: JournalEntry | undefined
  /** By operation: the request that told the client that it has ended. */
  readonly told: Map<string, number>
  /** Whether any look found it ended, told or not. */
  hasEnded: boolean
  /** Whether a rule said something else of it than is true. */
  misreported: boolean
}

/** The tasks that requests made or spoke of. Bounded; those that came first are forgotten first. */
export class WatchedTasks {
  readonly #tasks = new Memory<WatchedTask>()
  readonly #made: Record<Channel, number> = { video: 0, drawing: 0 }

  find(id: string | null): WatchedTask | undefined {
    return id === null ? undefined : this.#tasks.get(id)
  }

  all(): WatchedTask[] {
    return [...this.#tasks.values()]
  }

  /** The task that a request is about; one that it makes is new. */
  concerned(entry: JournalEntry): WatchedTask | undefined {
    if (entry.task === null) return undefined
    const known = this.#tasks.get(entry.task)
    // A follow-up that is refused is about its parent, and makes nothing.
    const wasAccepted = entry.status >= 200 && entry.status < 300
    const makes = !known && isSubmission(entry.operation) && wasAccepted && entry.task !== entry.parent
    const task = known ?? this.#open(entry, makes)
    task.lastAt = entry.at
    if (isSubmission(entry.operation) && !makes) return task
    const operation = entry.operation ?? ''
    task.counts.set(operation, (task.counts.get(operation) ?? 0) + 1)
    if (!makes) task.uses++
    if (isLook(entry.operation)) this.#look(task, entry)
    return task
  }

  /** Notes that a client goes on from a result: it may look at it again. */
  wentOn(entry: JournalEntry): void {
    this.find(entry.parent)?.told.clear()
  }

  /** Notes what the client learnt once an answer has gone. */
  settled(entry: JournalEntry): void {
    const task = this.find(entry.task)
    if (!task) return
    if (isLook(entry.operation)) {
      if (entry.final && entry.shown !== null && entry.status === 200 && isDelivered(entry)) {
        task.told.set(entry.operation!, entry.number)
      }
      return
    }
    // Whoever can't get the result may have to ask anew where it is.
    if (entry.status >= 400 || isRetryableFailure(entry)) task.told.clear()
  }

  #open(entry: JournalEntry, makes: boolean): WatchedTask {
    const channel = channelOf(entry.operation)
    const task: WatchedTask = {
      id: entry.task!,
      channel,
      nth: makes && channel ? ++this.#made[channel] : 0,
      submission: makes ? entry : undefined,
      key: { key: entry.key, keyHash: entry.keyHash },
      counts: new Map(),
      firstAt: entry.at,
      lastAt: entry.at,
      uses: 0,
      lastLook: undefined,
      told: new Map(),
      hasEnded: false,
      misreported: false,
    }
    this.#tasks.set(task.id, task)
    return task
  }

  #look(task: WatchedTask, entry: JournalEntry): void {
    task.lastLook = entry
    if (entry.final) task.hasEnded = true
    if ((entry.status === 200 && entry.shown === null) || entry.fault === 'stale') task.misreported = true
  }
}
