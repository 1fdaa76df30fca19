import { expect, expectTypeOf, it, type TestContext } from 'vitest'
import type { JournalEntry } from '../../src/index.ts'
import type { GreenroomMatchers } from '../../src/matchers/index.ts'
import { useGreenroom, type GreenroomOptions, type TestGateway } from '../../src/vitest/index.ts'

const gateway = useGreenroom({ via: 'fetch', cacheDir: false })

// The compiler checks the types; running the code shows that the calls work.
it('knows the types of options, gateways and journal', () => {
  expectTypeOf(gateway).toEqualTypeOf<TestGateway>()
  expectTypeOf<TestContext>().toHaveProperty('gateway').toEqualTypeOf<TestGateway>()
  expectTypeOf(gateway.journal()).toEqualTypeOf<JournalEntry[]>()
  expectTypeOf<GreenroomOptions>().toExtend<Parameters<typeof useGreenroom>[0]>()
  const options: GreenroomOptions[] = [
    { env: { A: '${url}' } },
    { env: ({ baseUrl, key }) => ({ A: baseUrl, B: key }) },
    { env: false, scenario: 'scenarios/flaky-network.yaml', expect: { always: ['one-key'] } },
    // @ts-expect-error There is no such way.
    { via: 'socket' },
    // @ts-expect-error There is no such invariant.
    { expect: { always: ['one-keys'] } },
    // @ts-expect-error Variables are texts.
    { env: { A: 7 } },
  ]
  expect(options).toHaveLength(6)
})

it('knows operations, and patterns of them', () => {
  gateway.next('video.poll', { fault: 'reset', optional: true })
  gateway.next(['video.*', 'mj.fetch'], { delay: '1s', optional: true })
  // @ts-expect-error There is no such operation.
  expect(() => gateway.next('video.pol', {})).toThrow(
    'match.op is "video.pol": unknown operation. Did you mean "video.poll"?',
  )
  // @ts-expect-error There is no such fault.
  expect(() => gateway.next('video.poll', { fault: 'rest' })).toThrow('fault is "rest": must be one of')
  gateway.removeRule('next-1')
  expect(gateway.rules().map(({ id }) => id)).toEqual(['next-2'])
})

it('knows what matchers take', () => {
  expectTypeOf(expect(gateway)).toExtend<GreenroomMatchers<TestGateway>>()
  expect(gateway).not.toHaveSubmitted({ prompt: expect.stringContaining('kite'), request: { seconds: 1 } })
  expect(gateway).not.toHavePolled({ reportedStatus: 'SUCCESS', status: expect.any(Number) })
  expect(gateway).toHaveRequested('video.*', {}, { times: 0 })
  // @ts-expect-error A submission has no such field.
  expect(() => expect(gateway).not.toHaveSubmitted({ promt: 'a kite' })).toThrow('unknown field "promt"')
  // @ts-expect-error There is no such operation.
  expect(() => expect(gateway).not.toHaveRequested('video.pol')).toThrow('"operation" is "video.pol"')
  // @ts-expect-error A count is a number, or a range.
  expect(() => expect(gateway).toHavePolled({}, { times: 'once' })).toThrow('times is "once"')
})
