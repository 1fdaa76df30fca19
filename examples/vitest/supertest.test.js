import request from 'supertest'
import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { createApp } from './app.js'

const gateway = useGreenroom({ env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' } })

it('responds with the video of the gateway', async () => {
  const app = createApp({ sleep: gateway.clock.sleep })

  const response = await request(app).post('/videos')

  expect(response.status).toBe(201)
  expect(response.type).toBe('video/mp4')
  expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
  expect(gateway).toHaveDownloaded({}, { times: 1 })
})
