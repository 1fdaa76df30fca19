import { defineApi, poll, submit, z, type ApiDefinition } from '../../../src/apis/own/index.ts'
import { createSimulator, type EmbeddedOptions, type NodeSimulator } from '../../../src/index.ts'

export const create = submit({
  route: 'POST /acme/jobs',
  body: z.object({ text: z.string().min(1) }),
  job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
  reply: (job) => ({ id: job.id }),
})

export const get = poll({
  route: 'GET /acme/jobs/{id}',
  reply: ({ status, url }) => ({ status, url }),
})

/** A small API of a user. */
export const acme = {
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  error: ({ message }) => ({ oops: message }),
  operations: { create, get },
} as const satisfies ApiDefinition

/** A simulator of an API that differs from {@link acme}. */
export function simulatorOf(change: Partial<ApiDefinition>, options: EmbeddedOptions = {}): NodeSimulator {
  return createSimulator({ apis: [defineApi({ ...acme, ...change })], cacheDir: false, ...options })
}

/** Calls it with a valid key, unless `headers` have another one. */
export async function call(
  sim: Pick<NodeSimulator, 'fetch'>,
  method: string,
  path: string,
  {
    body,
    headers = { authorization: 'Bearer sk-a' },
  }: { body?: object; headers?: Record<string, string> } = {},
): Promise<{ status: number; type: string | null; text: string }> {
  const response = await sim.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

/** Submits a job. @returns its id. */
export async function makeJob(sim: Pick<NodeSimulator, 'fetch'>, text = 'a red kite'): Promise<string> {
  const { text: reply } = await call(sim, 'POST', '/acme/jobs', { body: { text } })
  return (JSON.parse(reply) as { id: string }).id
}
