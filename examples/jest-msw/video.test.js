import { createSimulator } from 'greenroom'
import { greenroomMatchers } from 'greenroom/matchers'
import { setupServer } from 'msw/node'
import { makeVideo } from './video.js'

expect.extend(greenroomMatchers)

const sim = createSimulator()
const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
beforeAll(() => server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' }))
afterAll(async () => {
  server.close()
  await sim.close()
})

test('makes a video, with fetch as it is', async () => {
  const { sleep } = sim.clock

  const video = await makeVideo('a red kite', { baseUrl: 'https://gateway.example', key: 'sk-test', sleep })

  expect(sim).toHaveDownloaded({ task: video.id })
})
