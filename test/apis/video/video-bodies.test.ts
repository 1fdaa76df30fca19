import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../../support/transports.ts'
import { authorization } from '../../support/video.ts'
import { startProcessorTimer } from '../../support/processor-time.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url))
const fields = { model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 }

async function submit(
  transport: OpenTransport,
  body: BodyInit,
  headers: Record<string, string>,
): Promise<[number, string]> {
  const init = { method: 'POST', headers: { authorization, ...headers }, body }
  const response = await transport.call('/v1/video/generations', init)
  return [response.status, await response.text()]
}

describeTransports((open) => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('takes a body in %s as it takes the plain one', async (encoding, compress) => {
    await using transport = await open()
    const body = compress(JSON.stringify(fields))
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    const [status, text] = await submit(transport, body, headers)
    expect([status, JSON.parse(text)]).toMatchObject([200, { model: 'video-1', status: 'queued' }])
  })

  it.each([
    'application/json, application/json',
    'application/json;charset=utf-8',
    'Application/JSON',
    'application/json-seq',
  ])('reads JSON of the type %s, as the gateway compares the beginning', async (type) => {
    await using transport = await open()
    const [status] = await submit(transport, JSON.stringify(fields), { 'content-type': type })
    expect(status).toBe(200)
  })

  it('refuses a small body that unpacks to a large one, a broken one, and an unknown encoding', async () => {
    await using transport = await open({ limits: { bodyMegabytes: 1 } })
    const bomb = ' '.repeat(3 * 1024 * 1024)
    const send = (body: BodyInit, encoding: string): Promise<[number, string]> =>
      submit(transport, body, { 'content-type': 'application/json', 'content-encoding': encoding })
    expect(await send(gzipSync(bomb), 'gzip')).toEqual([400, expect.stringContaining('exceeds 1 MB')])
    expect(await send(brotliCompressSync(bomb), 'br')).toEqual([400, expect.stringContaining('exceeds 1 MB')])
    expect(await send('{}', 'gzip')).toEqual([400, expect.stringContaining('the body is not gzip')])
    expect(await send('{}', 'br')).toEqual([400, expect.stringContaining('the body is not br')])
    expect(await send('{}', 'zstd')).toEqual([400, expect.stringContaining('\\"zstd\\" is not known')])
  })

  it('takes the same fields as an urlencoded and as a multipart form', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
    form.set('metadata', JSON.stringify({ seed: 7 }))
    const encoded = new URLSearchParams([...form] as [string, string][])
    for (const body of [form, encoded]) {
      const [status, text] = await submit(transport, body, {})
      const { id } = JSON.parse(text) as { id: string }
      expect([status, transport.sim.task(id).request]).toMatchObject([
        200,
        { model: 'video-1', prompt: 'a kite', width: 128, height: 96, seconds: 1, seed: '7' },
      ])
    }
  })

  it('takes an image as a file of a form', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
    form.set('input_reference', new Blob([png], { type: 'image/png' }), 'kite.png')
    const [status, text] = await submit(transport, form, {})
    const { id } = JSON.parse(text) as { id: string }
    expect([status, transport.sim.task(id).request]).toMatchObject([
      200,
      { action: 'generate', imageDigest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  it.each(['image', 'input_reference', 'input_reference[]'])(
    'takes several files of a form that are named %s',
    async (name) => {
      await using transport = await open({ clock: { mode: 'manual' } })
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.set(field, String(value))
      const other = await sharp(png).flip().png().toBuffer()
      for (const file of [png, other]) form.append(name, new Blob([file], { type: 'image/png' }), 'kite.png')
      const [status, text] = await submit(transport, form, {})
      const { id } = JSON.parse(text) as { id: string }
      expect([status, transport.sim.task(id).request]).toMatchObject([200, { action: 'firstTailGenerate' }])
    },
  )

  it('says which image is refused, and why', async () => {
    await using transport = await open()
    const data = png.toString('base64')
    const refused: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ images: [data, 'nope'] }, 'images[1] was refused: The image is not a picture'],
      [{ images: [data, 5] }, 'images[1] must be a string: an address, a data URL or base64'],
      [{ images: { 0: data } }, 'images must be a string: an address, a data URL or base64'],
      [{ image: 'data:image/png;base64,' }, 'image is empty'],
      [{ image: [data] }, 'image must be a string: an address, a data URL or base64'],
    ]
    const headers = { 'content-type': 'application/json' }
    for (const [pictures, message] of refused) {
      const [status, text] = await submit(transport, JSON.stringify({ ...fields, ...pictures }), headers)
      expect([status, JSON.parse(text)]).toEqual([
        400,
        { code: 'invalid_request', message: expect.stringContaining(message), data: null },
      ])
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
    form.set('input_reference', new Blob([]), 'kite.png')
    expect(await submit(transport, form, {})).toEqual([
      400,
      expect.stringContaining('input_reference is empty'),
    ])
  })

  it('reads a form that repeats one name quickly', async () => {
    await using transport = await open()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const elapsedMs = startProcessorTimer()
    expect(await submit(transport, `model=m&prompt=p&${'a&'.repeat(100_000)}`, headers)).toEqual([
      400,
      expect.stringContaining('a form has at most 1000 fields'),
    ])
    expect((await submit(transport, `model=m&prompt=p&${'a&'.repeat(900)}`, headers))[0]).toBe(200)
    expect(elapsedMs()).toBeLessThan(3_000)
  })

  it('refuses a form that breaks off', async () => {
    await using transport = await open()
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    expect(
      await submit(transport, '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nvid', headers),
    ).toEqual([400, expect.stringContaining('invalid multipart form')])
    expect(await submit(transport, 'x', { 'content-type': 'multipart/form-data' })).toEqual([
      400,
      expect.stringContaining('invalid multipart form'),
    ])
  })
})
