const { createSimulator, loadScenario } = require('greenroom')
const { greenroomMatchers } = require('greenroom/matchers')
const { makeVideo } = require('./video.js')

expect.extend(greenroomMatchers)

let sim
afterEach(() => sim.close())

const options = () => ({
  baseUrl: 'https://gateway.example',
  key: 'sk-test',
  fetch: sim.fetch,
  sleep: sim.clock.sleep,
})

test('makes a video', async () => {
  sim = createSimulator()

  const video = await makeVideo('a red kite', options())

  expect(sim).toHaveDownloaded({ task: video.id })
  expect(await sim.verdict()).toPass()
})

test.each(['flaky.yaml', 'flaky.ts'])('makes a video although polls fail, by %s', async (file) => {
  sim = createSimulator({ scenario: await loadScenario(`${__dirname}/${file}`) })

  const video = await makeVideo('a red kite', options())

  expect(sim).toHavePolled({ task: video.id, status: 503 }, { times: 2 })
  expect(await sim.verdict()).toPass()
})

test('has an encoder make a video in full quality', async () => {
  sim = createSimulator({ quality: 'full', cacheDir: false })

  const video = await makeVideo('a red kite', options())

  expect(Buffer.from(video.bytes).toString('latin1', 4, 8)).toBe('ftyp')
}, 60_000)

test('writes a text', async () => {
  sim = createSimulator()

  const response = await sim.fetch('https://gateway.example/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-text-1',
      messages: [{ role: 'user', content: 'Why do kites fly?' }],
    }),
  })

  const { choices } = await response.json()
  expect(choices[0].message.content).toContain('kite')
})
