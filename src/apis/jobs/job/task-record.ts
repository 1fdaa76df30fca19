import type { TaskRecord } from '../../../engine/tasks/plan.ts'
import type { Exchange } from '../../../gateway/exchange.ts'

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

/** What differs between the records of two kinds of tasks. */
interface RecordParts<Request extends object> extends Pick<TaskRecord<Request>, 'identity' | 'lifecycle'> {
  /** What the purposes of its random draws begin with. */
  readonly draws: string
  readonly plan: TaskRecord['plan']
  readonly request: Request
}

/** The record of an accepted request. One literal, because a spread takes much longer. */
export function newRecord<Request extends object>(
  x: Exchange,
  { id, occurrence }: TaskId,
  { identity, lifecycle, draws, plan, request }: RecordParts<Request>,
): TaskRecord<Request> {
  const record = {
    id,
    row: 1 + x.draws.integer(2 ** 31 - 1, `${draws}.row`, id, 0),
    namespace: x.namespace.name,
    operation: x.entry.operation!,
    lifecycle,
    identity,
    occurrence,
    submittedAt: x.now,
    nth: x.tasks.nextNth(x.namespace.name, lifecycle),
    plan,
    request,
  }
  const body = x.bodyToKeep
  return body ? { ...record, body } : record
}
