import type { NextFunction, Request, Response as ExpressResponse } from 'express'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { listening, loadExpress } from '../support/express.ts'
import { outcomeOf } from '../support/faults.ts'
import { authorization, pollVideo, submitVideo } from '../support/video.ts'

describe.each([4, 5] as const)('in an application of Express %i', (major) => {
  /** An application with greenroom below `/gateway`, and routes of its own behind it. */
  async function open(before: (express: Awaited<ReturnType<typeof loadExpress>>) => unknown[] = () => []) {
    const express = await loadExpress(major)
    const sim = createSimulator({ cacheDir: false })
    const app = express()
    for (const each of before(express)) app.use(each as () => void)
    app.use('/gateway', sim.middleware())
    app.get('/gateway/v1/mine', (_request, response) => void response.send('mine'))
    app.use((error: Error, _request: Request, response: ExpressResponse, _next: NextFunction) => {
      response.status(500).send(error.message)
    })
    const { url, ...server } = await listening(app)
    return {
      sim,
      url: `${url}/gateway`,
      fetch,
      call: (path: string, init?: RequestInit): Promise<Response> => fetch(`${url}/gateway${path}`, init),
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]()
        await sim.close()
      },
    }
  }

  it('answers below its path with links that lead back there, and leaves the rest to the application', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    const { result_url: link } = await pollVideo(transport, id)
    expect(link).toBe(`${transport.url}/v1/videos/${id}/content`)
    const video = await fetch(String(link), { headers: { authorization, range: 'bytes=4-7' } })
    expect([video.status, await video.text()]).toEqual([206, 'ftyp'])
    expect(await (await transport.call('/v1/mine')).text()).toBe('mine')
    expect((await transport.call('/v1/yours')).status).toBe(404)
    expect((await transport.call('/ns/other/v1/models', { headers: { authorization } })).status).toBe(200)
    expect((await transport.call('/_greenroom/health')).status).toBe(200)
    expect(transport.sim.journal().every(({ operation }) => operation !== null)).toBe(true)
  })

  const parsers: readonly [string, string, string | FormData][] = [
    ['json', 'application/json', JSON.stringify({ model: 'video-1', prompt: 'a kite ünd a "boat"' })],
    ['urlencoded', 'application/x-www-form-urlencoded', 'model=video-1&prompt=a+kite+%C3%BCnd+a+%22boat%22'],
    ['text', 'application/json', JSON.stringify({ model: 'video-1', prompt: 'a kite ünd a "boat"' })],
    ['raw', 'application/json', JSON.stringify({ model: 'video-1', prompt: 'a kite ünd a "boat"' })],
  ]

  it.each(parsers)('takes a body that express.%s has read', async (parser, type, body) => {
    await using transport = await open((express) => [
      (express as unknown as Record<string, (options: object) => unknown>)[parser]!({ type, extended: true }),
    ])
    const init = { method: 'POST', headers: { authorization, 'content-type': type }, body }
    expect((await transport.call('/v1/video/generations', init)).status).toBe(200)
    expect(transport.sim.journal()[0]).toMatchObject({ model: 'video-1', prompt: 'a kite ünd a "boat"' })
  })

  it('takes a body that a parser has left alone', async () => {
    await using transport = await open((express) => [express.json(), express.urlencoded({ extended: true })])
    const body = new FormData()
    body.set('model', 'video-1')
    body.set('prompt', 'a red kite')
    const init = { method: 'POST', headers: { authorization }, body }
    expect((await transport.call('/v1/video/generations', init)).status).toBe(200)
  })

  it('says what to do where a body was read and is not to be had again', async () => {
    const swallow = (request: Request, _response: unknown, next: NextFunction): void => {
      request.resume().once('end', () => next())
    }
    await using transport = await open(() => [swallow])
    const body = new FormData()
    body.set('prompt', 'a red kite')
    const response = await transport.call('/v1/video/generations', {
      method: 'POST',
      headers: { authorization },
      body,
    })
    expect([response.status, await response.text()]).toEqual([
      500,
      'Failed to answer POST /v1/video/generations: its body (multipart/form-data) was read before it came to ' +
        "greenroom, and can't be had again. Mount sim.middleware() in front of what reads bodies.",
    ])
  })

  it('breaks connections as a server of its own does', async () => {
    await using transport = await open()
    transport.sim.next('video.poll', { fault: 'reset' })
    const id = await submitVideo(transport)
    const poll = () => transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    expect(await outcomeOf(poll)).toMatchObject({ where: 'fetch', code: 'ECONNRESET' })
    expect((await poll()).status).toBe(200)
    expect(transport.sim.journal()[1]).toMatchObject({ fault: 'reset', approximated: false })
  })
})

it('needs no more than a request, a response and who comes next', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const greenroom = sim.middleware()
  await using server = await listening((request, response) => {
    // As connect does: it shortens the path and stores the original.
    const cut = Object.assign(request, { originalUrl: request.url, url: request.url!.replace('/gw', '') })
    greenroom(cut, response, () => response.writeHead(418).end())
  })
  const transport = {
    sim,
    call: (path: string, init?: RequestInit): Promise<Response> => fetch(`${server.url}/gw${path}`, init),
  }
  const id = await submitVideo(transport)
  await sim.clock.advance('1m')
  expect((await pollVideo(transport, id)).result_url).toBe(`${server.url}/gw/v1/videos/${id}/content`)
  expect((await transport.call('/v1/elsewhere')).status).toBe(418)
})
