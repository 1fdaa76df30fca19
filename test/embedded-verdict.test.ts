import { expect, expectTypeOf, it } from 'vitest'
import { createSimulator, defineScenario, VerdictError, type EmbeddedSimulator } from '../src/index.ts'
import { VerdictError as VerdictErrorOfVitest } from '../src/vitest/index.ts'
import { VideoClient } from './support/video-client.ts'

const open = (): EmbeddedSimulator => createSimulator({ cacheDir: false })
const clientOf = ({ fetch }: EmbeddedSimulator): VideoClient =>
  new VideoClient({ baseUrl: 'https://gateway.example', key: 'sk-test', fetch })

/** A client that polls a task again after its end. */
async function misbehave(sim: EmbeddedSimulator): Promise<void> {
  const client = clientOf(sim)
  const id = await client.submit('a red kite')
  await sim.clock.advanceUntil(id, 'SUCCESS')
  for (let time = 0; time < 2; time++) await client.untilEnded(id)
}

it('asserts that the client behaved, in any test runner', async () => {
  await using sim = open()
  await clientOf(sim).make('a red kite')
  expect(await sim.verdict()).toMatchObject({ passed: true, message: '' })
  await expect(sim.assertVerdict()).resolves.toBeUndefined()
})

it('throws the report of a client that misbehaved, with the requests that did', async () => {
  await using sim = open()
  await misbehave(sim)
  const { message } = await sim.verdict()
  expect(message).toMatch(
    /^client check failed \(seed 1\)\n\n {2}✗ always: [\s\S]*\n {2}#3 video\.poll: GET \//,
  )
  const error: unknown = await sim.assertVerdict().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(VerdictError)
  expect(error).toMatchObject({ message, stack: `VerdictError: ${message}` })
  expect(VerdictErrorOfVitest).toBe(VerdictError)
})

it('says which path a request without an operation probably meant, once', async () => {
  const scenario = defineScenario({ version: 1, expect: {} })
  await using sim = createSimulator({ scenario, cacheDir: false })
  for (const path of ['/v1/video/generation', '/v1/video/generation', '/v1/chat/completion'])
    await sim.fetch(`https://gateway.example${path}`, { method: 'POST' })
  const { results, message } = await sim.verdict()
  const hint =
    'Invalid URL (POST /v1/video/generation). Did you mean POST /v1/video/generations (video.submit)? ' +
    'Invalid URL (POST /v1/chat/completion). Did you mean POST /v1/chat/completions (chat.complete)? ' +
    'To allow it, write "expect: { allow: { unmatched: true } }".'
  expect(results).toMatchObject([{ title: expect.stringContaining('unmatched requests'), hint }])
  expect(message).toContain(`\nhint: ${hint}\n`)
})

it('asserts the expectations of a scenario', async () => {
  const scenario = defineScenario({ version: 1, expect: { requests: [{ op: 'video.submit', count: 2 }] } })
  await using sim = createSimulator({ scenario, cacheDir: false })
  await clientOf(sim).submit('a red kite')
  await expect(sim.assertVerdict()).rejects.toThrow('requests: 2 × video.submit')
})

it('gives a watched part of a run a message', async () => {
  await using sim = open()
  using run = sim.watch({ requests: [{ op: 'chat.complete', count: 1 }] })
  expect((await run.verdict()).message).toContain('requests: 1 × chat.complete')
})

it('lets methods be passed on without their object', async () => {
  await using sim = open()
  const { sleep } = sim.clock
  const start = sim.clock.now()
  await sleep('5s')
  expect(sim.clock.now() - start).toBe(5_000)
  // What unbound-method of typescript-eslint looks at.
  expectTypeOf<ThisParameterType<typeof sim.clock.sleep>>().toEqualTypeOf<void>()
  expectTypeOf<ThisParameterType<typeof sim.clock.deadline>>().toEqualTypeOf<void>()
  expectTypeOf<ThisParameterType<typeof sim.close>>().toEqualTypeOf<void>()
})
