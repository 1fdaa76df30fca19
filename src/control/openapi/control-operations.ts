import * as z from 'zod/mini'
import { named } from '../../scenario/schema/fields.ts'
import { controlRoutes, indexRoute } from '../control.ts'
import { sessionPath, sessionRoute } from '../guard.ts'
import { controlPrefix, type ControlRoute } from '../route.ts'
import { refusalName, type DescribedOperation } from './described-operation.ts'

export const controlErrorSchema = named(
  'ControlRefusal',
  z.object({ error: z.object({ message: z.string() }) }),
  'A refusal of a control call. The message says what to do.',
)

/** All control calls. */
export function controlOperations(): DescribedOperation[] {
  const session = sessionRoute({ hosts: [], origins: [], token: 'nothing' })
  const routes = [indexRoute, ...controlRoutes, { ...session, path: controlPrefix + sessionPath }]
  return routes.flatMap((route) => route.methods.map((method) => describeCall(method, route)))
}

function describeCall(method: string, { path, does, form }: ControlRoute<never>): DescribedOperation {
  const { query, body, takesText, answer } = form()
  const [summary = ''] = does.split(/[:;]/)
  const isSession = path === controlPrefix + sessionPath
  return {
    id: idOf(method, path),
    method: method.toLowerCase(),
    path,
    tag: 'Control',
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    description: does,
    // The token is optional in the document, because a server may have none.
    security: isSession ? [] : [{ controlToken: [] }, {}],
    ...(query && { query }),
    parameters: ['ControlNamespace'],
    ...(body && { body }),
    bodyTypes: body ? ['application/json'] : takesText ? ['text/plain'] : [],
    answer,
    refusal: refusalName('Control'),
    extensions: {},
  }
}

/** `GET /_greenroom/tasks/{id}/media` is `control.getTasksByIdMedia`. */
function idOf(method: string, path: string): string {
  const words = path
    .slice(controlPrefix.length)
    .split(/[/.]/)
    .filter(Boolean)
    .map((word) =>
      word.replace(/^\{(\w)/, (_, letter: string) => `by${letter.toUpperCase()}`).replace('}', ''),
    )
  const parts = words.length === 0 ? ['index'] : words
  return `control.${method.toLowerCase()}${parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}
