import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { makeFilm } from './film.js'

const server = setupServer(http.get('https://users.example/me', () => HttpResponse.json({ name: 'Ada' })))
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const gateway = useGreenroom({ server, env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('makes a film for whoever is logged in', async () => {
  const { name } = await (await fetch('https://users.example/me')).json()

  await makeFilm(`a kite for ${name}`, { sleep: gateway.clock.sleep })

  expect(gateway).toHaveSubmitted({ prompt: 'a kite for Ada' })
})
