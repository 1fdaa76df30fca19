import { expect, it } from 'vitest'
import {
  answer,
  call,
  defineApi,
  download,
  list,
  poll,
  remove,
  result,
  submit,
  z,
  type UploadedFile,
} from '../../../src/apis/own/index.ts'
import { describeTransports } from '../../support/transports.ts'
import { acme, call as send, simulatorOf } from './acme.ts'

const record = ({ id, name, size, type }: UploadedFile) => ({ id, name, size, type })

const upload = call({
  route: 'POST /acme/files',
  body: z.object({ file: z.string(), name: z.string().default('in.jsonl') }),
  reply: ({ body, store }) => record(store(body.file, { name: body.name })),
})
const batch = {
  ...acme,
  uploads: { prefix: 'file-', length: 24 },
  aliases: { output: { prefix: 'file-', length: 24 } },
  operations: {
    upload,
    files: call({ route: 'GET /acme/files', reply: ({ files }) => files.map(record) }),
    file: call({ route: 'GET /acme/files/{id}', reply: ({ params, file }) => file(params['id']) ? record(file(params['id'])!) : answer(404, {}) }), // prettier-ignore
    create: submit({
      route: 'POST /acme/batches',
      body: z.object({ input: z.string() }),
      job: ({ body, file }) => {
        const input = file(body.input)
        if (!input) return answer(400, { oops: 'no such file' })
        const lines = input.text.trim().split('\n')
        return {
          model: 'acme-1',
          prompt: 'a batch',
          files: [
            {
              makes: 'text',
              text: lines.map((line) => `done ${line}\n`).join(''),
              type: 'application/jsonl',
            },
          ],
        }
      },
      reply: (job) => ({ id: job.id, output: job.alias('output') }),
    }),
    get: poll({ route: 'GET /acme/batches/{id}', reply: ({ status }) => ({ status }) }),
    content: result({
      route: 'GET /acme/files/{id}/content',
      reply: (job) => (job.hasSucceeded ? job.file : answer(404, { oops: job.status })),
      uploaded: (file) => file,
    }),
    forget: remove({
      route: 'DELETE /acme/files/{id}',
      reply: ({ id }) => ({ id }),
      uploaded: ({ id }, { forget }) => ({ id, deleted: forget(id) }),
    }),
  },
} as const

const fileOf = async (sim: ReturnType<typeof simulatorOf>, file = 'one\ntwo\n'): Promise<string> => {
  const { text } = await send(sim, 'POST', '/acme/files', { body: { file } })
  return (JSON.parse(text) as { id: string }).id
}

describeTransports((open) => {
  it('reads an uploaded file back, and uses it in a job whose output is a file, too', async () => {
    await using gateway = await open({ apis: [defineApi({ ...batch })], cacheDir: false })
    const headers = { authorization: 'Bearer sk-a' }
    const form = new FormData()
    form.set('file', new Blob(['one\ntwo\n'], { type: 'application/jsonl' }), 'in.jsonl')
    const uploaded = await gateway.call('/acme/files', { method: 'POST', headers, body: form })
    const file = (await uploaded.json()) as { id: string }
    expect(file).toEqual({
      id: expect.stringMatching(/^file-\w{24}$/) as string,
      name: 'in.jsonl',
      size: 8,
      type: 'application/jsonl',
    })
    const back = await gateway.call(`/acme/files/${file.id}/content`, { headers })
    expect([back.headers.get('content-type'), await back.text()]).toEqual(['application/jsonl', 'one\ntwo\n'])
    const made = await gateway.call('/acme/batches', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ input: file.id }),
    })
    const { output } = (await made.json()) as { output: string }
    await gateway.sim.clock.advance('5m')
    const done = await gateway.call(`/acme/files/${output}/content`, { headers })
    expect([done.headers.get('content-type'), await done.text()]).toEqual([
      'application/jsonl',
      'done one\ndone two\n',
    ])
  })
})

it('lists files, the newest first, and deletes one', async () => {
  await using sim = simulatorOf(batch)
  const [first, second] = [await fileOf(sim, 'one'), await fileOf(sim, 'two')]
  const idsOf = async (): Promise<string[]> =>
    (JSON.parse((await send(sim, 'GET', '/acme/files')).text) as { id: string }[]).map(({ id }) => id)
  expect(await idsOf()).toEqual([second, first])
  expect((await send(sim, 'DELETE', `/acme/files/${first}`)).text).toBe(
    JSON.stringify({ id: first, deleted: true }),
  )
  expect(await idsOf()).toEqual([second])
  expect(await send(sim, 'DELETE', `/acme/files/${first}`)).toMatchObject({ status: 404 })
  expect(await send(sim, 'GET', `/acme/files/${first}/content`)).toMatchObject({ status: 404 })
})

it('shows a file to the key that uploaded it only', async () => {
  await using sim = simulatorOf(batch)
  const id = await fileOf(sim)
  const headers = { authorization: 'Bearer sk-b' }
  expect(await send(sim, 'GET', `/acme/files/${id}`, { headers })).toMatchObject({ status: 404 })
  expect(await send(sim, 'GET', `/acme/files/${id}/content`, { headers })).toMatchObject({ status: 404 })
  expect((await send(sim, 'GET', '/acme/files', { headers })).text).toBe('[]')
})

it('gives equal uploads ids of their own, the same in each run', async () => {
  await using sim = simulatorOf(batch)
  await using same = simulatorOf(batch)
  const ids = [await fileOf(sim), await fileOf(sim)]
  expect(ids[0]).not.toBe(ids[1])
  expect([await fileOf(same), await fileOf(same)]).toEqual(ids)
})

it('restores files with a snapshot, and forgets them with a reset', async () => {
  await using sim = simulatorOf(batch)
  const id = await fileOf(sim)
  await using other = simulatorOf(batch)
  other.restore(sim.snapshot())
  expect((await send(other, 'GET', `/acme/files/${id}/content`)).text).toBe('one\ntwo\n')
  other.reset()
  expect(await send(other, 'GET', `/acme/files/${id}/content`)).toMatchObject({ status: 404 })
})

it('animates an uploaded image, whose link needs no key', async () => {
  const pixel =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const operations = {
    upload,
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string(), image: z.string() }),
      images: ({ image }, { file }) => [file(image)?.dataUrl],
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: (job) => ({ id: job.id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ url }) => ({ url }) }),
    all: list({ route: 'GET /acme/jobs', reply: (jobs) => jobs.length }),
    open: download({ route: 'GET /acme/open/{id}', uploaded: (file) => file }),
  }
  await using sim = simulatorOf({ operations })
  const image = await fileOf(sim, pixel)
  await send(sim, 'POST', '/acme/jobs', { body: { text: 'a kite', image } })
  expect(sim.tasks()).toMatchObject([
    { request: { imageDigest: expect.stringMatching(/^[\da-f]{64}$/) as string } },
  ])
  const response = await sim.fetch(`/acme/open/${image}`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await send(sim, 'GET', '/acme/jobs')).text).toBe('1')
})

it('refuses a file that is missing in the envelope', async () => {
  const anything = call({ route: 'POST /acme/files', body: z.looseObject({}), reply: ({ body, store }) => record(store(body['file'] as string)) }) // prettier-ignore
  await using sim = simulatorOf({ operations: { ...acme.operations, anything } })
  expect(await send(sim, 'POST', '/acme/files', { body: {} })).toMatchObject({
    status: 422,
    text: '{"oops":"the file is missing, or there are several"}',
  })
})
