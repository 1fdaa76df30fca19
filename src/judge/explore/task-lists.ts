import { shippedOperations } from '../../apis/index.ts'
import { hasBody } from '../../engine/operations/facts.ts'
import type { Scenario } from '../../scenario/vocabulary/types.ts'

/** Whether the gateway offers a list of all tasks of the kind that an operation submits. A list that is requested by IDs tells nothing new. */
export function canListTasks(submission: string, { config = {} }: Scenario = { version: 1 }): boolean {
  const kind = shippedOperations.taskKindOf(submission)
  const lists = shippedOperations.where(
    (facts) => facts.role === 'list' && kind !== undefined && facts.tasks === kind && !hasBody(facts),
  )
  return lists.some((name) => {
    const option = shippedOperations.find(name)?.option
    const [section = '', key = ''] = option?.split('.') ?? []
    const settings = config[section as keyof typeof config] as Readonly<Record<string, unknown>> | undefined
    return option === undefined || settings?.[key] === true
  })
}
