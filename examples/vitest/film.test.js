import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeFilm } from './film.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('makes a film', async () => {
  const film = await makeFilm('a red kite', { sleep: gateway.clock.sleep })

  expect(film.bytes.length).toBeGreaterThan(0)
  expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
  expect(gateway).toHaveDownloaded({ task: film.id })
})

it('says why a film failed', async () => {
  const film = makeFilm('a red kite [[fail: content policy]]', { sleep: gateway.clock.sleep })

  await expect(film).rejects.toThrow('content policy')
})
