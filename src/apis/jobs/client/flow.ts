import type { Flow } from '../../../scenario/vocabulary/types.ts'
import type { ApiFlow } from '../../define/flow.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import { downloadFor, planClient, sampleSubmission } from './plan.ts'

/** What the reference client can do with the API of a definition: `flow` of a step is the name of the API. */
export function flowsOf(definition: ApiDefinition, prefix: string): ApiFlow[] {
  const plan = planClient(definition)
  if (!plan) return []
  const { route } = plan.submits[0].operation
  const nameOf = ({ key }: { readonly key: string }): string => `${prefix}.${key}`
  return [
    {
      name: definition.name as Flow,
      summary: route,
      // Functions of the definition run here, so not before a client or a check needs it.
      get operations() {
        const sample = sampleSubmission(plan)
        const download = downloadFor(definition, plan, sample?.request)
        return {
          submit: nameOf(sample?.submit ?? plan.submits[0]),
          poll: nameOf(plan.poll),
          ...(download && { download: nameOf(download) }),
        }
      },
      reads: ['pollEvery', 'download', 'verify'],
      load: async () => (await import('./start.ts')).startJobs(definition, plan),
      first: {
        variables: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
        calledBy: pathPattern(route),
        load: async () => (await import('./first-client.ts')).firstClientOf(definition, plan),
      },
    },
  ]
}

/** Matches code that has the path of a route, whatever its parameters are. */
function pathPattern(route: string): RegExp {
  const parts = route
    .split(' ')
    .at(-1)!
    .split(/\{\w+\}/)
  return new RegExp(`${parts.map(escapePattern).join('[^/]+')}(?![\\w-])`)
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
