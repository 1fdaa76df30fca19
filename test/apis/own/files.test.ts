import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  answer,
  defineApi,
  download,
  poll,
  result,
  submit,
  z,
  type JobRequest,
} from '../../../src/apis/own/index.ts'
import { describeTransports } from '../../support/transports.ts'
import { acme, call as send, create, get, makeJob, simulatorOf } from './acme.ts'

const key = { authorization: 'Bearer sk-a' }

/** A submission of jobs that make these files. */
const making = (request: Partial<JobRequest>) =>
  submit({
    route: 'POST /acme/jobs',
    body: z.object({ text: z.string() }),
    job: ({ body }) => ({ model: 'acme-1', prompt: body.text, ...request }),
    reply: (job) => ({ id: job.id }),
  })

const show = poll({
  route: 'GET /acme/jobs/{id}',
  reply: (job) => ({ makes: job.makes, files: job.files.map(({ kind, url }) => ({ kind, url })) }),
})
interface Found {
  readonly makes: string
  readonly files: readonly { readonly kind: string; readonly url: string }[]
}

async function finished(sim: ReturnType<typeof simulatorOf>, text?: string): Promise<Found> {
  const id = await makeJob(sim, text)
  await sim.clock.advance('5m')
  return JSON.parse((await send(sim, 'GET', `/acme/jobs/${id}`)).text) as Found
}

const bytesAt = async (sim: ReturnType<typeof simulatorOf>, url: string): Promise<Buffer> =>
  Buffer.from(await (await sim.fetch(url)).arrayBuffer())

it('makes several files of one job, each of its kind', async () => {
  const files = [
    { makes: 'audio' },
    { makes: 'audio', format: 'mp3' },
    { makes: 'image', format: 'jpeg' },
    { makes: 'video' },
    { makes: 'video' },
    { makes: 'text', text: 'la la la' },
  ] as const
  await using sim = simulatorOf({ operations: { create: making({ files, seconds: 2 }), show } })
  const found = await finished(sim)
  expect(found.makes).toBe('audio')
  expect(found.files.map(({ kind }) => kind)).toEqual(files.map(({ makes }) => makes))
  const types = await Promise.all(
    found.files.map(async ({ url }) => (await sim.fetch(url)).headers.get('content-type')),
  )
  expect(types).toEqual([
    'audio/wav',
    'audio/mpeg',
    'image/jpeg',
    'video/mp4',
    'video/mp4',
    'text/plain; charset=utf-8',
  ])
  const [, , , first, second, text] = await Promise.all(found.files.map(({ url }) => bytesAt(sim, url)))
  expect(first!.equals(second!)).toBe(false)
  expect(text!.toString()).toBe('la la la')
})

it('has a download for each kind, whose links have the second names of its files', async () => {
  const song = download({ route: 'GET HEAD /cdn/{id}.mp3', makes: 'audio', alias: 'clip' })
  const cover = download({ route: 'GET HEAD /cdn/cover-of/{id}.jpeg', makes: 'image', alias: 'clip' })
  const files = [
    { makes: 'audio', format: 'mp3' },
    { makes: 'image', format: 'jpeg' },
    { makes: 'audio', format: 'mp3' },
    { makes: 'image', format: 'jpeg' },
  ] as const
  await using sim = simulatorOf({
    aliases: { clip: 'uuid' },
    operations: { create: making({ files }), show, song, cover },
  })
  const { files: found } = await finished(sim)
  const clips = found.map(({ url }) => /([\da-f-]{36})\.(mp3|jpeg)$/.exec(url)?.slice(1))
  expect(clips.map((clip) => clip?.[1])).toEqual(['mp3', 'jpeg', 'mp3', 'jpeg'])
  expect(clips[0]![0]).toBe(clips[1]![0])
  expect(clips[2]![0]).toBe(clips[3]![0])
  expect(clips[0]![0]).not.toBe(clips[2]![0])
  const [one, , other] = await Promise.all(found.map(({ url }) => bytesAt(sim, url)))
  expect(one!.equals(other!)).toBe(false)
})

it('makes as many sounds as requested, the same for the same seed', async () => {
  const operations = { create: making({ makes: 'audio', count: 2, seconds: 3 }), show }
  await using sim = simulatorOf({ operations })
  await using same = simulatorOf({ operations })
  await using other = simulatorOf({ operations }, { seed: 2 })
  const songsOf = async (each: typeof sim): Promise<Buffer[]> => {
    const { files } = await finished(each)
    return Promise.all(files.map(({ url }) => bytesAt(each, url)))
  }
  const [first, second] = await songsOf(sim)
  expect(first).toHaveLength(44 + 3 * 8_000)
  expect(first!.equals(second!)).toBe(false)
  expect((await songsOf(same))[0]!.equals(first!)).toBe(true)
  expect((await songsOf(other))[0]!.equals(first!)).toBe(false)
})

it('sends a part of a sound', async () => {
  await using sim = simulatorOf({ operations: { create: making({ makes: 'audio' }), show } })
  const { files } = await finished(sim)
  const response = await sim.fetch(files[0]!.url, { headers: { range: 'bytes=0-3' } })
  expect([response.status, await response.text()]).toEqual([206, 'RIFF'])
})

it('sends one of several files as a reply', async () => {
  const text = result({
    route: 'GET /acme/jobs/{id}/{n}',
    reply: (job, { params }) => job.files[Number(params['n'])] ?? answer(404, {}),
  })
  const files = [{ makes: 'image' }, { makes: 'text', text: '{"a":1}\n', type: 'application/jsonl' }] as const
  await using sim = simulatorOf({ operations: { create: making({ files }), get, text } })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  expect(await send(sim, 'GET', `/acme/jobs/${id}/1`)).toMatchObject({
    status: 200,
    type: 'application/jsonl',
    text: '{"a":1}\n',
  })
  expect(await send(sim, 'GET', `/acme/jobs/${id}/2`)).toMatchObject({ status: 404 })
})

it('shows a drawing for a job that makes sounds only', async () => {
  await using sim = simulatorOf({ operations: { create: making({ makes: 'audio' }), show } })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  const poster = await sim.fetch(`/_greenroom/tasks/${id}/poster`)
  expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/png'])
})

it.each([
  ["makes is \"song\". Return 'video', 'image', 'audio' or 'text'", { makes: 'song' }],
  ['files is [{"makes":"song"}]. Return a list of 1 to 16 files', { files: [{ makes: 'song' }] }],
])('answers with 500 for a job whose %s', async (message, fields) => {
  const operations = { create: making(fields as never), get }
  await using sim = simulatorOf({ operations }, { onWarning: () => {} })
  const { text } = await send(sim, 'POST', '/acme/jobs', { body: { text: 'a' } })
  expect((JSON.parse(text) as { oops: string }).oops).toContain(message)
})

describeTransports((open) => {
  it.each<[string, unknown, string, string]>([
    ['a text', answer(200, 'a,b', { 'content-type': 'text/csv' }), 'text/csv', 'a,b'],
    [
      'JSON Lines',
      answer(200, [{ a: 1 }, { a: 2 }], { 'Content-Type': 'application/jsonl' }),
      'application/jsonl',
      '{"a":1}\n{"a":2}\n',
    ],
    [
      'lines that are a text',
      answer(200, '{"a":1}', { 'content-type': 'application/x-ndjson' }),
      'application/x-ndjson',
      '{"a":1}',
    ],
    [
      'other JSON',
      answer(200, 'a', { 'content-type': 'application/vnd.a+json' }),
      'application/vnd.a+json',
      '"a"',
    ],
    ['bytes', answer(200, Uint8Array.of(97, 98), { 'content-type': 'audio/aac' }), 'audio/aac', 'ab'],
    ['bytes without a type', Uint8Array.of(97), 'application/octet-stream', 'a'],
  ])('sends %s as the body of a reply', async (_what, reply, type, text) => {
    const read = poll({ route: 'GET /acme/jobs/{id}', reply: () => reply })
    await using gateway = await open({
      apis: [defineApi({ ...acme, operations: { create, read } })],
      cacheDir: false,
    })
    const headers = { ...key, 'content-type': 'application/json' }
    const made = await gateway.call('/acme/jobs', { method: 'POST', headers, body: '{"text":"a"}' })
    const { id } = (await made.json()) as { id: string }
    const response = await gateway.call(`/acme/jobs/${id}`, { headers: key })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      type,
      text,
    ])
  })
})

it('sends the replies of an operation in its media type', async () => {
  const log = result({ route: 'GET /acme/jobs/{id}/log', contentType: 'text/plain', reply: () => 'made' })
  await using sim = simulatorOf({ operations: { create, get, log } })
  expect(await send(sim, 'GET', `/acme/jobs/${await makeJob(sim)}/log`)).toMatchObject({
    type: 'text/plain',
    text: 'made',
  })
})

it('refuses bytes with another status than 200', async () => {
  const log = result({ route: 'GET /acme/jobs/{id}/log', reply: () => answer(201, Uint8Array.of(1)) })
  await using sim = simulatorOf({ operations: { create, get, log } }, { onWarning: () => {} })
  const { status, text } = await send(sim, 'GET', `/acme/jobs/${await makeJob(sim)}/log`)
  expect([status, text]).toEqual([500, expect.stringContaining('it returns bytes with status 201')])
})

const { GREENROOM_TEST_FFMPEG: ffmpeg } = process.env

it.runIf(ffmpeg).each([
  ['wav', 'pcm_u8'],
  ['mp3', 'mp3'],
] as const)('makes a %s of the requested length that ffprobe reads', async (format, codec) => {
  await using sim = simulatorOf({
    operations: { create: making({ makes: 'audio', format, seconds: 7 }), show },
  })
  const { files } = await finished(sim)
  const file = join(process.env['TMPDIR'] ?? '/tmp', `greenroom-${process.pid}.${format}`)
  writeFileSync(file, await bytesAt(sim, files[0]!.url))
  const found = execFileSync(ffmpeg!.replace(/ffmpeg$/, 'ffprobe'), [
    '-v', 'error', '-show_entries', 'stream=codec_name:format=duration', '-of', 'json', file,
  ]) // prettier-ignore
  const { streams, format: probed } = JSON.parse(String(found)) as {
    streams: { codec_name: string }[]
    format: { duration: string }
  }
  expect(streams).toMatchObject([{ codec_name: codec }])
  expect(Number(probed.duration)).toBeCloseTo(7, 0)
})
