import type { Exchange, NamedTask, Route } from '../../../gateway/exchange.ts'
import { definitionError } from '../../../gateway/replies/errors.ts'
import { callDefined } from '../kit/call-defined.ts'
import { showValue } from '../kit/check.ts'
import type { ApiOperation } from '../kit/definition.ts'
import type { JobOperation } from '../kit/operation.ts'
import { callOf } from '../request-call.ts'

/** More jobs than a request of any vendor names. */
const maxJobs = 100

/** How an operation finds the jobs of a request by its function. */
interface Naming {
  readonly task?: Pick<NamedTask, 'namedBy' | 'mayMiss'>
  /** Reads the body, which the function may read the id from. */
  readonly prepare?: NonNullable<Route['prepare']>
}

/** How an operation finds the jobs of a request; empty if its route names the job. */
export function namingOf(
  name: string,
  {
    id,
    role,
    route,
  }: Pick<ApiOperation, 'role' | 'route'> & { readonly id?: JobOperation['id'] | undefined },
): Naming {
  if (!id) return {}
  const namedBy = (x: Exchange): readonly string[] =>
    readIds(
      name,
      callDefined(name, 'id', () => id(callOf(x))),
    )
  const hasBody = role !== 'submit' && /\b(?:POST|PUT|PATCH) /.test(route)
  return {
    task: { namedBy, ...(role === 'submit' && { mayMiss: namesNone }) },
    ...(hasBody && { prepare: (body) => ({ prepared: [], fields: body }) }),
  }
}

const namesNone = ({ namedAs }: Exchange): boolean => namedAs === ''

/** Numbers are ids to some vendors. */
function readIds(name: string, found: unknown): readonly string[] {
  const ids = [found ?? []].flat().slice(0, maxJobs)
  for (const id of ids)
    if (typeof id !== 'string' && typeof id !== 'number')
      throw definitionError(
        name,
        'id',
        `it returns ${showValue(found)}. Return an id, a list of ids, or undefined`,
      )
  return ids.map(String).filter((id) => id !== '')
}
