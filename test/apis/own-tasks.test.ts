import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { describeTransports, openDirect, type OpenTransport } from '../support/transports.ts'
import { submitVideo } from '../support/video.ts'

const options: EmbeddedOptions = {
  clock: { mode: 'manual' },
  video: { listAndDelete: true },
}

const as = (key: string, method = 'GET'): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${key}`, origin: 'https://page.example' },
})

async function listVideos(transport: OpenTransport, key: string, query = ''): Promise<string[]> {
  const { data } = (await (await transport.call(`/v1/videos${query}`, as(key))).json()) as {
    data: { id: string }[]
  }
  return data.map(({ id }) => id)
}

it('lists the own tasks of a key after a restore, too', async () => {
  await using transport = await openDirect(options)
  const own = await submitVideo(transport, {}, as('sk-one').headers as Record<string, string>)
  await using restored = await openDirect(options)
  restored.sim.restore(transport.sim.snapshot())
  expect(await listVideos(restored, 'sk-one')).toEqual([own])
  expect(await listVideos(restored, 'sk-other')).toEqual([])
})

describeTransports((open) => {
  it('lists only the videos that the same key submitted', async () => {
    await using transport = await open(options)
    const own = await submitVideo(transport, {}, as('sk-one').headers as Record<string, string>)
    const other = await submitVideo(transport, {}, as('sk-other').headers as Record<string, string>)
    expect(await listVideos(transport, 'sk-one')).toEqual([own])
    expect(await listVideos(transport, 'sk-other')).toEqual([other])
    expect(await listVideos(transport, 'sk-third')).toEqual([])
    const page = await transport.call(`/v1/videos?after=${own}`, as('sk-other'))
    expect([page.status, await page.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'task_not_exist' }),
    ])
  })

  it('deletes only a video that the same key submitted', async () => {
    await using transport = await open(options)
    const id = await submitVideo(transport, {}, as('sk-one').headers as Record<string, string>)
    const refused = await transport.call(`/v1/videos/${id}`, as('sk-other', 'DELETE'))
    const unknown = await transport.call('/v1/videos/task_none', as('sk-other', 'DELETE'))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual(await unknown.json())
    expect(await listVideos(transport, 'sk-one')).toEqual([id])
    const deleted = await transport.call(`/v1/videos/${id}`, as('sk-one', 'DELETE'))
    expect(await deleted.json()).toMatchObject({ id, deleted: true })
    expect(await listVideos(transport, 'sk-one')).toEqual([])
  })
})
