import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { describeApi } from '../src/apis/define/answers/describe-api.ts'
import { defineApi } from '../src/apis/define/api.ts'
import { defineForm } from '../src/apis/define/form.ts'
import type { FormOptions } from '../src/apis/define/form.ts'
import { integers } from '../src/scenario/schema/json-values.ts'
import { defineOperation, type Behaviour } from '../src/apis/define/operation.ts'
import { taskError } from '../src/gateway/replies/errors.ts'
import { jsonReply } from '../src/gateway/replies/reply.ts'
import { nodeMedia } from '../src/media/node.ts'
import { composeSimulator } from '../src/simulator/simulator.ts'
import { createFetch } from '../src/transports/fetch/create-fetch.ts'

const refuse = ({ field }: { field: string }): Error => taskError(400, 'invalid', `${field} is invalid`)

/** An API whose only operation has a form with a number, and answers with what the form read. */
function apiWith(options: FormOptions, behaviour: Partial<Behaviour<undefined, unknown>> = {}) {
  const form = defineForm(() => z.object({ n: z.optional(integers(1, 4)) }), refuse, options)
  const route = options.isQuery ? 'GET /own' : 'POST /own'
  return defineApi({
    name: 'own',
    title: 'Own',
    description: '',
    error: () => z.unknown(),
    operations: [
      defineOperation({ name: 'own.read', summary: 'Read', role: 'read', route, form }, () => ({
        ...(!options.isQuery && { prepare: (body) => ({ prepared: undefined, fields: body }) }),
        parse: (_x, fields) => fields,
        respond: (_x, fields) => jsonReply(200, fields),
        ...(behaviour as object),
      })),
    ],
  })
}

async function send(
  api: ReturnType<typeof apiWith>,
  query: string,
  body?: BodyInit,
  type = 'application/json',
) {
  const simulator = composeSimulator({
    media: nodeMedia({ cacheDir: false }),
    clock: { mode: 'manual' },
    shippedApis: [api],
  })
  const headers = {
    authorization: 'Bearer sk-own',
    ...(typeof body === 'string' && { 'content-type': type }),
  }
  const init = { method: body === undefined ? 'GET' : 'POST', headers, ...(body !== undefined && { body }) }
  const response = await createFetch(simulator)(`https://gateway.example/own${query}`, init)
  await simulator.close()
  return `${response.status} ${await response.text()}`
}

it('refuses a body that its form refuses, whatever the operation does with it', async () => {
  const api = apiWith({}, { parse: () => ({ parsed: true }) })
  expect(await send(api, '', '{"n":9}')).toBe('400 {"code":"invalid","message":"n is invalid","data":null}')
  expect(await send(api, '', '{"n":3}')).toBe('200 {"parsed":true}')
})

it('gives an operation what its form read', async () => {
  expect(await send(apiWith({}), '', '{"n":3,"other":1}')).toBe('200 {"n":3}')
})

it('reads numbers of a multipart body as texts, if the form takes one', async () => {
  const body = new FormData()
  body.set('n', '3')
  expect(await send(apiWith({ takesMultipart: true }), '', body)).toBe('200 {"n":3}')
  expect(await send(apiWith({}), '', body)).toMatch(/^400 /)
  expect(await send(apiWith({ takesMultipart: true }), '', '{"n":"3"}')).toMatch(/^400 /)
})

it('reads a query, of whose parameters the first value counts and an empty one is missing', async () => {
  const api = apiWith({ isQuery: true })
  expect(await send(api, '?n=3&n=4&other=1')).toBe('200 {"n":3}')
  expect(await send(api, '?n=')).toBe('200 {}')
  for (const n of ['9', '1e0', '%203', '+3', '0x3']) expect(await send(api, `?n=${n}`)).toMatch(/^400 /)
})

it('refuses what comes before the form first, and puts its own refusals into an envelope', async () => {
  const early = apiWith(
    {},
    {
      check: () => {
        throw taskError(503, 'no_model', '')
      },
    },
  )
  expect(await send(early, '', '{"n":9}')).toMatch(/^503 /)
  const guarded = apiWith(
    {},
    {
      guard: (run) => {
        try {
          return run()
        } catch (error) {
          throw taskError(418, 'guarded', (error as Error).message)
        }
      },
    },
  )
  expect(await send(guarded, '', '{"n":9}')).toBe(
    '418 {"code":"guarded","message":"n is invalid","data":null}',
  )
})

it('gives the OpenAPI document the schema of the form', () => {
  const schemaOf = (options: FormOptions) => {
    const api = apiWith(options)
    const { form } = describeApi(api).operations['own.read']!
    return [form === api.operations[0]!.form, form!.isQuery]
  }
  expect([schemaOf({}), schemaOf({ isQuery: true })]).toEqual([
    [true, undefined],
    [true, true],
  ])
})
