import { expect, it } from 'vitest'
import { clockMapping } from '../../../src/engine/clock/clock-settings.ts'
import { recordSimulator } from '../../../src/judge/recording/record.ts'
import { parseRecording } from '../../../src/judge/recording/recording.ts'
import { replay } from '../../../src/judge/recording/replay.ts'
import { createSimulator, type SimulatorOptions } from '../../../src/index.ts'
import { startServer } from '../../../src/server/index.ts'
import { postVideo, pollVideo, submitVideo } from '../../support/video.ts'

/** Records what a client does to a server, and asks it again of another. */
async function recordedAndReplayed(
  options: SimulatorOptions,
  client: (transport: {
    call: (path: string, init?: RequestInit) => Promise<Response>
    url: string
  }) => Promise<void>,
): Promise<Awaited<ReturnType<typeof replay>> & { text: string }> {
  const lines: string[] = []
  const clock = { mode: 'auto', ...clockMapping(options.clock) } as const
  let end = (): void => {}
  const server = await startServer({
    ...options,
    clock,
    port: 0,
    cacheDir: false,
    quality: 'fast',
    between: (simulator) => {
      const recording = recordSimulator(simulator, { ...options }, (line) => lines.push(line))
      end = recording.end
      return recording.simulator
    },
  })
  await client({ url: server.url, call: (path, init) => fetch(server.url + path, init) })
  await server.close()
  end()
  const text = lines.join('\n')
  const read = parseRecording(text)
  await using again = createSimulator({
    ...(read.head.options as SimulatorOptions),
    clock: { mode: 'manual', start: read.head.start },
    cacheDir: false,
  })
  const replayed = await replay(read, again.core)
  return { ...replayed, text }
}

it('makes the same decisions in real time, with a different instant for each poll', async () => {
  const options = { seed: 3, clock: { mode: 'scaled', rate: 500 } } as const
  const { same, exchanges, different } = await recordedAndReplayed(options, async (transport) => {
    const ids = [await submitVideo(transport), await submitVideo(transport, { prompt: 'a fox' })]
    for (let polls = 0; polls < 20; polls++) await Promise.all(ids.map((id) => pollVideo(transport, id)))
  })
  expect(different).toEqual([])
  expect([same, exchanges]).toEqual([42, 42])
})

it('replays control API calls that changed something, in order', async () => {
  const { same, exchanges, different } = await recordedAndReplayed({}, async (transport) => {
    const id = await submitVideo(transport, { prompt: 'a kite [[stuck]]' })
    await pollVideo(transport, id)
    const change = { method: 'POST', body: '{"status":"FAILURE","reason":"a storm"}' }
    expect((await transport.call(`/_greenroom/tasks/${id}/transition`, change)).status).toBe(200)
    expect(await pollVideo(transport, id)).toMatchObject({ status: 'FAILURE', fail_reason: 'a storm' })
    await transport.call('/_greenroom/reset', { method: 'POST' })
    expect(await submitVideo(transport, { prompt: 'a kite [[stuck]]' })).toBe(id)
  })
  expect(different).toEqual([])
  expect([same, exchanges]).toEqual([4, 4])
})

it('skips an exchange whose body was too long to record', async () => {
  const { skipped, same } = await recordedAndReplayed({}, async (transport) => {
    await postVideo(transport, { prompt: 'a kite', image: `data:image/png;base64,${'A'.repeat(1_200_000)}` })
    await postVideo(transport, { prompt: 'a kite' })
  })
  expect(skipped).toEqual([
    expect.objectContaining({ number: 1, why: expect.stringContaining('longer than 1048576 bytes') }),
  ])
  expect(same).toBe(1)
})

it('writes aliases for keys wherever clients put them, and no cookie', async () => {
  const { text, different } = await recordedAndReplayed({ keys: ['sk-my-secret'] }, async (transport) => {
    await transport.call('/v1/models', {
      headers: { authorization: 'Bearer sk-my-secret', cookie: 'a=my-cookie' },
    })
    await transport.call('/v1beta/models?key=sk-my-secret')
    await transport.call('/v1beta/models', { headers: { 'x-native-api-key': 'sk-my-secret' } })
    await transport.call('/v1/models', { headers: { authorization: 'Bearer sk-other-secret' } })
    await transport.call('/mj/task/1/fetch', { headers: { 'mj-api-secret': 'sk-my-secret' } })
  })
  expect(text).not.toMatch(/my-secret|other-secret|my-cookie/)
  expect(different).toEqual([])
})

it('writes aliases for secrets in queries and in URLs of headers', async () => {
  const { text, different } = await recordedAndReplayed({}, async (transport) => {
    const headers = { authorization: 'Bearer sk-test' }
    for (const name of [
      'token',
      'access_token',
      'api_key',
      'apiKey',
      'X-Auth-Token',
      'client_secret',
      'password',
    ])
      await transport.call(`/v1/models?a=1&${name}=my-secret&b=2`, { headers })
    await transport.call('/v1beta/models?%6bey=sk%2Dmy-secret')
    await transport.call('/v1/models', {
      headers: { ...headers, referer: 'https://page.example/?token=my-secret#top' },
    })
    await transport.call('/v1beta/models?key=sk-sim-team&pageSize=3&pageToken=3')
  })
  expect(text).not.toMatch(/my-secret/)
  expect(text).toContain('/v1/models?a=1&access_token=alias-1&b=2')
  expect(text).toContain('https://page.example/?token=alias-1#top')
  // What decides the answer and is not a secret stays as it was.
  expect(text).toContain('/v1beta/models?key=sk-sim-team&pageSize=3&pageToken=3')
  expect(different).toEqual([])
})

it('writes open exchanges at its end', async () => {
  const rules = [{ match: { op: 'models.list' }, delay: 'forever' }]
  const { text, same } = await recordedAndReplayed({ rules }, async (transport) => {
    const leaving = new AbortController()
    const pending = transport.call('/v1/models', {
      headers: { authorization: 'Bearer sk-test' },
      signal: leaving.signal,
    })
    await pollUntil(
      async () => ((await (await transport.call('/_greenroom/journal')).json()) as unknown[]).length === 1,
    )
    void pending.catch(() => {})
  })
  expect(text).toContain('"delayMs":null')
  expect(same).toBe(1)
})

async function pollUntil(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}
