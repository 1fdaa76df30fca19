import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'

const gateway = useGreenroom({
  clock: { mode: 'host' },
  env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => vi.useRealTimers())

it('waits three minutes for a video', async () => {
  const began = Date.now()

  await makeVideo('[[queued 30s]] [[render 150s]] a red kite')

  expect(Date.now() - began).toBe(180_000)
  expect(gateway).toHavePolled({}, { times: 36 })
})
