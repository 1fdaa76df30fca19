import { expect, it } from 'vitest'
import { parseScenario } from '../../../src/scenario/files/parse.ts'

/** The message for a scenario with one wrong line, without its position. */
const messageFor = async (line: string): Promise<string> => {
  const parsed = parseScenario(`version: 1\n${line}\n`, 'it.yaml')
  const error: unknown = await parsed.then(
    () => expect.unreachable('the scenario was taken'),
    (reason: unknown) => reason,
  )
  return (error as Error).message.replace(/^it\.yaml:2:\d+: /, '')
}

const rule = (words: string): string => `rules: [{ match: { op: video.poll }, ${words} }]`
const match = (words: string): string => `rules: [{ match: { op: video.poll, ${words} }, delay: 1s }]`

it.each([
  [rule('attempts: []'), 'rules.0.attempts: is []: must not be empty. Such as: [429, 503, reset, ok].'],
  [
    rule('delay: { uniform: [5s] }'),
    'rules.0.delay.uniform: is ["5s"]: must have at least 2 entries. Such as: [300ms, 900ms].',
  ],
  [
    rule('delay: { uniform: [5s, 6s, 7s] }'),
    'rules.0.delay.uniform: is ["5s","6s","7s"]: must have at most 2 entries. Such as: [300ms, 900ms].',
  ],
  ['config: { ffmpeg: "" }', 'config.ffmpeg: is "": must not be empty. Such as: wasm.'],
  [
    match(`body: { a: { regex: "${'a'.repeat(201)}" } }`),
    `rules.0.match.body.a.regex: is "${'a'.repeat(59)}: must have at most 200 characters. Such as: ^seed-\\d+$.`,
  ],
  ['clock: { rate: 0 }', 'clock.rate: is 0: must be more than 0. Such as: 60.'],
  ['clock: { rate: 1e9 }', 'clock.rate: is 1000000000: must be at most 1000000. Such as: 60.'],
  ['config: { port: -1 }', 'config.port: is -1: must be at least 0. Such as: 4646.'],
  ['config: { port: 65536 }', 'config.port: is 65536: must be at most 65535. Such as: 4646.'],
  [rule('respond: { status: 99 }'), 'rules.0.respond.status: is 99: must be at least 200. Such as: 429.'],
  [rule('chance: 2'), 'rules.0.chance: is 2: write a number from 0 to 1, or a percentage such as "40%".'],
])('names the bound that %s exceeds', async (line, message) => {
  expect(await messageFor(line)).toBe(message)
})

it.each([
  ['clock: { participants: 1.5 }', 'clock.participants: is 1.5: must be a whole number. Such as: 3.'],
  ['config: { bodies: 1 }', 'config.bodies: is 1: must be true or false. Such as: false.'],
  ['config: { env: [] }', "config.env: is []: must be a mapping. Such as: { MY_GATEWAY: '${url}/v1' }."],
  ['config: { env: { MY_A: 5 } }', 'config.env.MY_A: is 5: must be a text.'],
  ['seed: []', 'seed: is []: must be a text or a number. Such as: 7.'],
  [rule('on: {}'), 'rules.0.on: is {}: must be a number or a list. Such as: 2.'],
  [
    rule('delay: [1s]'),
    'rules.0.delay: is ["1s"]: must be a text, a number or a mapping. Such as: { uniform: [300ms, 900ms] }.',
  ],
  [
    rule('delay: { uniform: 5s }'),
    'rules.0.delay.uniform: is "5s": must be a list. Such as: [300ms, 900ms].',
  ],
  ['config: { publicUrl: 5 }', 'config.publicUrl: is 5: must be a URL such as https://gateway.example.'],
  [
    rule('fault: 503'),
    'rules.0.fault: is 503: a fault breaks a response. To send a status, write respond: { status: 503 }.',
  ],
])('names the kind of value that is valid instead of that in %s', async (line, message) => {
  expect(await messageFor(line)).toBe(message)
})

it.each([
  [match('task: {}'), 'rules.0.match.task: is {}: it names no task. Write nth, prompt or model.'],
  [
    match('body: { a: {} }'),
    'rules.0.match.body.a: is {}: needs one of equals, glob, contains, regex, flags, in, exists, not.',
  ],
  [
    match('body: { a: { in: [] } }'),
    "rules.0.match.body.a.in: is []: must not be empty. Such as: ['5', '10'].",
  ],
  [
    match('body: { a: { regex: a, flags: g } }'),
    'rules.0.match.body.a.flags: is "g": the only flag is "i". Such as: i.',
  ],
  ['rules: [{ match: {} }]', 'rules.0.match: is {}: it selects no operation. Write op or role.'],
  [rule('when: { vars: { a: {} } }'), 'rules.0.when.vars.a: is {}: it bounds nothing. Write min or max.'],
  [rule('when: { vars: { "": 1 } }'), "rules.0.when.vars.: can't be a key: must not be empty."],
  ['config: { env: { "a b": x } }', "config.env.a b: can't be a key: must be a name of a variable."],
  [
    'config: { keys: [{ key: sk-a, namespace: "a b" }] }',
    'config.keys.0.namespace: is "a b": must be 1 to 64 letters, digits, "-" or "_". Such as: team.',
  ],
  [
    'config: { publicUrl: ftp://gateway.example }',
    'config.publicUrl: is "ftp://gateway.example": must be a URL such as https://gateway.example.',
  ],
  ['expect: { sometimes: [{}] }', 'expect.sometimes.0: is {}: needs one of task, request, rule, fired.'],
  [
    'expect: { sequence: submit pol }',
    'expect.sequence: is "submit pol": "pol" is not a word for a request. Did you mean "poll"? ' +
      'Use the last part of an operation, or submit, poll, download, any.',
  ],
])('says what is wrong with %s', async (line, message) => {
  expect(await messageFor(line)).toBe(message)
})

it.each([
  [
    'rules: [{ match: ~ }]',
    'rules.0.match: is missing: the requests to which the rule applies. Such as: { op: video.poll }.',
  ],
  [
    'drive: [{}]',
    'drive.0.flow: is missing: the kind of task or text, and the API that creates it. Such as: video.',
  ],
  [
    'expect: { rules: { a: {} } }',
    'expect.rules.a.fired: is missing: the number of times that it fired. Such as: 1.',
  ],
])('says what the value is that is missing in %s', async (line, message) => {
  expect(await messageFor(line)).toBe(message)
})

it.each(['rules: [~]', 'config: { models: [~] }'])('reports the missing entry of %s', async (line) => {
  expect(await messageFor(line)).toMatch(/^(?:rules|config\.models)\.0: is missing/)
})

it.each(['http://gateway.example', 'https://gateway.example/path'])(
  'accepts the public URL %s',
  async (url) => {
    const { scenario } = await parseScenario(`version: 1\nconfig: { publicUrl: "${url}" }\n`, 'it.yaml')
    expect(scenario.config?.publicUrl).toBe(url)
  },
)

it.each(['16x16', '2048x2048', '640x360'])('accepts clips of the size %s', async (size) => {
  const text = `version: 1\n${rule(`media: { size: "${size}" }`)}\n`
  const { scenario } = await parseScenario(text, 'it.yaml')
  expect(scenario.rules?.[0]?.media).toEqual({ size })
})

it.each(['14x16', '16x14', '2050x2048', '2048x2050', '641x360', '640x361'])(
  'refuses clips of the size %s',
  async (size) => {
    expect(await messageFor(rule(`media: { size: "${size}" }`))).toBe(
      `rules.0.media.size: is "${size}": write WIDTHxHEIGHT with even sides from 16 to 2048.`,
    )
  },
)
