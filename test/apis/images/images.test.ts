import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { describeTransports, openDirect, type OpenTransport } from '../../support/transports.ts'
import { postJson } from '../../support/text.ts'
import { authorization } from '../../support/video.ts'

type Called = Pick<OpenTransport, 'call'>

interface Images {
  created: number
  size?: string
  quality?: string
  background?: string
  output_format?: string
  data: { url?: string; b64_json?: string; revised_prompt?: string }[]
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number }
}

interface ImageEvent {
  type: string
  b64_json: string
  partial_image_index?: number
}

const small = { model: 'sim-image-1', prompt: 'a red fox in the snow', size: '128x96' }

const generate = (transport: Called, fields: object): Promise<Response> =>
  postJson(transport, '/v1/images/generations', { ...small, ...fields })

const imagesOf = async (response: Response): Promise<Images> => (await response.json()) as Images

const bytesOf = ({ data }: Images, index = 0): Buffer => Buffer.from(data[index]!.b64_json!, 'base64')

const make = async (transport: Called, fields: object): Promise<Images> =>
  imagesOf(await generate(transport, { response_format: 'b64_json', ...fields }))

function edit(transport: Called, fields: Record<string, string>, files: Record<string, Buffer | Buffer[]>) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...small, response_format: 'b64_json', ...fields }))
    form.append(name, value)
  for (const [name, given] of Object.entries(files))
    for (const bytes of [given].flat())
      form.append(name, new Blob([bytes as BlobPart], { type: 'image/png' }), 'a.png')
  return transport.call('/v1/images/edits', { method: 'POST', headers: { authorization }, body: form })
}

const kite = (): Promise<Buffer> => readFile('fixtures/pictures/kite-64x48.png')

async function eventsOf(response: Response): Promise<ImageEvent[]> {
  const texts = (await response.text()).split('\n\n').filter(Boolean)
  return texts.map((text) => {
    const [event, data] = text.split('\n')
    const parsed = JSON.parse(data!.slice('data: '.length)) as ImageEvent
    expect(event).toBe(`event: ${parsed.type}`)
    return parsed
  })
}

describeTransports((open) => {
  it('gives an image as base64, with its form and its tokens', async () => {
    await using transport = await open()
    const images = await make(transport, {})
    expect(images).toMatchObject({
      size: '128x96',
      quality: 'medium',
      background: 'opaque',
      output_format: 'png',
      usage: { input_tokens: 6, total_tokens: 6 + images.usage!.output_tokens },
    })
    const { format, width, height } = await sharp(bytesOf(images)).metadata()
    expect([format, width, height]).toEqual(['png', 128, 96])
  })

  it('gives URLs, under which anyone gets the images', async () => {
    await using transport = await open()
    const { data } = await imagesOf(await generate(transport, { n: 2 }))
    expect(new Set(data.map(({ url }) => url)).size).toBe(2)
    const file = await transport.call(new URL(data[0]!.url!).pathname.replace('/gateway', ''))
    expect(file.headers.get('content-type')).toBe('image/png')
    const { width, height } = await sharp(Buffer.from(await file.arrayBuffer())).metadata()
    expect([width, height]).toEqual([128, 96])
  })

  it('changes an image of a form', async () => {
    await using transport = await open()
    const images = await imagesOf(
      await edit(transport, { prompt: 'a blue balloon', n: '2' }, { image: await kite() }),
    )
    expect(images.data).toHaveLength(2)
    expect((await sharp(bytesOf(images)).metadata()).format).toBe('png')
  })

  it('streams unfinished images before the finished one', async () => {
    await using transport = await open()
    const events = await eventsOf(await generate(transport, { stream: true, partial_images: 2 }))
    expect(events.map(({ type, partial_image_index: index }) => [type, index])).toEqual([
      ['image_generation.partial_image', 0],
      ['image_generation.partial_image', 1],
      ['image_generation.completed', undefined],
    ])
    const whole = await make(transport, {})
    expect(events.at(-1)!.b64_json).toBe(whole.data[0]!.b64_json)
    expect(events[0]!.b64_json).not.toBe(whole.data[0]!.b64_json)
  })

  it('breaks a body with images off where a fault says', async () => {
    await using transport = await open()
    transport.sim.next('images.generate', { fault: { type: 'truncate', at: '40%' } })
    const response = await generate(transport, { response_format: 'b64_json' })
    await expect(response.text()).rejects.toThrow()
  })

  it('breaks a stream off at a share of all its bytes, images too', async () => {
    await using transport = await open()
    const stream = { stream: true, partial_images: 1 }
    const whole = await (await generate(transport, stream)).text()
    transport.sim.next('images.generate', { fault: { type: 'truncate', at: '60%' } })
    const response = await generate(transport, stream)
    const received: Uint8Array[] = []
    const read = async (): Promise<void> => {
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) received.push(part)
    }
    await expect(read()).rejects.toThrow()
    const text = Buffer.concat(received).toString()
    expect(whole.startsWith(text)).toBe(true)
    expect(text.length / whole.length).toBeLessThan(0.61)
  })

  it('answers HEAD for an image with its headers', async () => {
    await using transport = await open()
    const { data } = await imagesOf(await generate(transport, { output_format: 'webp' }))
    const path = new URL(data[0]!.url!).pathname
    const head = await transport.call(path, { method: 'HEAD' })
    const whole = await transport.call(path)
    expect([head.status, head.headers.get('content-type'), head.headers.get('etag')]).toEqual([
      200,
      'image/webp',
      whole.headers.get('etag'),
    ])
  })

  it('halves the JSON around images', async () => {
    await using transport = await open()
    transport.sim.next('images.generate', { fault: 'invalid-json' })
    const response = await generate(transport, { response_format: 'b64_json' })
    expect(response.status).toBe(200)
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })
})

it.each([
  ['model', { model: undefined }, 400],
  ['model', { model: 'sim-text-1' }, 503],
  ['prompt', { prompt: undefined }, 400],
  ['prompt', { prompt: ' ' }, 400],
  ['prompt', { prompt: 7 }, 400],
  ['prompt', { prompt: 'kite '.repeat(7_000) }, 400],
  ['prompt', { prompt: 'a kite [[render soon]]' }, 400],
  ['n', { n: 11 }, 400],
  ['n', { n: 0 }, 400],
  ['n', { n: 1.5 }, 400],
  ['n', { n: '2' }, 400],
  ['size', { size: '1024' }, 400],
  ['size', { size: '32x32' }, 400],
  ['size', { size: '4000x4000' }, 400],
  ['size', { size: '3840x3840' }, 400],
  ['size', { size: '1024x128' }, 400],
  ['size', { model: 'gpt-image-1', size: '512x512' }, 400],
  ['size', { model: 'gpt-image-2', size: '1000x1000' }, 400],
  ['size', { model: 'dall-e-3', size: '512x512' }, 400],
  ['n', { model: 'dall-e-3', size: '1024x1024', n: 2 }, 400],
  ['response_format', { model: 'gpt-image-1', size: 'auto', response_format: 'url' }, 400],
  ['response_format', { response_format: 'file' }, 400],
  ['response_format', { response_format: 'url', stream: true }, 400],
  ['quality', { quality: 'best' }, 400],
  ['background', { background: 'blue' }, 400],
  ['background', { background: 'transparent', output_format: 'jpeg' }, 400],
  ['output_format', { output_format: 'gif' }, 400],
  ['output_compression', { output_compression: 50 }, 400],
  ['output_compression', { output_compression: 101, output_format: 'webp' }, 400],
  ['partial_images', { partial_images: 4, stream: true }, 400],
  ['stream', { stream: 'yes' }, 400],
  ['moderation', { moderation: 'high' }, 400],
  ['style', { style: 'baroque' }, 400],
  ['user', { user: 7 }, 400],
])("names %s in OpenAI's envelope: %o", async (param, fields, status) => {
  await using transport = await openDirect()
  const response = await generate(transport, fields)
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, Object.keys(error), error['param']]).toEqual([
    status,
    ['message', 'type', 'param', 'code'],
    param,
  ])
})

it.each([
  ['image', {}],
  ['image', { image: Buffer.from('hello') }],
  ['image[1]', { 'image[]': ['kite', Buffer.from('hello')] }],
  ['mask', { image: 'kite', mask: Buffer.from('hello') }],
  ['mask', { image: 'kite', mask: 'other' }],
  ['image[0]', { 'image[]': Array.from({ length: 17 }, () => 'kite') }],
])('names %s of an edit', async (param, files) => {
  await using transport = await openDirect()
  const known = { kite: await kite(), other: await readFile('fixtures/pictures/mask.png') }
  const toBytes = (each: string | Buffer) => (typeof each === 'string' ? known[each as 'kite'] : each)
  const sent = Object.entries(files as Record<string, string | Buffer | (string | Buffer)[]>)
  const response = await edit(
    transport,
    {},
    Object.fromEntries(
      sent.map(([name, each]) => [name, Array.isArray(each) ? each.map(toBytes) : toBytes(each)]),
    ),
  )
  const { error } = (await response.json()) as { error: { param: string } }
  expect([response.status, error.param]).toEqual([400, param])
})

it('paints the same words alike in every size and format, in every run, and differently for another seed', async () => {
  await using one = await openDirect({ seed: 1 })
  await using same = await openDirect({ seed: 1 })
  await using other = await openDirect({ seed: 2 })
  const png = bytesOf(await make(one, {}))
  expect(bytesOf(await make(one, { n: 2 }))).toEqual(png)
  expect(bytesOf(await make(same, {}))).toEqual(png)
  expect(bytesOf(await make(other, {}))).not.toEqual(png)
  const webp = await sharp(bytesOf(await make(one, { output_format: 'webp' })))
    .removeAlpha()
    .raw()
    .toBuffer()
  const pixels = await sharp(png).removeAlpha().raw().toBuffer()
  const mean = pixels.reduce((sum, value, at) => sum + Math.abs(value - webp[at]!), 0) / pixels.length
  expect(mean).toBeLessThan(4)
})

it.each(['jpeg', 'webp'])('makes %s smaller with less quality', async (format) => {
  await using transport = await openDirect()
  const fine = bytesOf(await make(transport, { output_format: format }))
  const coarse = bytesOf(await make(transport, { output_format: format, output_compression: 10 }))
  expect((await sharp(fine).metadata()).format).toBe(format)
  expect(coarse.length).toBeLessThan(fine.length)
})

it('leaves the background of a subject out, and makes an oval of a place', async () => {
  await using transport = await openDirect()
  for (const prompt of ['a red fox', 'the sea at dusk']) {
    const image = bytesOf(await make(transport, { prompt, background: 'transparent' }))
    const { hasAlpha } = await sharp(image).metadata()
    const corner = await sharp(image).extract({ left: 0, top: 0, width: 1, height: 1 }).raw().toBuffer()
    expect([hasAlpha, corner[3]]).toEqual([true, 0])
    expect((await sharp(image).stats()).channels[3]!.max).toBe(255)
  }
})

it('paints only what a mask leaves transparent', async () => {
  await using transport = await openDirect()
  const image = await kite()
  const half = { create: { width: 32, height: 48, channels: 4 as const, background: '#000' } }
  const mask = await sharp(image)
    .ensureAlpha()
    .composite([{ input: await sharp(half).png().toBuffer(), left: 32, top: 0, blend: 'dest-out' }])
    .png()
    .toBuffer()
  const images = await imagesOf(
    await edit(transport, { size: '64x64', prompt: 'a green dragon' }, { image, mask }),
  )
  const plain = await imagesOf(
    await edit(transport, { size: '64x64', prompt: 'a red dragon' }, { image, mask }),
  )
  const part = (made: Images, left: number): Promise<Buffer> =>
    sharp(bytesOf(made)).extract({ left, top: 16, width: 16, height: 32 }).raw().toBuffer()
  expect(await part(images, 0)).toEqual(await part(plain, 0))
  expect(await part(images, 44)).not.toEqual(await part(plain, 44))
})

it('changes an image by its own URL', async () => {
  await using transport = await openDirect()
  const { data } = await imagesOf(await generate(transport, {}))
  const fields = { ...small, prompt: 'a cat', response_format: 'b64_json' }
  const ofUrl = await imagesOf(
    await postJson(transport, '/v1/images/edits', { ...fields, images: [{ image_url: data[0]!.url }] }),
  )
  const unknown = await imagesOf(
    await postJson(transport, '/v1/images/edits', {
      ...fields,
      images: [{ image_url: 'https://pictures.example/a.png' }],
    }),
  )
  expect(bytesOf(ofUrl)).not.toEqual(bytesOf(unknown))
})

it('obeys directives in prompts, and draws what is left', async () => {
  await using transport = await openDirect({ clock: { mode: 'auto' } })
  const plain = bytesOf(await make(transport, {}))
  const start = transport.sim.clock.now()
  expect(bytesOf(await make(transport, { prompt: `${small.prompt} [[render 20s]]` }))).toEqual(plain)
  expect(transport.sim.clock.now() - start).toBe(20_000)
  const refused = await generate(transport, { prompt: 'a kite [[fail: content policy]]' })
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      error: {
        message: 'content policy',
        type: 'image_generation_user_error',
        param: 'prompt',
        code: 'moderation_blocked',
      },
    },
  ])
  const busy = await generate(transport, { prompt: 'a kite [[error 429: busy]]' })
  expect([busy.status, await busy.json()]).toEqual([
    429,
    { error: { message: 'busy', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  ])
  await expect((await generate(transport, { prompt: 'a kite [[cut]]' })).text()).rejects.toThrow()
})

it('ends a stream with the error of a directive, or cuts it', async () => {
  await using transport = await openDirect()
  const stream = { stream: true, partial_images: 2 }
  const failed = await eventsOf(
    await generate(transport, { ...stream, prompt: 'a kite [[error 503 after 1]]' }),
  )
  expect(failed).toMatchObject([
    { type: 'image_generation.partial_image' },
    { type: 'error', error: { type: 'server_error' } },
  ])
  const cut = await generate(transport, { ...stream, prompt: 'a kite [[cut after 1]]' })
  await expect(cut.text()).rejects.toThrow()
})

it('takes as long as a text of as many tokens', async () => {
  await using transport = await openDirect({
    clock: { mode: 'auto' },
    text: { timing: { firstToken: '1s', tokensPerSecond: 100 } },
  })
  const start = transport.sim.clock.now()
  const { usage, created } = await make(transport, {})
  const tookMs = 1_000 + usage!.output_tokens * 10
  expect(transport.sim.clock.now() - start).toBe(tookMs)
  expect(created).toBe(Math.floor((start + tookMs) / 1_000))
})

it('charges by tokens, or by image if tasks have a price', async () => {
  const prices = [{ models: 'flat-*', perTask: 0.04 }]
  await using transport = await openDirect({ prices, keys: [{ key: 'sk-test', balance: 0.1 }] })
  await make(transport, { model: 'flat-1', n: 2 })
  expect(transport.sim.usage()).toMatchObject([{ spent: 0.08, balance: 0.02 }])
  const short = await generate(transport, { model: 'flat-1' })
  expect([short.status, ((await short.json()) as { error: { code: string } }).error.code]).toEqual([
    403,
    'insufficient_user_quota',
  ])
  const { usage } = await make(transport, {})
  const dollars = (usage!.input_tokens * 0.5 + usage!.output_tokens * 2) / 1e6
  expect(transport.sim.usage()[0]!.spent).toBeCloseTo(0.08 + dollars, 5)
})

it('serves what a rule wants in place of an image', async () => {
  await using transport = await openDirect()
  transport.sim.addRule({ match: { op: 'images.*' }, media: { size: '64x64' } })
  const { width } = await sharp(bytesOf(await make(transport, {}))).metadata()
  expect(width).toBe(64)
})

it('forgets the images behind URLs with their namespace, and after the retention of results', async () => {
  await using transport = await openDirect({ clock: { mode: 'manual' }, retention: { age: '1h' } })
  const path = async (): Promise<string> =>
    new URL((await imagesOf(await generate(transport, {}))).data[0]!.url!).pathname
  const first = await path()
  expect((await transport.call(first)).status).toBe(200)
  await transport.sim.clock.advance('2h')
  const gone = await transport.call(first)
  expect([gone.status, await gone.json()]).toMatchObject([404, { error: { code: 'image_not_found' } }])
  const second = await path()
  await transport.sim.reset()
  expect((await transport.call(second)).status).toBe(404)
})

it('finds an image of another namespace by its URL', async () => {
  await using transport = await openDirect()
  const headers = { authorization: 'Bearer sk-sim-blue', 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(small) }
  const { data } = await imagesOf(await transport.call('/v1/images/generations', init))
  expect(new URL(data[0]!.url!).pathname).toMatch(/^\/ns\/blue\/v1\/images\/files\/img-\w{24}\.png$/)
  expect((await transport.call(new URL(data[0]!.url!).pathname)).status).toBe(200)
})

it('restores the images behind URLs from a snapshot', async () => {
  await using one = await openDirect()
  const { data } = await imagesOf(await generate(one, {}))
  const { pathname } = new URL(data[0]!.url!)
  const bytes = await (await one.call(pathname)).arrayBuffer()
  await using other = await openDirect()
  await other.sim.restore(await one.sim.snapshot())
  expect(await (await other.call(pathname)).arrayBuffer()).toEqual(bytes)
})

it('advises on sounds and images in chats', async () => {
  await using transport = await openDirect()
  const messages = [{ role: 'user', content: 'a kite' }]
  const response = await postJson(transport, '/v1/chat/completions', {
    model: 'sim-text-1',
    messages,
    modalities: ['text', 'audio'],
  })
  expect(response.headers.get('x-greenroom-hint')).toMatch(/^"audio" in modalities is ignored/)
})

it('answers 500 in the envelope if an image can not be painted', async () => {
  const { core } = createSimulator({ cacheDir: false })
  const picture = (): Promise<never> => Promise.reject(new Error('no paint'))
  await using transport = await openDirect({ media: { ...core.media, picture } })
  for (const form of [{ response_format: 'b64_json' }, { stream: true }]) {
    const response = await generate(transport, form)
    expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([500, 'no paint'])
    expect(((await response.json()) as { error: { type: string } }).error.type).toBe('server_error')
  }
})

it('renders more than ten images of one response without a warning of Node', async () => {
  await using transport = await openDirect()
  const warnings: Error[] = []
  const listen = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', listen)
  const events = await eventsOf(await generate(transport, { n: 10, stream: true, partial_images: 1 }))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect([events.length, warnings]).toEqual([20, []])
})

it('refuses without painting', async () => {
  const { core } = createSimulator({ cacheDir: false })
  const picture = (): Promise<never> => Promise.reject(new Error('painted'))
  await using transport = await openDirect({
    media: { ...core.media, picture },
    throttles: [{ match: { op: 'images.generate' }, rate: { requests: 1, per: '1h' } }],
  })
  const answers = await Promise.all([generate(transport, { size: '7x7' }), generate(transport, { n: 10 })])
  expect(answers.map(({ status }) => status)).toEqual([400, 429])
})

it('leaves out what a rule omits, and keeps the images', async () => {
  await using transport = await openDirect()
  transport.sim.next('images.generate', { respond: { omit: ['usage', 'data[0].b64_json'] } })
  const images = await make(transport, { n: 2 })
  expect([images.usage, images.data[0], images.data[1]!.b64_json!.length > 1_000]).toEqual([
    undefined,
    {},
    true,
  ])
})

it('lists an image in the journal, with its model and its prompt', async () => {
  await using transport = await openDirect()
  await make(transport, {})
  expect(transport.sim.journal()).toMatchObject([
    {
      operation: 'images.generate',
      role: 'text',
      model: small.model,
      prompt: small.prompt,
      content: 'complete',
    },
  ])
})
