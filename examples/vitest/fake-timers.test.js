import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeFilm } from './film.js'

const gateway = useGreenroom({
  clock: { mode: 'host' },
  env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => vi.useRealTimers())

it('waits three minutes for a film', async () => {
  const began = Date.now()

  await makeFilm('[[queued 30s]] [[render 150s]] a red kite')

  expect(Date.now() - began).toBe(180_000)
  expect(gateway).toHavePolled({}, { times: 36 })
})
