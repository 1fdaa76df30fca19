import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Exchange } from '../../gateway/exchange.ts'

/** An id, and the number of earlier accepted requests of its namespace with the same identity. */
type TaskId = Pick<TaskRecord, 'id' | 'occurrence'>

/** Makes an id that no task has. */
export function newTaskId(
  { namespace, tasks }: Exchange,
  identity: string,
  makeId: (occurrence: number) => string,
): TaskId {
  for (;;) {
    const occurrence = namespace.acceptances.next(identity)
    const id = makeId(occurrence)
    if (!tasks.find(id)) return { id, occurrence }
  }
}

/**
 * Begins the record of an accepted request with the fields that all kinds of tasks have.
 *
 * @param lifecycle the name of its lifecycle. @param draws what its random draws begin with.
 */
export function beginRecord(
  x: Exchange,
  { id, occurrence }: TaskId,
  identity: string,
  lifecycle: string,
  draws: 'video' | 'mj',
): Omit<TaskRecord, 'plan' | 'request' | 'body'> {
  return {
    id,
    row: 1 + x.draws.integer(2 ** 31 - 1, `${draws}.row`, id, 0),
    namespace: x.namespace.name,
    operation: x.entry.operation!,
    lifecycle,
    identity,
    occurrence,
    submittedAt: x.now,
    nth: x.tasks.nextNth(x.namespace.name, lifecycle),
  }
}
