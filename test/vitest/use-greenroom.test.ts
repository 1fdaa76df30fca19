import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { defineScenario } from '../../src/index.ts'
import { useGreenroom } from '../../src/vitest/index.ts'
import { VideoClient } from '../support/video-client.ts'
import { lacks, needs } from '../support/needs.ts'

const gateway = useGreenroom({ cacheDir: false, env: { MY_GATEWAY: '${url}/v1' } })

const clientOf = ({ baseUrl, key }: { baseUrl: string; key: string }): VideoClient =>
  new VideoClient({ baseUrl, key })

const seen = new Set<string>()
afterAll(() => {
  expect(seen.size).toBe(2)
})

it.each(['one', 'another'])('gives %s test a namespace, a key and an address of its own', async () => {
  const { baseUrl, key, name } = gateway
  expect(baseUrl).toBe(`https://gateway.example/ns/${name}`)
  expect(key).toBe(`sk-sim-${name}`)
  expect(gateway.journal()).toEqual([])
  expect(new Date(gateway.clock.now()).toISOString()).toBe('2030-01-01T00:00:00.000Z')
  seen.add(name)
  const video = await clientOf(gateway).make('a red kite')
  expect(video.bytes).toBeGreaterThan(100)
  expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
})

it('plays a rule for the test that adds it', async () => {
  gateway.addRule({
    id: 'refused',
    match: { op: 'video.submit' },
    task: { outcome: 'failure', reason: 'policy' },
  })
  expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'FAILURE', reason: 'policy' })
  expect(gateway.rules()).toMatchObject([{ id: 'refused', fired: 1 }])
})

it('has forgotten that rule in the next', async () => {
  expect(gateway.rules()).toEqual([])
  expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
})

it('begins again after a reset, and judges what comes after', async () => {
  const client = clientOf(gateway)
  await client.download(await client.submit('a kite'))
  gateway.next('video.submit', { task: { outcome: 'failure' } })
  await gateway.clock.advance('1h')
  gateway.reset()
  expect(gateway.rules()).toEqual([])
  expect(gateway.journal()).toEqual([])
  expect(new Date(gateway.clock.now()).toISOString()).toBe('2030-01-01T00:00:00.000Z')
  await clientOf(gateway).make('a kite')
  expect(gateway).toHaveRequested('video.*', {}, { times: gateway.journal().length })
})

it('sets the variables of the test', () => {
  needs('chat.complete')
  expect(process.env['MY_GATEWAY']).toBe(`${gateway.baseUrl}/v1`)
  expect(process.env['OPENAI_BASE_URL']).toBe(`${gateway.baseUrl}/v1`)
  expect(process.env['OPENAI_API_KEY']).toBe(gateway.key)
})

it('takes a client whose address and key are fixed for that of the test', async () => {
  const video = await new VideoClient({ baseUrl: 'https://gateway.example', key: 'sk-mine' }).make('a kite')
  expect(gateway).toHaveSettled({ id: video.id, status: 'SUCCESS' })
})

it('has a fetch of its own', async () => {
  const fixed = new VideoClient({
    baseUrl: 'https://elsewhere.example',
    key: 'sk-mine',
    fetch: gateway.fetch,
  })
  const { id } = await fixed.make('a kite')
  expect(gateway).toHaveDownloaded({ task: id })
})

it('keeps intervals exactly where the client sleeps on its clock', async () => {
  const { baseUrl, key, clock } = gateway
  await new VideoClient({ baseUrl, key, sleep: clock.sleep }).make('[[queued 10s]] [[render 20s]] a kite')
  expect(gateway).toHavePolled({ reportedStatus: 'IN_PROGRESS' }, { times: 4 })
})

it('judges in between, and a part of a test', async () => {
  using run = gateway.watch({ requests: [{ op: 'video.content', count: 1 }] })
  await clientOf(gateway).make('a kite')
  expect(await gateway.verdict()).toPass()
  expect(await run.verdict()).toPass()
})

it('lets a test expect the client to break what it names', async () => {
  needs('video.submit')
  gateway.expectFailure('no-early-download')
  const client = clientOf(gateway)
  await client.download(await client.submit('a kite'))
  expect(await gateway.verdict()).not.toPass()
})

it('refuses to expect the failure of an unknown invariant', () => {
  expect(() => gateway.expectFailure('no-early-downlod')).toThrow(
    'there is no invariant "no-early-downlod". Did you mean "no-early-download"? Use one of',
  )
})

it('lets a test go unjudged', async () => {
  gateway.skipVerdict()
  await fetch(`${gateway.baseUrl}/v1/nothing`)
})

it('expects more of one test', async () => {
  needs('video.submit')
  gateway.expect({ artifacts: [{ kind: 'video', downloaded: 'intact' }] })
  await clientOf(gateway).make('a kite')
})

describe.skipIf(lacks('video.poll'))('in a group with a gateway of its own', () => {
  const inner = useGreenroom({
    cacheDir: false,
    scenario: defineScenario({
      version: 1,
      rules: [{ id: 'lost', match: { op: 'video.poll' }, attempts: [503, 'ok'] }],
      config: { env: { OTHER: '${key}' } },
      expect: { rules: { lost: { fired: 1 } }, always: ['backs-off'], allow: { notExercised: true } },
    }),
  })
  beforeEach(() => {
    expect(inner.name).toBe(gateway.name)
  })

  it.each([1, 2])('plays the scenario from its beginning, time %i', async () => {
    const { baseUrl } = inner
    const headers = { authorization: `Bearer ${inner.key}` }
    const client = clientOf(inner)
    const id = await client.submit('a kite')
    const first = await fetch(`${baseUrl}/v1/video/generations/${id}`, { headers })
    expect(first.status).toBe(503)
    expect((await client.untilEnded(id)).status).toBe('SUCCESS')
    expect(process.env['OTHER']).toBe(inner.key)
    expect(gateway.journal()).toEqual([])
  })
})

describe('with the option to expect no abandoned tasks', () => {
  const inner = useGreenroom({ cacheDir: false, expectNoAbandonedTasks: true })

  it('accepts a client that follows its task', async () => {
    expect(await clientOf(inner).make('a kite')).toMatchObject({ status: 'SUCCESS' })
  })

  it('finds a client that leaves its task', async () => {
    needs('video.submit')
    inner.expectFailure('no-abandoned-task')
    await clientOf(inner).submit('a kite')
  })
})

it('answers again as it did before that group', async () => {
  expect(process.env['OTHER']).toBeUndefined()
  expect(await clientOf(gateway).make('a kite')).toMatchObject({ status: 'SUCCESS' })
})

it('goes back to a snapshot of the test', async () => {
  const before = gateway.snapshot()
  await clientOf(gateway).make('a kite')
  gateway.restore(before)
  expect(gateway.tasks()).toEqual([])
})

it('refuses an unknown option', () => {
  const options = { baseURL: 'https://gateway.example' } as object
  expect(() => useGreenroom(options)).toThrow('baseURL is not known. Did you mean "baseUrl"?')
})
