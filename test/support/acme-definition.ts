/** The file of a user with a small API, whose replies are nested. */
export const acmeDefinition = `
import { defineApi, poll, submit, z } from 'greenroom/api'
export default defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ kind: z.enum(['clip', 'loop']), text: z.string().min(1) }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text, seconds: 1 }),
      reply: ({ id }) => ({ job: { name: 'jobs/' + id } }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status, url }) => ({ data: [{ state: status, link: url }] }) }),
  },
})`
