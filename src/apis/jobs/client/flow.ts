import type { Flow } from '../../../scenario/vocabulary/types.ts'
import type { ApiFlow } from '../../define/flow.ts'
import type { ApiDefinition } from '../kit/definition.ts'
import { planClient } from './plan.ts'

/** What the reference client can do with the API of a definition: `flow` of a step is the name of the API. */
export function flowsOf(definition: ApiDefinition, prefix: string): ApiFlow[] {
  const plan = planClient(definition)
  if (!plan) return []
  const nameOf = ({ key }: { readonly key: string }): string => `${prefix}.${key}`
  return [
    {
      name: definition.name as Flow,
      summary: plan.submit.operation.route,
      operations: {
        submit: nameOf(plan.submit),
        poll: nameOf(plan.poll),
        ...(plan.download && { download: nameOf(plan.download) }),
      },
      reads: ['pollEvery', 'download', 'verify'],
      load: async () => (await import('./start.ts')).startJobs(definition, plan),
    },
  ]
}
