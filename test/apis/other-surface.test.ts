import { expect, it } from 'vitest'
import { describeTransportsAnd, type OpenTransport } from '../support/transports.ts'
import { draw, drawn, fetchDrawing, postDrawing } from '../support/drawing.ts'
import { authorization, submitVideo } from '../support/video.ts'

const ask = async (transport: OpenTransport, path: string, init: RequestInit = {}): Promise<unknown> => {
  const response = await transport.call(path, { ...init, headers: { authorization } })
  return [response.status, await response.json()]
}

const unknownVideo = [400, { code: 'task_not_exist', message: 'task_not_exist', data: null }]

describeTransportsAnd('express')((open) => {
  it('knows no drawing in the video API', async () => {
    await using transport = await open({ video: { listAndDelete: true } })
    const { id } = await drawn(transport, 'submit/imagine', { prompt: 'a red kite' })
    expect(await ask(transport, `/v1/video/generations/${id}`)).toEqual(unknownVideo)
    expect(await ask(transport, `/v1/videos/${id}`)).toEqual(unknownVideo)
    expect(await ask(transport, `/v1/videos/${id}`, { method: 'DELETE' })).toEqual(unknownVideo)
    expect(await ask(transport, `/v1/videos/${id}/content`)).toEqual([
      404,
      { error: { message: 'Task not found', type: 'invalid_request_error' } },
    ])
    const remix = await postDrawing(transport, `/v1/videos/${id}/remix`, { prompt: 'a blue one' })
    expect([remix.status, await remix.json()]).toMatchObject([400, { message: 'task_origin_not_exist' }])
    const video = await submitVideo(transport)
    expect(await ask(transport, '/v1/videos')).toMatchObject([
      200,
      { data: [{ id: video }], has_more: false },
    ])
    expect(await fetchDrawing(transport, id)).toMatchObject({ id, status: 'SUCCESS' })
  })

  it('knows no video in the drawing API', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const unknownDrawing = [400, { code: 4, description: 'task_no_found ', type: 'upstream_error' }]
    expect(await ask(transport, `/mj/task/${id}/fetch`)).toEqual(unknownDrawing)
    expect(await ask(transport, `/mj/image/${id}`)).toEqual([400, { error: 'midjourney_task_not_found' }])
    expect(await draw(transport, 'submit/modal', { taskId: id })).toMatchObject({
      description: 'task_not_found ',
    })
  })

  it('moves no time and counts no poll for a task of another API', async () => {
    await using transport = await open()
    const { result: id } = await draw(transport, 'submit/imagine', { prompt: 'a red kite' })
    const before = transport.sim.clock.now()
    await ask(transport, `/v1/video/generations/${id}`)
    expect(transport.sim.clock.now()).toEqual(before)
    expect(transport.sim.journal({ operation: 'video.poll' })).toMatchObject([{ status: 400, task: null }])
  })
})
