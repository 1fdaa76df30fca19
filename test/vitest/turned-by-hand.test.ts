import { afterEach, expect, it, vi } from 'vitest'
import { useGreenroom } from '../../src/vitest/index.ts'
import { needs } from '../support/needs.ts'
import { submitVideo } from '../support/video.ts'

const gateway = useGreenroom({
  clock: { mode: 'host' },
  text: { timing: { firstToken: '1s', tokensPerSecond: 10 } },
})

afterEach(() => vi.useRealTimers())

it('is idle while a response waits for time, which only the test moves', async () => {
  needs('video.submit')
  vi.useFakeTimers()
  gateway.addRule({ match: { op: 'video.submit' }, delay: '3s' })
  const submitting = submitVideo(
    { call: (path: string, init?: RequestInit) => gateway.fetch(path, init) },
    { prompt: 'a kite' },
  )
  await gateway.idle()
  expect(gateway.journal({ outcome: 'open' })).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(3_000)
  await gateway.idle()
  expect(gateway.journal({ outcome: 'open' })).toEqual([])
  await submitting
  gateway.skipVerdict()
})

it('answers with the first text of all while timers are turned by hand, though words must be loaded for it', async () => {
  needs('chat.complete')
  vi.useFakeTimers()
  const began = Date.now()
  const text = fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-text-1',
      messages: [{ role: 'user', content: '[[say: Kites fly.]]' }],
    }),
  }).then((response) => response.text())

  await vi.advanceTimersByTimeAsync(10_000)

  expect(await text).toContain('Kites fly.')
  expect(Date.now() - began).toBe(10_000)
})
