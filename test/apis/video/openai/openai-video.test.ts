import { readFileSync } from 'node:fs'
import OpenAI, { toFile } from 'openai'
import { expect, it } from 'vitest'
import { describeTransportsAnd, type OpenTransport } from '../../../support/transports.ts'
import { authorization, pollVideo, submitVideo } from '../../../support/video.ts'

const png = readFileSync(new URL('../../../../fixtures/pictures/kite-64x48.png', import.meta.url))

const clientOf = (transport: OpenTransport): OpenAI =>
  new OpenAI({ apiKey: 'sk-test', baseURL: `${transport.url}/v1`, fetch: transport.fetch, maxRetries: 0 })

const post = (transport: OpenTransport, path: string, body: unknown): Promise<Response> =>
  transport.call(path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describeTransportsAnd(
  'express',
  'http-middleware',
)((open) => {
  it('makes a video for the official SDK: create, retrieve, download', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const client = clientOf(transport)
    const created = await client.videos.create({ model: 'sora-2', prompt: 'a red kite', seconds: '4' })
    expect(created).toMatchObject({
      id: expect.stringMatching(/^task_[0-9A-Za-z]{32}$/),
      object: 'video',
      model: 'sora-2',
      status: 'queued',
      progress: 0,
      seconds: '4',
      size: '720x1280',
    })
    await transport.sim.clock.advanceUntil(created.id, 'IN_PROGRESS')
    expect(await client.videos.retrieve(created.id)).toMatchObject({ status: 'in_progress', progress: 30 })

    await transport.sim.clock.advanceUntil(created.id, 'SUCCESS')
    const done = await client.videos.retrieve(created.id)
    expect(done).toMatchObject({
      status: 'completed',
      progress: 100,
      metadata: { url: `${transport.url}/v1/videos/${created.id}/content` },
    })
    expect(done.completed_at! - done.created_at).toBeGreaterThan(4)
    const video = Buffer.from(await (await client.videos.downloadContent(created.id)).arrayBuffer())
    expect(video.toString('latin1', 4, 8)).toBe('ftyp')
  })

  it('uses the image that the SDK uploads', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const reference = await toFile(png, 'kite.png', { type: 'image/png' })
    const { id } = await clientOf(transport).videos.create({
      prompt: 'let it fly',
      model: 'sora-2',
      input_reference: reference,
    })
    expect(transport.sim.task(id).request).toMatchObject({
      imageDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('takes the URL of an image as the SDK writes it, and no id of a file', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const create = (reference: OpenAI.ImageInputReferenceParam): Promise<OpenAI.Video> =>
      clientOf(transport).videos.create({ prompt: 'let it fly', model: 'sora-2', input_reference: reference })
    const { id } = await create({ image_url: 'https://pictures.example/kite.png' })
    expect(transport.sim.task(id).request).toMatchObject({
      action: 'generate',
      imageUrl: 'https://pictures.example/kite.png',
    })
    await expect(create({ file_id: 'file_1' })).rejects.toMatchObject({ status: 400 })
  })

  it('remixes a video: another prompt, the same model, size and length', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const client = clientOf(transport)
    const { id } = await client.videos.create({
      model: 'sora-2',
      prompt: 'a red kite',
      seconds: '8',
      size: '1280x720',
    })
    const remix = await client.videos.remix(id, { prompt: 'a blue kite' })
    expect(remix).toMatchObject({
      model: 'sora-2',
      seconds: '8',
      size: '1280x720',
      remixed_from_video_id: id,
    })
    expect(remix.id).not.toBe(id)
    expect(transport.sim.task(remix.id).request).toMatchObject({
      prompt: 'a blue kite',
      action: 'remixGenerate',
    })
  })

  it('reads with each API the tasks of the other', async () => {
    await using transport = await open()
    const byGateway = await submitVideo(transport)
    const byOpenai = (await clientOf(transport).videos.create({ model: 'sora-2', prompt: 'a red kite' })).id
    expect(await clientOf(transport).videos.retrieve(byGateway)).toMatchObject({
      size: '128x96',
      seconds: '1',
    })
    expect((await pollVideo(transport, byOpenai)).task_id).toBe(byOpenai)
  })

  it('ends as failed with the reason in the prompt', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const { id } = await clientOf(transport).videos.create({
      model: 'sora-2',
      prompt: 'a kite [[fail: content policy]]',
    })
    await transport.sim.clock.advance('1m')
    expect(await clientOf(transport).videos.retrieve(id)).toMatchObject({
      status: 'failed',
      progress: 100,
      error: { message: 'content policy', code: 'task_failed' },
    })
  })

  it('has exactly the fields of the SDK’s own type in its style, empty ones as null', async () => {
    await using transport = await open({
      quirks: { openaiVideoStyle: 'openai' },
      retention: { age: '24h' },
      clock: { mode: 'manual' },
    })
    const client = clientOf(transport)
    const create = (prompt: string): Promise<OpenAI.Video> =>
      client.videos.create({ model: 'sora-2', prompt, seconds: '4' })
    const created = await create('a red kite')
    const common = { object: 'video', model: 'sora-2', seconds: '4', size: '720x1280' } as const
    const { created_at } = created
    const queued: OpenAI.Video = {
      ...common,
      id: created.id,
      status: 'queued',
      progress: 0,
      created_at,
      completed_at: null,
      expires_at: null,
      prompt: 'a red kite',
      remixed_from_video_id: null,
      error: null,
    }
    expect(created).toEqual(queued)
    await transport.sim.clock.advanceUntil(created.id, 'SUCCESS')
    const remixed = await client.videos.remix(created.id, { prompt: 'a blue kite' })
    expect(remixed).toMatchObject({ remixed_from_video_id: created.id, prompt: 'a blue kite', error: null })
    const done: OpenAI.Video = {
      ...queued,
      status: 'completed',
      progress: 100,
      completed_at: expect.any(Number),
      expires_at: created_at + 24 * 3_600,
    }
    expect(await client.videos.retrieve(created.id)).toEqual(done)
    const failing = await create('a kite [[fail: content policy]]')
    await transport.sim.clock.advance('1m')
    const failed: OpenAI.Video = await client.videos.retrieve(failing.id)
    expect(Object.keys(failed).toSorted()).toEqual(Object.keys(queued).toSorted())
    expect(failed.error).toEqual({ code: 'task_failed', message: 'content policy' })
  })

  it.each([
    [
      '/v1/videos',
      { model: 'sora-2', prompt: 'x', size: '1024x1792' },
      'invalid_size',
      'sora-2 size is invalid',
    ],
    ['/v1/videos', { model: 'sora-2', prompt: ' ' }, 'invalid_request', 'prompt is required'],
    [
      '/v1/videos',
      { model: 'sora-2', prompt: 'x', seconds: '3601' },
      'invalid_seconds',
      'between 1 and 3600',
    ],
    ['/v1/videos/task_x/remix', { prompt: 'x' }, 'task_not_exist', 'task_origin_not_exist'],
  ])('refuses %s %j as %s', async (path, body, code, message) => {
    await using transport = await open()
    const response = await post(transport, path, body)
    expect([response.status, await response.json()]).toEqual([
      400,
      { code, message: expect.stringContaining(message), data: null },
    ])
  })

  it('takes the four sizes of sora-2-pro, and refuses a remix without a prompt', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const created = await post(transport, '/v1/videos', {
      model: 'sora-2-pro',
      prompt: 'x',
      size: '1792x1024',
    })
    const { id } = (await created.json()) as { id: string }
    expect(created.status).toBe(200)
    const remix = await post(transport, `/v1/videos/${id}/remix`, {})
    expect([remix.status, await remix.json()]).toMatchObject([400, { message: 'field prompt is required' }])
  })

  it('answers an unknown video as the gateway does', async () => {
    await using transport = await open()
    await expect(clientOf(transport).videos.retrieve('task_unknown')).rejects.toMatchObject({ status: 400 })
    await expect(clientOf(transport).videos.retrieve('task_unknown')).rejects.toThrow()
  })

  it('lists and deletes for the SDK, if it is switched on', async () => {
    await using transport = await open({ video: { listAndDelete: true }, clock: { mode: 'manual' } })
    const client = clientOf(transport)
    const ids: string[] = []
    for (const prompt of ['one', 'two', 'three']) {
      ids.push((await client.videos.create({ model: 'sora-2', prompt })).id)
    }
    const page = await client.videos.list({ limit: 2 })
    expect(page.data.map(({ id }) => id)).toEqual([ids[2], ids[1]])
    const all: string[] = []
    for await (const video of client.videos.list({ limit: 2, order: 'asc' })) all.push(video.id)
    expect(all).toEqual(ids)

    expect(await client.videos.delete(ids[1]!)).toMatchObject({
      id: ids[1],
      deleted: true,
      object: 'video.deleted',
    })
    await expect(client.videos.retrieve(ids[1]!)).rejects.toMatchObject({ status: 400 })
    expect((await client.videos.list()).data).toHaveLength(2)
    const listed = async (query: string): Promise<unknown> =>
      (await transport.call(`/v1/videos?${query}`, { headers: { authorization } })).json()
    expect(await listed('limit=&order=&after=')).toMatchObject({ first_id: ids[2], has_more: false })
    expect(await listed('limit=0')).toMatchObject({ data: [], last_id: null, has_more: false })
    const wrong = await transport.call('/v1/videos?limit=x', { headers: { authorization } })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'invalid_request' }])
  })

  it('neither lists nor deletes by default, as the gateway', async () => {
    await using transport = await open()
    await expect(clientOf(transport).videos.list()).rejects.toMatchObject({ status: 404 })
    await expect(clientOf(transport).videos.delete('task_x')).rejects.toMatchObject({ status: 404 })
  })
})
