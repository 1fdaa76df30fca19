import { it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('survives what a gateway may do', async () => {
  await gateway.explore(({ sleep }) => makeVideo('a red kite', { sleep }))
}, 60_000)
