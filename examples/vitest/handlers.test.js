import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeVideo } from './video.js'

const server = setupServer(http.get('https://users.example/me', () => HttpResponse.json({ name: 'Ada' })))
beforeAll(() => server.listen())
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const gateway = useGreenroom({ server, env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('makes a video for the user who is logged in', async () => {
  const { name } = await (await fetch('https://users.example/me')).json()

  await makeVideo(`a kite for ${name}`, { sleep: gateway.clock.sleep })

  expect(gateway).toHaveSubmitted({ prompt: 'a kite for Ada' })
})
