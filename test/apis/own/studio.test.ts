import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../../src/index.ts'
import { knownApis } from '../../../src/apis/define/own-apis.ts'
import { studio } from './studio.ts'

const key = { 'x-studio-key': 'st_1' }

function open(options: EmbeddedOptions = {}) {
  const sim = createSimulator({ apis: [studio], cacheDir: false, clock: { mode: 'manual' }, ...options })
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = key) => {
    const response = await sim.fetch(path, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const bytes = await response.arrayBuffer()
    const type = response.headers.get('content-type') ?? ''
    const json = type.includes('json') ? JSON.parse(new TextDecoder().decode(bytes)) : undefined
    return { status: response.status, type, json: json as Record<string, never>, headers: response.headers }
  }
  const make = async (body: object = {}): Promise<string> =>
    (await call('POST', '/studio/takes', { text: 'a red kite', seconds: 1, size: '128x96', ...body })).json[
      'id'
    ]!
  return { call, make, clock: sim.clock, [Symbol.asyncDispose]: () => sim.close() }
}

it('makes a take, and another one of it', async () => {
  await using sim = open()
  const id = await sim.make({ voice: 'anna' })
  const { json } = await sim.call('POST', `/studio/takes/${id}/remixes`, { text: 'a blue kite' })
  expect(json).toMatchObject({ state: 'accepted', style: 'remixed', remixOf: id })
  await sim.clock.advance('1m')
  const done = await sim.call('GET', `/studio/takes/${json['id']}`)
  expect(done.type).toBe('application/vnd.studio+json')
  expect(done.json).toMatchObject({
    state: 'cut',
    progress: 100,
    files: { poster: expect.stringContaining('still=') },
  })
})

it('has the defaults of the vendor', async () => {
  await using sim = open()
  const { status, json, headers } = await sim.call('POST', '/studio/takes', { text: 'a kite' })
  expect([status, headers.get('location')]).toEqual([201, `/studio/takes/${json['id']}`])
  await sim.clock.advance('6s')
  expect((await sim.call('GET', `/studio/takes/${json['id']}`)).json).toMatchObject({
    state: 'shooting',
    progress: 12,
  })
})

it('lists takes in pages, and forgets one', async () => {
  await using sim = open()
  const ids = [await sim.make(), await sim.make(), await sim.make()]
  const { json } = await sim.call('GET', '/studio/takes?limit=2')
  expect(json).toMatchObject({ has_more: true, last_id: ids[1] })
  expect((await sim.call('DELETE', `/studio/takes/${ids[0]}`)).status).toBe(204)
  expect((await sim.call('GET', `/studio/takes/${ids[0]}`)).status).toBe(404)
})

it('refuses in two envelopes, with codes of its own', async () => {
  await using sim = open()
  const id = await sim.make()
  const early = await sim.call('GET', `/studio/takes/${id}/file`)
  expect([early.status, early.json]).toEqual([425, { status: 425, title: 'The take is accepted' }])
  const voice = await sim.call('POST', '/studio/takes', { text: 'a kite', voice: 'carl' })
  expect([voice.status, voice.json, voice.headers.get('x-greenroom-hint')]).toEqual([
    400,
    { errors: [{ code: 'bad_request', message: 'There is no voice carl' }] },
    'Use anna or ben.',
  ])
  const size = await sim.call('POST', '/studio/takes', {
    model: 'studio-lite',
    text: 'a kite',
    size: '640x480',
  })
  expect([size.status, size.headers.get('x-studio-error')]).toEqual([409, 'bad_size'])
  const image = await sim.call('POST', '/studio/takes', { text: 'a kite', still: 'nope' })
  expect(image.json['errors']).toMatchObject([{ message: expect.stringMatching(/^still /) }])
  expect((await sim.call('GET', '/studio/takes/none')).json).toEqual({
    errors: [{ code: 'no_take', message: 'There is no such take' }],
  })
  const stranger = await sim.call('GET', '/studio/takes/none', undefined, { 'x-studio-key': 'no' })
  expect(stranger.json).toMatchObject({ status: 401 })
})

it('sends files and thumbnails with their names, until they expire', async () => {
  await using sim = open()
  const id = await sim.make()
  await sim.clock.advance('1m')
  const path = `/studio/takes/${id}/file`
  const [file, still] = [await sim.call('GET', path), await sim.call('GET', `${path}?still=thumbnail`)]
  expect([file.type, file.headers.get('x-take')]).toEqual(['video/mp4', `${id}.video`])
  expect([still.type, still.headers.get('x-take')]).toEqual(['image/webp', `${id}.thumbnail`])
  await sim.clock.advance('24h')
  expect((await sim.call('GET', path)).status).toBe(410)
})

it('differs by its quirks', async () => {
  await using sim = open({
    profile: 'page',
    quirks: { studioStates: 'numbered' } as EmbeddedOptions['quirks'] & object,
  })
  const ids = [await sim.make(), await sim.make()]
  expect((await sim.call('GET', `/studio/takes/${ids[1]}`)).json).toMatchObject({ state: 'accepted-2' })
  await sim.clock.advance('1m')
  const moved = await sim.call('GET', `/studio/takes/${ids[0]}/file`)
  expect(moved.status).toBe(302)
  expect((await sim.call('GET', moved.headers.get('location')!, undefined, {})).type).toBe('video/mp4')
})

it('describes its replies in the OpenAPI document', async () => {
  await using sim = open()
  const { json } = await sim.call('GET', '/_greenroom/openapi.json')
  expect(JSON.stringify(json['paths']!['/studio/takes/{take}'])).toContain('"remixOf"')
})

it('is explored with redirects, and with expired links if a scenario says so', () => {
  const variants = knownApis([studio]).flatMap(({ exploration }) => exploration?.variants ?? [])
  expect(variants).toMatchObject([
    { id: 'redirected takes', operation: 'studio.file', quirks: { studioDelivery: 'redirect' } },
    { id: 'expired studio.file', operation: 'studio.file', needs: 'resultExpiresAfter' },
  ])
})
