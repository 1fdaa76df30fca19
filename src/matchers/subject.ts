import type { TaskSummary } from '../control/control.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { isDownload, isLook } from '../judge/operations.ts'

/**
 * What can be asked about its clients: a simulator, one of its namespaces, or the gateway of a test.
 *
 * @example
 * const alice: Asked = sim.namespace('alice')
 * await client.submitVideo('a red kite')
 * expect(alice).not.toHaveSubmitted()
 */
export interface Asked {
  tasks(): TaskSummary[]
  journal(): JournalEntry[]
}

/**
 * A task as it was submitted.
 *
 * @example
 * const short: Like<Submission> = { operation: 'video.submit', request: { seconds: 1 } }
 * await client.submitVideo('a red kite')
 * expect(sim).toHaveSubmitted(short, { times: 1 })
 */
export interface Submission {
  readonly id: string
  readonly operation: string
  readonly model: string
  readonly prompt: string
  /** What the surface read from the request: lengths, sizes, seeds, pictures as digests. */
  readonly request: TaskSummary['request']
}

/**
 * A task that has ended.
 *
 * @example
 * const done: Like<Settled> = { status: 'SUCCESS', reason: '', elapsedMs: expect.any(Number) }
 * await client.makeVideo('a red kite')
 * expect(sim).toHaveSettled(done)
 */
export interface Settled extends Submission {
  readonly status: string
  /** Why it failed; empty when it didn't. */
  readonly reason: string
  /** From its submission to its end, in milliseconds of its clock. */
  readonly elapsedMs: number
}

/** Something a client left behind, and the name by which it is found again. */
export interface Trace {
  readonly name: string
  readonly value: object
}

/** @throws {TypeError} for what is neither a simulator nor a namespace. */
export function askedOf(value: unknown): Asked {
  const asked = value as Partial<Asked> | null | undefined
  if (typeof asked?.tasks === 'function' && typeof asked.journal === 'function') return asked as Asked
  throw new TypeError(
    `Failed to look at what a client did: expect() was given ${typeof value}. Give it a simulator, one of its ` +
      'namespaces, or the gateway of the test.',
  )
}

export function submissionsOf(asked: Asked): Trace[] {
  return asked.tasks().map((task) => ({ name: task.id, value: submissionOf(task) }))
}

export function settledOf(asked: Asked): Trace[] {
  return asked
    .tasks()
    .filter(({ finishedAt }) => finishedAt > 0)
    .map((task) => {
      const { id, status, reason, submittedAt, finishedAt } = task
      const value: Settled = {
        ...submissionOf(task),
        status,
        reason,
        elapsedMs: finishedAt - submittedAt,
      }
      return { name: id, value }
    })
}

export function pollsOf(asked: Asked): Trace[] {
  return requestsOf(asked, ({ operation }) => isLook(operation))
}

/** Whole and unaltered answers to those who asked for the bytes; parts of a film that were asked for by range too. */
export function downloadsOf(asked: Asked): Trace[] {
  return requestsOf(
    asked,
    ({ operation, method, status, content }) =>
      isDownload(operation) && method === 'GET' && status < 300 && content === 'complete',
  )
}

export function requestsOf(asked: Asked, isMeant: (entry: JournalEntry) => boolean): Trace[] {
  return asked
    .journal()
    .filter(isMeant)
    .map((entry) => ({ name: `#${entry.number} ${entry.operation ?? entry.path}`, value: entry }))
}

function submissionOf({ id, operation, request }: TaskSummary): Submission {
  const { model = '', prompt = '' } = request
  return { id, operation, model: String(model), prompt: String(prompt), request }
}
