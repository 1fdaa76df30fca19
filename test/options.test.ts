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
