import { expect, it } from 'vitest'
import { parseScenario } from '../../src/files/parse.ts'
import { needs } from '../support/needs.ts'

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
  [
    rule('delay: { choice: [{ value: 1s, weight: 1e308 }, { value: 2s }] }'),
    'rules.0.delay.choice.0.weight: is 1e+308: must be at most 1000000. Such as: 3.',
  ],
  [
    'config: { video: { lifecycle: { initial: queued, states: { queued: { to: { SUCCESS: 1e308, FAILURE: 1 } } } } } }',
    'config.video.lifecycle.states.queued.to.SUCCESS: is 1e+308: must be at most 1000000.',
  ],
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
    'config: { controlToken: secret }',
    'config.controlToken: is "…": must have at least 16 characters, without spaces. Such as: a-token-of-your-own.',
  ],
  [
    'config: { keys: { key: sk-secret } }',
    'config.keys: is a mapping: must be a list. Such as: [sk-mine, { key: sk-second, balance: 5 }].',
  ],
  ['config: { keys: [[sk-secret]] }', 'config.keys.0: is a list: must be a text or a mapping.'],
  [
    'config: { keys: [{ sk-secret, key: sk-a }] }',
    'config.keys.0.…: is not known. Known here: key, namespace, expires, models, balance.',
  ],
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
    'expect: { tasks: [{ channel: video }] }',
    'expect.tasks.0.channel: is not known. Write "kind" in its place.',
  ],
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
    'drive.0.flow: is missing: the kind of task or text, and the API that creates it. The name of a definition stands for its jobs. Such as: video.',
  ],
  [
    'expect: { rules: { a: {} } }',
    'expect.rules.a.fired: is missing: the number of times that it fired. Such as: 1.',
  ],
  [
    rule('media: { size: ~ }'),
    'rules.0.media.size: is missing: `WIDTHxHEIGHT` in pixels, with even sides. Such as: 640x360.',
  ],
])('says what the value is that is missing in %s', async (line, message) => {
  needs('video.submit')
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

const templates =
  'Known: task.id, task.nth, task.model, task.prompt, task.state, task.progress, model, prompt, operation, namespace, attempt, ' +
  'now, now.seconds, now.ms, request.id, request.method, request.path, body.NAME, headers.NAME, query.NAME, vars.NAME.'
const throttle = (words: string): string => `throttles: [{ match: { op: "*" }, ${words} }]`

it.each([
  [
    throttle('workers: 1, when: { vars: { a: 1 } }'),
    'throttles.0: is {"match":{"op":"*"},"workers":1,"when":{"vars":{"a":1}}}: workers have no `when`: a task waits for one from its submission on. Leave when out.',
  ],
  [
    throttle('rate: { requests: 5 }, concurrent: 1'),
    'throttles.0: is {"match":{"op":"*"},"rate":{"requests":5},"concurrent":1}: rate needs a throttle of its own. Move the other keys to another one.',
  ],
  [
    throttle('rate: { requests: 5 }, respond: {}'),
    'throttles.0: is {"match":{"op":"*"},"rate":{"requests":5},"respond":{}}: a rate has its own response. Leave respond out.',
  ],
  [
    rule('respond: { headers: { Content-Length: "5" } }'),
    'rules.0.respond.headers.Content-Length: is "5": follows from the body: use a fault such as truncate or malformed-chunk.',
  ],
  [
    rule('respond: { headers: { Transfer-Encoding: chunked } }'),
    'rules.0.respond.headers.Transfer-Encoding: is "chunked": follows from the body: use a fault such as truncate or malformed-chunk.',
  ],
  [
    rule('respond: { headers: { x-a: "ł" } }'),
    'rules.0.respond.headers.x-a: is "ł": must be one line of Latin characters.',
  ],
  [
    rule('respond: { headers: { x-a: "${tsk.id}" } }'),
    `rules.0.respond.headers.x-a: is "\${tsk.id}": nothing fills \${tsk.id}. Did you mean "\${task.id}"? ${templates} Write $\${ for a plain \${.`,
  ],
  [
    rule('respond: { body: { a: [{ b: "${task.id" }] } }'),
    'rules.0.respond.body.a.0.b: is "${task.id": ${task.id has no end. Write $${ for a plain ${.',
  ],
  [
    rule('respond: { body: "${body.a[}" }'),
    'rules.0.respond.body: is "${body.a[}": ${body.a[} has no path into a body. Write it as ${body.messages[0].content}.',
  ],
  [
    rule('respond: { omit: [$] }'),
    'rules.0.respond.omit.0: is "$": not a path into a body. Write it as data.fail_reason.',
  ],
  [
    rule('when: { vars: { a: "${task.id}" } }'),
    'rules.0.when.vars.a: is "${task.id}": nothing fills ${task.id} here. Templates are filled in the body and headers of respond, and in set.',
  ],
  [
    'expect: { command: { stdout: {} } }',
    'expect.command.stdout: is {}: it expects nothing. Write contains or matches.',
  ],
  [
    'expect: { command: {} }',
    'expect.command: is {}: it expects nothing. Write exit, stdout, stderr or file.',
  ],
  [
    'expect: { command: { file: { path: a, sha256: x } } }',
    'expect.command.file.sha256: is "x": write 64 hexadecimal digits.',
  ],
  [
    `expect: { command: { file: { path: a, equals: b, sha256: "${'0'.repeat(64)}" } } }`,
    `expect.command.file: is {"path":"a","equals":"b","sha256":"${'0'.repeat(25)}: sha256 and equals both describe the content. Leave one out.`,
  ],
  [
    'clock: { start: 1969-01-01 }',
    `clock.start: is "1969-01-01": must lie in the years from 1970 to 9999. Such as: '2030-01-01T00:00:00Z'.`,
  ],
  [
    'clock: { start: 1e30 }',
    `clock.start: is 1e+30: must lie in the years from 1970 to 9999. Such as: '2030-01-01T00:00:00Z'.`,
  ],
  [
    'clock: { mode: auto, rate: 5 }',
    'clock.rate: is 5: a rate goes with mode scaled, not with auto. Leave one out.',
  ],
  [
    'config: { publicUrl: "https://a.example/?b" }',
    `config.publicUrl: is "https://a.example/?b": must have no query and no fragment. Such as: 'https://gateway.example'.`,
  ],
  [
    'config: { publicUrl: "https://a.example/#b" }',
    `config.publicUrl: is "https://a.example/#b": must have no query and no fragment. Such as: 'https://gateway.example'.`,
  ],
  [
    'config: { apis: [5] }',
    'config.apis.0: is 5: must be a file, the name of a shipped API, or what defineApi returns.',
  ],
  [
    'expect: { tasks: [{ count: { min: 3, max: 1 } }] }',
    'expect.tasks.0.count: is {"min":3,"max":1}: its min is above its max. Such as: 3.',
  ],
  [
    'expect: { tasks: [{ elapsed: { min: 3s, max: 1s } }] }',
    'expect.tasks.0.elapsed: is {"min":"3s","max":"1s"}: its min is above its max. Such as: { max: 4m }.',
  ],
  [
    rule('task: { timeline: [{ after: 1s, progress: "5" }] }'),
    'rules.0.task.timeline.0.progress: is "5": write a percentage such as "62%".',
  ],
  [
    'rules: [{ match: { op: "video.*", role: [text, stream] } }]',
    'rules.0.match: is {"op":"video.*","role":["text","stream"]}: no operation of video.* has the role text or stream. Such as: { op: video.poll }.',
  ],
  [
    rule('fault: { type: drip }'),
    'rules.0.fault.bytesPerSecond: is missing: the number of bytes per second. Such as: 2000.',
  ],
  [rule('set: { a: { add: x } }'), 'rules.0.set.a.add: is "x": must be a number. Such as: 1.'],
])('says what to write instead of %s', async (line, message) => {
  expect(await messageFor(line)).toBe(message)
})

it.each([
  throttle('rate: { requests: 5 }, when: { vars: { a: 1 } }'),
  throttle('workers: 1'),
  'expect: { tasks: [{ count: { min: 2, max: 2 }, elapsed: { min: 1s, max: 1s } }] }',
  'expect: { tasks: [{ count: { min: 2 }, elapsed: { max: 1s } }] }',
  'clock: { start: 1970-01-01 }',
  'clock: { mode: scaled, rate: 5 }',
  rule('respond: { headers: { x-a: "caf\u00e9 $${task.id}" } }'),
  rule('when: { vars: { a: "{x} $y" } }'),
])('accepts the bounds and texts in %s', async (line) => {
  await expect(parseScenario(`version: 1\n${line}\n`, 'it.yaml')).resolves.toBeDefined()
})
