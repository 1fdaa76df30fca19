import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('makes a video', async () => {
  const video = await makeVideo('a red kite', { sleep: gateway.clock.sleep })

  expect(video.bytes.length).toBeGreaterThan(0)
  expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
  expect(gateway).toHaveDownloaded({ task: video.id })
})

it('says why a video failed', async () => {
  const video = makeVideo('a red kite [[fail: content policy]]', { sleep: gateway.clock.sleep })

  await expect(video).rejects.toThrow('content policy')
})
