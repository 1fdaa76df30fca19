import { submissions, taskKindOf } from '../../../engine/operations/operations.ts'
import type { Finding } from '../finding.ts'
import { operationsOf } from './lint-rules.ts'
import type { FileScenario } from '../types.ts'

type Expect = NonNullable<FileScenario['expect']>
type Wish = NonNullable<Expect['tasks']>[number] | NonNullable<Expect['requests']>[number]

/** What is expected of tasks and requests that there can't be, or in words of which nothing comes beside others. */
export function lintWishes({ expect = {} }: FileScenario): Finding[] {
  return (['tasks', 'requests'] as const).flatMap((list) =>
    (expect[list] ?? []).flatMap((wish, index) =>
      [...idleIn(wish, list), ...neverIn(wish, list)].map(([key, message]) => ({
        severity: 'mistake' as const,
        place: ['expect', list, index, key],
        message,
      })),
    ),
  )
}

type Found = readonly [key: string, message: string]

/** `nth` is one, and `each` all of them, however many there are. */
function idleIn({ nth, each, count }: Wish, list: 'tasks' | 'requests'): Found[] {
  const found: Found[] = []
  const idle = (key: string, why: string): void =>
    void found.push([key, `nothing comes of ${key}, since ${why}. Leave one out.`])
  if (each && count !== undefined) idle('count', 'each says that all of them must be so')
  else if (nth !== undefined && list === 'requests' && count !== undefined)
    idle('count', 'nth says which one must be so')
  if (each && nth !== undefined) idle('each', 'nth says which one must be so')
  const least = typeof count === 'number' ? count : (count?.min ?? 0)
  if (list === 'tasks' && !each && nth !== undefined && least > 1)
    found.push(['count', `there is only one task ${nth}, so that ${least} of it can't be. Leave one out.`])
  return found
}

function neverIn({ op, channel }: Wish, list: 'tasks' | 'requests'): Found[] {
  if (op === undefined) return []
  const named = operationsOf({ op })
  const makers = named.filter((operation) => submissions.includes(operation))
  if (list === 'tasks' && makers.length === 0)
    return [['op', `no task is made by ${named.join(', ')}. Use ${submissions.join(', ')}.`]]
  if (channel === undefined || named.some((operation) => taskKindOf(operation) === channel)) return []
  return [['channel', `${named.join(', ')} concerns no ${channel} task. Leave channel out.`]]
}
