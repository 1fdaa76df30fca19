import { expect, it } from 'vitest'
import { createSimulator, defineConfig, type EmbeddedOptions, type Rule } from '../src/index.ts'
import { startServer } from '../src/server/index.ts'

/** As plain JavaScript would say it. */
const made = (options: unknown) => () => createSimulator(options as EmbeddedOptions)

it.each([
  [
    { sede: 1 },
    'Failed to read the options: "sede" is not known. Did you mean "seed"? Known are seed, clock',
  ],
  [null, 'Failed to read the options: it must be a mapping, not null.'],
  ['fast', 'it must be a mapping, not fast.'],
  [[], 'it must be a mapping, not a list.'],
])('says of the options %j what is wrong', (options, message) => {
  expect(made(options)).toThrow(message)
  expect(made(options)).toThrow(expect.objectContaining({ name: 'SettingsError' }))
})

it.each([
  [{ limits: { bodyMegabytes: 'x' } }, 'limits.bodyMegabytes is "x". Give a number above 0.'],
  [{ limits: { journalEntries: 1.5 } }, 'limits.journalEntries is 1.5. Give a whole number above 0.'],
  [
    { limits: { bodMegabytes: 1 } },
    '"limits.bodMegabytes" is not known. Did you mean "bodyMegabytes"? Known are',
  ],
  [{ clock: { rate: 'fast' } }, 'Failed to set the clock: rate is fast.'],
  [{ clock: 'auto' }, 'clock is "auto". Give a mapping.'],
  [{ clock: { assume: ['pol'] } }, 'clock.assume.0 is "pol". Give "poll" or "retry-after".'],
  [{ clock: { pollStep: {} } }, 'is not a duration'],
  [{ seed: {} }, 'seed is a mapping. Give a number, or a text that is not empty.'],
  [{ keys: 'sk-secret' }, 'keys is "sk-…". Give a list.'],
  [{ keys: ['sk-a', {}] }, 'keys.1.key is missing.'],
  [{ caption: 'no' }, 'caption is "no". Give true or false.'],
  [{ pace: 5 }, 'pace is 5. Give a text.'],
  [{ quality: 'ful' }, 'quality is "ful". Give "full" or "fast".'],
  [{ fetchImages: { allow: 'a.example' } }, 'fetchImages.allow is "a.example". Give a list.'],
  [{ fetchImages: 'yes' }, 'fetchImages is "yes". Give true or false.'],
  [{ rules: {} }, 'rules is a mapping. Give a list.'],
  [{ rules: [{ match: { op: '*' }, times: 'x' }] }, 'times is "x". Give a whole number above 0.'],
  [{ rules: [{ match: { op: '*' }, on: [0] }] }, 'on.0 is 0. Give a whole number above 0.'],
  [
    { throttles: [{ match: { op: '*' }, bukcet: {} }] },
    'Failed to add limit "limit-1": "bukcet" is not known.',
  ],
])('says of the value in %j what is wrong, and what to give', (options, message) => {
  expect(made(options)).toThrow(message)
})

it('takes any number of what is counted', async () => {
  await using sim = createSimulator({ limits: { journalEntries: Infinity }, retention: { tasks: Infinity } })
  expect(sim.journal()).toEqual([])
})

it.each([
  [{}, 'Failed to add rule "rule-1": it says of no requests that it is for them: match.op is missing'],
  [{ match: {} }, 'match.op is missing'],
  [null, 'Failed to add rule "rule-1": it must be a mapping, not null.'],
  [{ match: { op: 'video.poll' }, faultt: 'reset' }, '"faultt" is not known. Did you mean "fault"?'],
])('says of the rule %j what is wrong', (rule, message) => {
  expect(made({ rules: [rule] })).toThrow(message)
  expect(made({ rules: [rule] })).toThrow(expect.objectContaining({ name: 'RuleError' }))
})

it('says of a rule that is added later what is wrong', async () => {
  await using sim = createSimulator()
  expect(() => sim.addRule({} as Rule)).toThrow('match.op is missing')
  expect(() => sim.next('video.poll', { dely: '1s' } as object)).toThrow(
    '"dely" is not known. Did you mean "delay"?',
  )
})

it('says of the options of a server what is wrong', async () => {
  const options = { statee: 'folder' } as object
  await expect(startServer(options)).rejects.toThrow('"statee" is not known. Did you mean "state"?')
})

it('says of the options of handlers what is wrong', async () => {
  await using sim = createSimulator()
  const handlers = (options: unknown) => () => sim.handlers(options as { baseUrl: string })
  expect(handlers({ baseURL: 'https://gateway.example' })).toThrow(
    '"baseURL" is not known. Did you mean "baseUrl"?',
  )
  expect(handlers(undefined)).toThrow('Failed to make handlers: it must be a mapping, not undefined.')
})

it('takes a whole config, and names without a value', async () => {
  const config = defineConfig({ port: 4700, seed: 7, env: { GATEWAY_URL: '${url}' }, name: 'of all' })
  await using sim = made({ ...config, keys: undefined })()
  expect(sim.core.control.health().seed).toBe('7')
})
