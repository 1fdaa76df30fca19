// A hook that polls by a timer, with fake timers, in jsdom.
import { act, cleanup, renderHook } from '@testing-library/react'
import { useGreenroom } from 'greenroom/vitest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useVideo } from './useVideo.js'

const gateway = useGreenroom({ baseUrl: '/api', clock: { mode: 'host' } })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** Turns the timers to the next poll, and waits until the hook has read its response. */
const nextPoll = async () => {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(5_000)
    await gateway.idle()
  })
}

it('shows each status that it polls, and polls no more at the end', async () => {
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite [[queued 6s]] [[render 12s]]' })
  const headers = { authorization: 'Bearer sk-page', 'content-type': 'application/json' }
  const submitted = await gateway.fetch('/api/v1/video/generations', { method: 'POST', headers, body })
  const { task_id: id } = await submitted.json()
  const { result } = renderHook(() => useVideo(id))

  const seen = []
  for (let polls = 0; polls < 6; polls++) {
    await nextPoll()
    seen.push(result.current)
  }

  expect(seen).toEqual(['queued', 'IN_PROGRESS', 'IN_PROGRESS', 'SUCCESS', 'SUCCESS', 'SUCCESS'])
  expect(gateway).toHavePolled({}, { times: 4 })
})
