import { describe, expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'
import { talk } from './talk.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('asks again when the network fails', async () => {
  gateway.addRule({ match: { op: 'video.poll' }, attempts: [503, 'reset', 'ok'] })
  gateway.next('video.content', { fault: 'truncate' })

  await makeVideo('a red kite', { sleep: gateway.clock.sleep })

  expect(gateway).toHavePolled({ status: 503 }, { times: 1 })
  expect(gateway).toHavePolled({ fault: 'reset' }, { times: 1 })
  expect(gateway).toHaveRequested('video.content', { content: 'partial' }, { times: 1 })
  expect(gateway).toHaveDownloaded({}, { times: 1 })
})

it('gives up when its deadline has come', async () => {
  gateway.next('video.poll', { delay: 'forever' })
  const deadline = new AbortController()

  const video = makeVideo('a red kite', { sleep: gateway.clock.sleep, signal: deadline.signal })
  await expect.poll(() => gateway, { timeout: 10_000 }).toHavePolled()
  deadline.abort(new Error('out of time'))

  await expect(video).rejects.toThrow('out of time')
  await expect.poll(() => gateway, { timeout: 10_000 }).toHavePolled({ outcome: 'aborted' })
})

it('lets go of a download', async () => {
  gateway.addRule({ match: { op: 'video.content' }, on: 2, fault: { type: 'drip', bytesPerSecond: 100 } })
  const { id } = await makeVideo('a red kite', { sleep: gateway.clock.sleep })

  const headers = { authorization: `Bearer ${gateway.key}` }
  const response = await fetch(`${gateway.baseUrl}/v1/videos/${id}/content`, { headers })
  const reader = response.body.getReader()
  await reader.read()
  await reader.cancel()

  const isLetGo = { outcome: 'aborted', content: 'partial' }
  await expect.poll(() => gateway, { timeout: 10_000 }).toHaveRequested('video.content', isLetGo)
})

it('asks again when a stream is cut', async () => {
  gateway.next('chat.complete', { stream: { text: 'Kites fly on wind.', cut: { afterChunk: 2 } } })

  const { baseUrl, key, clock } = gateway
  const text = await talk('Why do kites fly?', { baseUrl, key, sleep: clock.sleep })

  expect(text).toMatch(/kite/i)
  expect(gateway).toHaveRequested('chat.complete', { stream: { ended: 'cut' } }, { times: 1 })
  expect(gateway).toHaveRequested('chat.complete', { stream: { ended: 'finished' } }, { times: 1 })
})

describe.concurrent('a hundred tests at once', () => {
  it.for(Array.from({ length: 100 }, (_, index) => index))('makes video %i', async (index, { gateway }) => {
    const { baseUrl, key, clock } = gateway

    await makeVideo(`video ${index}`, { baseUrl, key, sleep: clock.sleep })

    expect(gateway.tasks()).toHaveLength(1)
  })
})

it('finds the client that downloads too early', async () => {
  gateway.expectFailure('no-early-download')

  await fetch(`${gateway.baseUrl}/v1/video/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'video-1', prompt: 'a red kite' }),
  })
  await fetch(`${gateway.baseUrl}/v1/videos/${gateway.tasks()[0].id}/content`, {
    headers: { authorization: `Bearer ${gateway.key}` },
  })
})
