// Runs in jsdom and in Chromium alike.
import { cleanup, configure, render, screen } from '@testing-library/react'
import { useGreenroom } from 'greenroom/vitest'
import { afterEach, expect, it } from 'vitest'
import { VideoPage } from './VideoPage.jsx'

// The page calls its own host, and shows the video by its URL alone, without a key.
const gateway = useGreenroom({ baseUrl: '/api', quirks: { contentAuth: 'optional' } })
// In a real page, requests pass MSW's worker, which takes real time.
configure({ asyncUtilTimeout: 10_000 })
afterEach(cleanup)

it('shows the video in the end', async () => {
  render(<VideoPage prompt="a red kite [[render 2m]]" sleep={gateway.clock.sleep} />)
  expect(screen.getByRole('status').textContent).toBe('waiting')

  const { src } = await screen.findByText('', { selector: 'video' })
  expect(src).toMatch(/\/api\/v1\/videos\/task_\w+\/content$/)
  expect(gateway).toHaveSettled({ status: 'SUCCESS' })
})

it('says why a video failed', async () => {
  render(<VideoPage prompt="a red kite [[fail: content policy]]" sleep={gateway.clock.sleep} />)

  expect((await screen.findByRole('alert')).textContent).toBe('content policy')
})

// jsdom and happy-dom play no videos.
it.skipIf(/jsdom|HappyDOM/.test(navigator.userAgent))('plays the video', async () => {
  render(<VideoPage prompt="a red kite" sleep={gateway.clock.sleep} />)
  const video = await screen.findByText('', { selector: 'video' })
  const shown = () => [video.videoWidth, video.videoHeight, video.duration]
  await expect.poll(shown, { timeout: 20_000 }).toEqual([128, 96, 1])
})
