import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('downloads the video that it submitted', async () => {
  const video = await makeVideo('a red kite', { sleep: gateway.clock.sleep })
  expect(gateway).toHaveDownloaded({ task: video.id })
})
