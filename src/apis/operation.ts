import { operationFacts, type Operation } from '../engine/operations/operations.ts'
import type { OperationOption } from '../engine/operations/facts.ts'
import type { NamedTask, Route } from '../gateway/route.ts'

/** What an operation does. Its facts, such as its path, are in `engine/operations`. */
export interface Behaviour<Prepared, Checked> extends Pick<
  Route<Prepared, Checked>,
  | 'opensWithoutKey'
  | 'credential'
  | 'refuse'
  | 'malformed'
  | 'prepare'
  | 'directives'
  | 'respond'
  | 'describe'
> {
  readonly validate?: Route<Prepared, Checked>['validate']
  /** For an operation that names a task. */
  readonly task?: Pick<NamedTask, 'inBody' | 'unknown' | 'isOwnersOnly'>
}

/** An operation with its behaviour, as the gateway serves it. */
export function defineOperation<Prepared, Checked>(
  operation: Operation,
  { validate = () => undefined as Checked, task, ...behaviour }: Behaviour<Prepared, Checked>,
): Route {
  const { kind, route, aliases, tasks, task: named, access, isRateLimited } = operationFacts[operation]
  const words = route.split(' ')
  const result: Route<Prepared, Checked> = {
    ...behaviour,
    operation,
    methods: words.slice(0, -1),
    path: words.at(-1)!,
    ...(aliases && { aliases }),
    ...(isRateLimited && { isLimited: true }),
    ...(access === 'public' && { isPublic: true }),
    ...(task && {
      task: {
        ...task,
        ...(named !== 'body' && { parameter: named! }),
        lifecycle: tasks!,
        looks: kind === 'poll',
      },
    }),
    validate,
  }
  return result as unknown as Route
}

/** Marks operations that are not served because their option is not set, so that a 404 can name the option. */
export function withholdUnset(
  routes: readonly Route[],
  isSet: Readonly<Record<OperationOption, boolean>>,
): Route[] {
  return routes.map((route) => {
    const { option } = operationFacts[route.operation]
    if (option === undefined || isSet[option]) return route
    return { ...route, broughtBy: `${option.replace('.', ': { ')}: true }` }
  })
}
