import { expect, it } from 'vitest'
import { createSimulator, explore, defineConfig, type EmbeddedOptions, type Rule } from '../src/index.ts'
import { startServer } from '../src/server/index.ts'

/** As plain JavaScript would say it. */
const made = (options: unknown) => () => createSimulator(options as EmbeddedOptions)

it.each([
  [{ sede: 1 }, 'Failed to read the options: sede is not known. Did you mean "seed"?'],
  [{ toString: 1 }, 'Failed to read the options: toString is not known.'],
  [null, 'Failed to read the options: it is null: must be a mapping.'],
  ['fast', 'it is "fast": must be a mapping.'],
  [[], 'it is []: must be a mapping.'],
])('says of the options %j what is wrong', (options, message) => {
  expect(made(options)).toThrow(message)
  expect(made(options)).toThrow(expect.objectContaining({ name: 'SettingsError' }))
})

it.each([
  [{ limits: { bodyMegabytes: 'x' } }, 'limits.bodyMegabytes is "x": must be a number.'],
  [{ limits: { journalEntries: 1.5 } }, 'limits.journalEntries is 1.5: must be a whole number.'],
  [{ limits: { bodMegabytes: 1 } }, 'limits.bodMegabytes is not known. Did you mean "bodyMegabytes"?'],
  [{ clock: { rate: 'fast' } }, 'clock.rate is "fast": must be a number.'],
  [
    { clock: 'atuo' },
    'clock is "atuo": must be one of real, scaled, manual, auto, host. Did you mean "auto"?',
  ],
  [
    { clock: { assume: ['pol'] } },
    'clock.assume.0 is "pol": must be one of poll, retry-after. Did you mean "poll"?',
  ],
  [{ clock: { pollStep: {} } }, 'clock.pollStep is {}: must be a duration such as "5s", or milliseconds.'],
  [{ seed: {} }, 'seed is {}: must be a text or a number.'],
  [{ keys: 'sk-secret' }, 'keys is "…": must be a list.'],
  [{ keys: { key: 'sk-secret' } }, 'keys is a mapping: must be a list.'],
  [{ keys: [['sk-secret']] }, 'keys.0 is a list: must be a text or a mapping.'],
  [{ keys: [12345678] }, 'keys.0 is a number: must be a text or a mapping.'],
  [{ keys: [{ key: { is: 'sk-secret' } }] }, 'keys.0.key is a mapping: must be a text.'],
  [{ keys: [{ 'sk-secret': true }] }, 'keys.0.… is not known. Known here: key, namespace,'],
  [{ keys: [{ key: 'sk-a', namspace: 'team' }] }, 'keys.0.namspace is not known. Did you mean "namespace"?'],
  [{ controlToken: ['a-secret-token-of-mine'] }, 'controlToken is a list: must be a text.'],
  [{ keys: ['sk-a', {}] }, 'keys.1.key is missing'],
  [{ caption: 'no' }, 'caption is "no": must be true or false.'],
  [{ timing: 5 }, 'timing is 5: must be '],
  [{ quality: 'ful' }, 'quality is "ful": must be one of full, fast. Did you mean "full"?'],
  [
    { drawing: { notifyHook: { allow: ['a.example'] } } },
    'drawing.notifyHook is {"allow":["a.example"]}: must be true or false or a list.',
  ],
  [{ drawing: { notifyHook: 'yes' } }, 'drawing.notifyHook is "yes": must be true or false or a list.'],
  [{ rules: {} }, 'rules is {}: must be a list.'],
  [{ rules: [{ match: { op: '*' }, times: 'x' }] }, 'times is "x": must be a number.'],
  [{ rules: [{ match: { op: '*' }, on: [0] }] }, 'on.0 is 0: must be more than 0.'],
  [
    { throttles: [{ match: { op: '*' }, bukcet: {} }] },
    'Failed to add throttle "throttle-1": bukcet is not known.',
  ],
])('says of the value in %j what is wrong, and what to give', (options, message) => {
  expect(made(options)).toThrow(message)
})

it('takes any number of what is counted', async () => {
  await using sim = createSimulator({ limits: { journalEntries: Infinity }, retention: { tasks: Infinity } })
  expect(sim.journal()).toEqual([])
})

it.each([
  [{}, 'Failed to add rule "rule-1": match is missing'],
  [{ match: {} }, 'match is {}: it selects no operation. Write op or role.'],
  [null, 'Failed to add rule "rule-1": it is null: must be a mapping.'],
  [{ match: { op: 'video.poll' }, faultt: 'reset' }, 'faultt is not known. Did you mean "fault"?'],
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

it('says of the options of a server what is wrong', async () => {
  const options = { statee: 'folder' } as object
  await expect(startServer(options)).rejects.toThrow('statee is not known. Did you mean "state"?')
})

it('says of the options of handlers what is wrong', async () => {
  await using sim = createSimulator()
  const handlers = (options: unknown) => () => sim.handlers(options as { baseUrl: string })
  expect(handlers({ baseURL: 'https://gateway.example' })).toThrow(
    'baseURL is not known. Did you mean "baseUrl"?',
  )
  const write = "Write sim.handlers({ baseUrl: 'https://gateway.example' })."
  expect(handlers(null)).toThrow(`Failed to make handlers: options is missing: must be a mapping. ${write}`)
  expect(handlers({ baseUrl: 5 })).toThrow(`options.baseUrl is 5: must be a text. ${write}`)
  expect(handlers({ baseUrl: 'https://a.example', http: 5 })).toThrow('options.http is 5: must be the http')
})

type AnyCall = (...args: unknown[]) => unknown
const wrongCalls: readonly (readonly [call: string, args: unknown[], message: string])[] = [
  ['namespace', [5], 'name is 5: must be a text. Write sim.namespace('],
  ['tasks', [{ last: -3 }], 'filter.last is -3: must be at least 0. Write sim.tasks({ last: 3 }).'],
  ['tasks', [null], 'filter is missing: must be a mapping. Write sim.tasks({ last: 3 }).'],
  ['tasks', [{ lst: 3 }], 'filter.lst is not known. Did you mean "last"?'],
  ['task', [], 'id is missing: must be a text. Write sim.task(id).'],
  ['transition', [], 'id is missing: must be a text. Write sim.transition(id, {'],
  ['transition', ['task_1'], 'change is missing: must be a mapping. Write sim.transition(id, {'],
  ['transition', ['task_1', { state: 'FAILURE' }], 'change.state is not known. Did you mean "status"?'],
  ['journal', [{ last: -3 }], 'filter.last is -3: must be at least 0. Write sim.journal('],
  ['journal', [null], 'filter is missing: must be a mapping. Write sim.journal('],
  ['journal', [{ operation: 5 }], 'filter.operation is 5: must be a text. Write sim.journal('],
  ['journal', [{ outcome: 5 }], 'filter.outcome is 5: must be a text. Write sim.journal('],
  ['removeRule', [{ id: 'a' }], 'id is {"id":"a"}: must be a text. Write sim.removeRule(id).'],
  ['events', [null], 'options is missing: must be a mapping. Write sim.events('],
  ['events', [{ signal: new AbortController() }], 'must be an AbortSignal. Write sim.events('],
]

it.each(wrongCalls)('says how to call sim.%s, given %j', async (call, args, message) => {
  await using sim = createSimulator()
  for (const handle of [sim, sim.namespace('mine')]) {
    const calls = handle as unknown as Record<string, AnyCall | undefined>
    if (calls[call]) expect(() => calls[call]!(...args)).toThrow(message)
  }
})

const wrongClockCalls: readonly (readonly [call: string, args: unknown[], message: string])[] = [
  ['advance', [{ by: '5s' }], '{"by":"5s"} is not a duration: write it as "500ms", "5s"'],
  ['advance', [], 'undefined is not a duration: write it as'],
  ['advanceUntil', [{ task: 'a', status: 'SUCCESS' }], 'Write sim.clock.advanceUntil(task,'],
  ['set', [{ mode: 'manual' }], 'mode is {"mode":"manual"}: must be a text. Write sim.clock.set('],
  ['set', ['scaled', '60'], 'rate is "60": must be a number. Write sim.clock.set('],
  ['sleep', ['5s', null], 'options is missing: must be a mapping. Write sim.clock.sleep('],
  ['sleep', ['5s', { signal: new AbortController() }], 'must be an AbortSignal. Write sim.clock.sleep('],
  ['hold', [{ as: 'a' }], 'name is {"as":"a"}: must be a text. Write sim.clock.hold('],
  ['hold', ['a', null], 'options is missing: must be a mapping. Write sim.clock.hold('],
  ['deadline', ['5s', null], 'options is missing: must be a mapping. Write sim.clock.deadline('],
  ['join', [], 'name is missing: must be a text. Write sim.clock.join('],
  ['leave', [5], 'name is 5: must be a text. Write sim.clock.leave('],
]

it.each(wrongClockCalls)('says how to call sim.clock.%s, given %j', async (call, args, message) => {
  await using sim = createSimulator()
  const calls = sim.clock as unknown as Record<string, AnyCall>
  await expect((async () => calls[call]!(...args))()).rejects.toThrow(message)
})

it('says how to call explore', async () => {
  const call = explore as AnyCall
  await expect(call()).rejects.toThrow('client is missing: must be a function. Write explore(client')
  await expect(call(async () => {}, null)).rejects.toThrow('options is missing: must be a mapping.')
  await expect(call(async () => {}, { onyl: [] })).rejects.toThrow('onyl is not known. Did you mean "only"?')
  await expect(call(async () => {}, { only: '503' })).rejects.toThrow(
    'options.only is "503": must be a list.',
  )
})

it('takes a whole config, and names without a value', async () => {
  const config = defineConfig({ port: 4700, seed: 7, env: { GATEWAY_URL: '${url}' } })
  await using sim = made({ ...config, keys: undefined })()
  expect(sim.core.control.health().seed).toBe('7')
})

it.each([
  [{ version: 1, expct: {} }, 'Failed to read the scenario: expct is not known. Did you mean "expect"?'],
  [{ version: 2 }, 'version is 2: must be 1.'],
  [{ version: 1, config: { limits: { bodMegabytes: 1 } } }, 'config.limits.bodMegabytes is not known.'],
  [
    { version: 1, throttles: [{ match: { op: '*' }, bukcet: {} }] },
    'throttles.0.bukcet is not known. Did you mean "bucket"?',
  ],
])('says of the scenario %j what is wrong', (scenario, message) => {
  expect(made({ scenario })).toThrow(message)
})

it.each([
  [{ taks: [] }, 'taks is not known. Did you mean "tasks"?'],
  [{ tasks: [{ sttus: 'SUCCESS', count: 0 }] }, 'tasks.0.sttus is not known. Did you mean "status"?'],
  [
    { requests: [{ op: 'video.pol', count: 0 }] },
    'requests.0.op is "video.pol": unknown operation. Did you mean',
  ],
  [{ always: ['backs-of'] }, 'always.0 is "backs-of": must be one of answers-callbacks'],
  [{ artifacts: [{ kind: 'video' }] }, 'artifacts.0.downloaded is missing'],
  [{ rules: { flaky: { fird: 1 } } }, 'rules.flaky.fird is not known. Did you mean "fired"?'],
  [{ allow: { notExercisd: true } }, 'allow.notExercisd is not known.'],
  [null, 'Failed to read what is expected: it is null: must be a mapping.'],
])('says of the expectation %j what is wrong, for which every run would pass', async (wanted, message) => {
  await using sim = createSimulator({ cacheDir: false })
  expect(() => sim.watch(wanted as object)).toThrow(message)
})

it('takes every kind of expectation', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const run = sim.watch({
    tasks: [
      { kind: 'video', count: { max: 0 } },
      { op: 'mj.*', count: 0, elapsed: { max: '5m' } },
    ],
    requests: [
      { op: ['video.poll', 'mj.*'], count: 0, status: '5xx', stream: { ended: 'cut' }, saw: ['queued'] },
    ],
    sequence: [{ is: 'submit poll*', kind: 'video' }],
    always: ['backs-off', { name: 'poll-interval', min: '1s', optional: true }],
    sometimes: [{ rule: 'x', fired: { min: 1 } }, { task: { count: 1 } }],
    within: '5m',
    allow: { notExercised: true },
  })
  expect((await run.verdict()).results.length).toBeGreaterThan(5)
})
