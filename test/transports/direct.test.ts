import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

it('leaves addresses that name no host to the usual fetch', async () => {
  await using sim = createSimulator({ cacheDir: false })
  expect(await (await sim.fetch('data:,a%20kite')).text()).toBe('a kite')
  expect(sim.journal()).toEqual([])
})

it('sends forms and requests of the caller again where a redirect says so', async () => {
  await using sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  const respond = { status: 307, headers: { Location: '/v1/video/generations' }, body: '' }
  sim.addRule({ match: { op: 'video.submit' }, attempts: [{ respond }, { respond }, 'ok'] })
  const headers = { authorization: 'Bearer sk-test' }
  const address = 'https://gateway.example/v1/video/generations'
  for (const how of ['init', 'request']) {
    const body = new FormData()
    body.set('prompt', how)
    body.set('model', 'video-1')
    const init = { method: 'POST', headers, body }
    const pending = how === 'init' ? sim.fetch(address, init) : sim.fetch(new Request(address, init))
    const response = await pending
    expect([response.status, response.redirected, response.url]).toEqual([200, true, address])
  }
  const journal = sim.journal().map(({ status, prompt }) => `${status} ${prompt}`)
  expect(journal).toEqual(['307 init', '307 init', '200 init', '307 request', '307 request', '200 request'])
})

const nowhere: readonly [string, string][] = [
  ['http://[', 'Invalid URL'],
  ['ftp://gateway.example/', 'URL scheme must be a HTTP(S) scheme'],
]

it.each(nowhere)('fails as fetch does where a redirect leads to %s', async (location, message) => {
  const respond = { status: 302, headers: { Location: location }, body: '' }
  await using sim = createSimulator({
    cacheDir: false,
    rules: [{ match: { op: 'models.list' }, respond }],
  })
  const pending = sim.fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
  await expect(pending).rejects.toMatchObject({ message: 'fetch failed', cause: { message } })
})

it('keeps the key to the host that it was meant for', async () => {
  const respond = { status: 302, headers: { Location: 'https://elsewhere.example/v1/models' }, body: '' }
  await using sim = createSimulator({
    cacheDir: false,
    rules: [{ match: { op: 'models.list' }, times: 1, respond }],
  })
  const headers = { authorization: 'Bearer sk-test' }
  expect((await sim.fetch('https://gateway.example/v1/models', { headers })).status).toBe(401)
})

it('refuses an address that is none, as fetch does', async () => {
  await using sim = createSimulator({ cacheDir: false })
  await expect(sim.fetch('v1/models')).rejects.toMatchObject({ name: 'TypeError' })
})
