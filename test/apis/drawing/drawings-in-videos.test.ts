import { expect, it } from 'vitest'
import { requestedClip } from '../../../src/apis/jobs/job/record.ts'
import { describeTransportsAnd } from '../../support/transports.ts'
import { authorization, getContent, submitVideo } from '../../support/video.ts'

describeTransportsAnd(
  'express',
  'http-middleware',
)((open) => {
  it('uses no drawing of another namespace, whose URL counts like any other', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const ask = async (key: string, path: string, body: unknown): Promise<Record<string, string>> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await transport.call(path, init)).json()) as Record<string, string>
    }
    const { result: drawn = '' } = await ask('sk-sim-one', '/mj/submit/imagine', { prompt: 'a red fox' })
    for (const name of ['one', 'two']) await transport.sim.namespace(name).clock.advance('5m')
    const request = { model: 'video-1', prompt: 'it runs', image: `${transport.url}/mj/image/${drawn}` }
    const { id: own = '' } = await ask('sk-sim-one', '/v1/video/generations', request)
    const { id: foreign = '' } = await ask('sk-sim-two', '/v1/video/generations', request)
    const drawingOf = (id: string): unknown =>
      transport.sim.core.tasks.find(id)!.record.request['imageDrawing']
    expect([drawingOf(own), drawingOf(foreign)]).toEqual([expect.objectContaining({}), undefined])
  })

  it('animates a finished drawing that is named by its URL, and stores its content', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const json = { authorization, 'content-type': 'application/json' }
    const ask = async (path: string, body: unknown): Promise<Record<string, string>> => {
      const init = { method: 'POST', headers: json, body: JSON.stringify(body) }
      return (await (await transport.call(path, init)).json()) as Record<string, string>
    }
    const { result: drawn = '' } = await ask('/mj/submit/imagine', { prompt: 'a red fox in the snow' })
    const image = `${transport.url}/mj/image/${drawn}`
    const early = await submitVideo(transport, { image })
    await transport.sim.clock.advance('5m')
    const [{ drawing }] = transport.sim.task(drawn).request['pictures'] as unknown as [{ drawing: object }]
    const [still, fox, elsewhere] = [
      await submitVideo(transport, { prompt: 'it stands', image }),
      await submitVideo(transport, {
        prompt: 'it runs',
        image: `https://gateway.example/mj-fast/mj/image/${drawn}?width=64`,
      }),
      await submitVideo(transport, {
        prompt: 'it sits',
        image: 'https://gateway.example/mj/image/1234567890123456',
      }),
    ]
    const drawingOf = (id: string): unknown => transport.sim.task(id).request['imageDrawing']
    expect([early, elsewhere].map(drawingOf)).toEqual([undefined, undefined])
    expect([still, fox].map(drawingOf)).toEqual([drawing, drawing])
    await transport.sim.clock.advance('5m')
    const video = await (await getContent(transport, fox)).arrayBuffer()
    const { id: remixed = '' } = await ask(`/v1/videos/${fox}/remix`, { prompt: 'it jumps' })
    expect(drawingOf(remixed)).toEqual(drawing)

    // The video stays the same after its drawing was deleted.
    const clip = requestedClip(transport.sim.core.tasks.find(fox)!)
    expect(clip.image).toEqual({ picture: { kind: 'picture', drawing } })
    const document = transport.sim.snapshot()
    const state = document.state.filter(([, [id]]) => id !== drawn)
    transport.sim.restore({ ...document, state })
    expect(await (await getContent(transport, fox)).arrayBuffer()).toEqual(video)
  })
})
