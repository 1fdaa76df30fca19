import { expect, it } from 'vitest'
import { defineApi, poll, submit, z } from '../../src/apis/own/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'

const acme = defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => ({ status }) }),
  },
})
const gateway = useGreenroom({ apis: [acme], cacheDir: false })

async function call(path: string, method = 'GET', body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await (await fetch(gateway.baseUrl + path, init)).json()) as Record<string, unknown>
}

it('serves an API of a user to each test, with its rules and matchers', async () => {
  gateway.addRule({ match: { op: 'acme.get' }, on: 1, respond: { status: 503 } })
  const { id } = await call('/acme/jobs', 'POST', { text: 'a red kite' })
  const path = `/acme/jobs/${String(id)}`
  expect(await call(path)).toHaveProperty('oops')
  await gateway.clock.advance('5m')
  expect(await call(path)).toEqual({ status: 'ready' })
  expect(gateway).toHaveRequested('acme.g*', {}, { times: 2 })
  expect(gateway).toHaveSettled({ id: String(id), status: 'ready' })
})

it('gives the next test jobs of its own', async () => {
  expect(gateway.tasks()).toEqual([])
  await call('/acme/jobs', 'POST', { text: 'a blue boat' })
  expect(gateway.tasks()).toMatchObject([{ kind: 'acme', request: { prompt: 'a blue boat' } }])
})
