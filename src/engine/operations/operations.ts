import { drawingOperations } from './drawing.ts'
import type { OperationFacts, TaskKind } from './facts.ts'
import {
  chatOperations,
  embeddingOperations,
  modelOperations,
  nativeTextOperations,
  responseOperations,
} from './text.ts'
import { openaiVideoOperations, videoOperations } from './video.ts'

const facts = {
  ...videoOperations,
  ...openaiVideoOperations,
  ...nativeTextOperations,
  ...chatOperations,
  ...responseOperations,
  ...embeddingOperations,
  ...modelOperations,
  ...drawingOperations,
}

/**
 * The name of an operation.
 *
 * @example
 * const polls: Operation[] = ['video.poll', 'videos.retrieve', 'mj.fetch']
 * sim.addRule({ match: { op: polls }, chance: '10%', respond: { status: 502 } })
 */
export type Operation = keyof typeof facts

/**
 * An operation, or several by `*`: `video.*`.
 *
 * @example
 * const op: OperationPattern = 'videos.*'
 * sim.next(op, { delay: '3s' })
 * sim.rules() // → [{ layer: 'next', rule: { match: { op: 'videos.*' }, … }, … }]
 */
export type OperationPattern = Operation | `${string}*${string}`

/** All operations. Every other table of operations is derived from this one. */
export const operationFacts: Readonly<Record<Operation, OperationFacts>> = facts

/**
 * The gateway's operations. Rules, journal, verdicts and docs call them by these names, which survive a
 * change of path.
 *
 * @example
 * operations.filter((operation) => operation.startsWith('video.')) // → ['video.submit', 'video.poll', 'video.content']
 */
export const operations = Object.keys(facts) as readonly Operation[]

const where = (fits: (facts: OperationFacts) => boolean): readonly Operation[] =>
  operations.filter((operation) => fits(operationFacts[operation]))

/** Those that make a task. */
export const submissions = where(({ kind }) => kind === 'submit')

/** Those that write a text. */
export const textOperations = where(({ kind }) => kind === 'text')

/** Those whose response has media, or whose task will have some. */
export const mediaOperations = where(({ kind }) => kind === 'submit' || kind === 'download')

/** Those that name a task, so that it has a state when the request is decided. */
export const aboutTasks = where(({ task }) => task !== undefined)

/** Those that name a task and have no body of their own. */
export const aboutTasksWithoutBody = aboutTasks.filter((operation) => !hasBody(operation))

/** Whether requests have a body. */
export function hasBody(operation: Operation): boolean {
  const { route, hasNoBody } = operationFacts[operation]
  return route.startsWith('POST ') && !hasNoBody
}

/** The facts of an operation by its name; undefined for any other text, such as that of an outgoing report. */
export function findOperation(name: string | null): OperationFacts | undefined {
  return name !== null && Object.hasOwn(facts, name) ? operationFacts[name as Operation] : undefined
}

const taskKinds = new Map(operations.map((name) => [prefixOf(name), operationFacts[name].tasks]))

/** The kind of tasks that an operation, or a pattern with a whole prefix such as `mj.*`, is about. */
export function taskKindOf(operation: string): TaskKind | undefined {
  return taskKinds.get(prefixOf(operation))
}

function prefixOf(operation: string): string {
  return operation.slice(0, operation.indexOf('.') + 1)
}

/** The words that a sequence may use for an operation: the last part of its name, and what it does. */
export function wordsFor(operation: string): string[] {
  const kind = findOperation(operation)?.kind
  const words = ['any', operation.slice(operation.indexOf('.') + 1)]
  if (kind === 'submit' || kind === 'poll' || kind === 'download') words.push(kind)
  return words
}
