import { expect, it } from 'vitest'
import type { z } from 'zod'
import { createSimulator, defineConfig, type EmbeddedOptions, type Rule } from '../src/index.ts'
import { mistakesOf, type Form } from '../src/engine/form.ts'
import { limitForm, ruleForm } from '../src/scenario/rule-form.ts'
import { configSchema } from '../src/scenario-file/config-schema.ts'
import { limitSchema } from '../src/scenario-file/limit-schema.ts'
import { ruleSchema } from '../src/scenario-file/rule-schema.ts'
import { checkOptions } from '../src/simulator/option-form.ts'
import { startServer } from '../src/server/index.ts'

/** As plain JavaScript would say it. */
const made = (options: unknown) => () => createSimulator(options as EmbeddedOptions)

it.each([
  [{ sede: 1 }, 'sede is not known. Did you mean "seed"? Known here: seed, clock'],
  [{ clock: { rat: 3 } }, 'clock.rat is not known. Did you mean "rate"? Known here: mode, rate'],
  [{ clock: 'auto' }, 'clock is "auto": must be a mapping'],
  [{ quality: 'ful' }, 'quality is "ful": must be one of full, fast. Did you mean "full"?'],
  [{ keys: 'sk-a' }, 'keys is "sk-a": must be a list'],
  [{ keys: [{}] }, 'keys.0.key is missing'],
  [{ keys: ['sk-a', null] }, 'keys.1 is null: must be a text or a mapping'],
  [{ limits: { bodyMegabytes: 'x' } }, 'limits.bodyMegabytes is "x": must be a number'],
  [{ limits: { journalEntries: 0 } }, 'limits.journalEntries is 0: must be a number above 0'],
  [{ discount: Number.NaN }, 'discount is NaN: must be a number'],
  [{ drawing: { queue: { running: 1 } } }, 'drawing.queue.waiting is missing'],
  [{ rules: {} }, 'rules is {}: must be a list'],
  [{ publicUrl: 3 }, 'publicUrl is 3: must be a text'],
  [{ onWarning: 'x' }, 'onWarning is "x": must be a function'],
  [null, 'it is null: must be a mapping'],
  ['fast', 'it is "fast": must be a mapping'],
])('says of the options %j what is wrong', (options, message) => {
  expect(made(options)).toThrow(message)
  expect(made(options)).toThrow(expect.objectContaining({ name: 'SettingsError' }))
})

it('tells every mistake in the options at once', () => {
  expect(made({ sede: 1, quality: 'ful' })).toThrow(/sede is not known.*\nquality is "ful"/)
})

it.each([
  [{}, 'Failed to add rule "rule-1": match is missing.'],
  [null, 'Failed to add rule "rule-1": it is null: must be a mapping.'],
  [{ match: {} }, 'match.op is missing'],
  [{ match: { op: 'video.poll' }, faultt: 'reset' }, 'faultt is not known. Did you mean "fault"?'],
  [
    { match: { op: 'video.poll' }, respond: { statu: 3 } },
    'respond.statu is not known. Did you mean "status"?',
  ],
  [{ match: { op: 'video.poll', body: { size: { globb: '*' } } } }, 'match.body.size.globb is not known'],
  [{ match: { op: 'video.poll' }, delay: {} }, 'delay needs one of uniform, normal, lognormal, choice'],
  [{ match: { op: 'video.poll' }, delay: { uniform: '1s' } }, 'delay.uniform is "1s": must be a list'],
  [{ match: { op: 'video.poll' }, attempts: 503 }, 'attempts is 503: must be a list'],
  [{ match: { op: 'video.poll' }, fault: { type: 'slow-start' } }, 'slow-start needs more than its name'],
])('says of the rule %j what is wrong', (rule, message) => {
  expect(made({ rules: [rule] })).toThrow(message)
  expect(made({ rules: [rule] })).toThrow(expect.objectContaining({ name: 'RuleError' }))
})

it('says of a rule that is added later what is wrong', async () => {
  await using sim = createSimulator()
  expect(() => sim.addRule({} as Rule)).toThrow('match is missing')
  expect(() => sim.next('video.poll', { dely: '1s' } as object)).toThrow(
    'dely is not known. Did you mean "delay"?',
  )
})

it.each([
  [
    {},
    'Failed to add limit "limit-1": match is missing; it needs one of bucket, concurrent, workers, outage.',
  ],
  [{ match: { op: 'video.submit' }, bucket: { capacity: 2 } }, 'bucket.refill is missing'],
])('says of the limit %j what is wrong', (limit, message) => {
  expect(made({ throttles: [limit] })).toThrow(message)
})

it('says of the options of a server what is wrong', async () => {
  const options = { port: 'x', statee: 'folder' } as object
  await expect(startServer(options)).rejects.toThrow(
    /port is "x": must be a number[^]*statee is not known. Did you mean "state"\?/,
  )
})

it('says of the options of handlers what is wrong', async () => {
  await using sim = createSimulator()
  const handlers = (options: unknown) => () => sim.handlers(options as { baseUrl: string })
  expect(handlers({ baseURL: 'https://gateway.example' })).toThrow(
    'baseURL is not known. Did you mean "baseUrl"?',
  )
  expect(handlers(undefined)).toThrow('Failed to make handlers: it is undefined')
})

it('takes a whole config, and names without a value', async () => {
  const config = defineConfig({ port: 4700, seed: 7, env: { GATEWAY_URL: '${url}' }, name: 'of all' })
  await using sim = made({ ...config, keys: undefined })()
  expect(sim.core.control.health().seed).toBe('7')
})

const optionForm: Form = {
  kinds: ['mapping'],
  inside: (value) => {
    try {
      checkOptions(value)
      return []
    } catch (error) {
      return (error as Error).message.replace('Failed to read the options: ', '').split('\n')
    }
  },
}

it.each([
  ['rules', ruleForm, ruleSchema],
  ['limits', limitForm, limitSchema],
  ['configs', optionForm, configSchema],
] as const)('knows the names of %s in files, and takes the examples of each', (_what, form, schema) => {
  const { shape } = schema as unknown as z.ZodObject<Record<string, z.ZodType>>
  expect(Object.keys(shape).length).toBeGreaterThan(8)
  for (const [name, field] of Object.entries(shape)) {
    expect(mistakesOf(form, { [name]: Symbol('odd') })[0]).toMatch(`${name} is Symbol(odd): must be `)
    const { examples = [] } = field.meta() as { examples?: unknown[] }
    expect(examples, name).not.toEqual([])
    for (const example of examples) {
      const ofIt = mistakesOf(form, { [name]: example }).filter((mistake) => mistake.startsWith(name))
      expect(ofIt, name).toEqual([])
    }
  }
})
