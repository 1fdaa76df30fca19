import type { Task } from '../engine/tasks.ts'
import { submittedBody, taskSubject } from '../gateway/task-subject.ts'
import type { RuleSubject } from '../scenario/rule.ts'

/** A task, as far as rules can ask for it. */
export function subjectOfTask(task: Task): RuleSubject {
  const { record, key = '' } = task
  const made = taskSubject(task)
  const { model, prompt } = made
  return {
    operation: record.operation,
    namespace: record.namespace,
    key,
    subject: record.id,
    attempt: 0,
    now: record.submittedAt,
    elapsedMs: 0,
    body: submittedBody(task),
    header: () => '',
    query: '',
    ...(model !== undefined && { model }),
    ...(prompt !== undefined && { prompt }),
    task: made,
  }
}
