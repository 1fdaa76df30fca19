import { expect, it } from 'vitest'
import { checkScenario } from '../../src/files/check.ts'
import { lintScenario } from '../../src/files/lint/lint.ts'
import { readYaml as parseYaml } from '../../src/files/yaml-text.ts'
import { startProcessorTimer } from '../support/processor-time.ts'
import { needs, servedRows } from '../support/needs.ts'

/** What is found in a scenario: severity, place and message in a line each. */
function findings(text: string): string[] {
  const parsed = parseYaml(`version: 1\n${text}`)
  const checked = checkScenario('value' in parsed ? parsed.value : undefined)
  if (!('scenario' in checked)) return checked.mistakes.map(({ sentence }) => sentence)
  return lintScenario(checked.scenario).map(
    ({ severity, place, message }) => `${severity} at ${place.map(String).join('.')}: ${message}`,
  )
}

const rules = (...lines: string[]): string => `rules:\n${lines.map((line) => `  - { ${line} }\n`).join('')}`

it('finds a rule after one that matches everything', () => {
  expect(
    findings(
      rules(
        'id: all, match: { op: "video.*" }, delay: 1s',
        'id: late, match: { op: video.poll }, on: 2, delay: 1s',
      ),
    ),
  ).toEqual([
    'mistake at rules.1: rule "late" never fires: rule "all" in front of it takes every request that it concerns. ' +
      'Move it to the front, give the other a condition, or let the other continue.',
  ])
  const model = 'match: { op: video.submit, body: { size: a } }'
  expect(findings(rules(`id: a, ${model}`, `id: b, ${model}, delay: 1s`))).toHaveLength(1)
  expect(
    findings(
      rules(
        `id: a, ${model}`,
        'id: b, match: { op: video.submit, model: x, body: { size: a, n: 1 } }, delay: 1s',
      ),
    ),
  ).toHaveLength(1)
})

it.each([
  ['a condition', 'match: { op: "*" }, times: 1'],
  ['attempts that end', 'match: { op: "*" }, attempts: [503]'],
  ['a chance', 'match: { op: "*" }, chance: 50%'],
  ['a rule that continues', 'match: { op: "*" }, continue: true, delay: 1s'],
  ['another model', 'match: { op: "*", model: x }'],
  ['an asterisk where it is no pattern', 'match: { op: "*", key: "*" }, delay: 1s'],
  ['another operation', 'match: { op: video.submit }, delay: 1s'],
])('accepts rules after %s', (_, first) => {
  expect(findings(rules(first, 'match: { op: video.poll }, delay: 1s'))).toEqual([])
})

it.each(['model', 'prompt'])('finds a rule after one that matches every %s', (field) => {
  const first = `match: { op: "*", ${field}: "*" }, delay: 1s`
  expect(findings(rules(first, 'match: { op: video.poll }, delay: 1s'))).toHaveLength(1)
})

it('finds tasks that drive never creates', () => {
  const drive =
    'drive: [{ flow: video, n: 2 }, { flow: openai-video }, { flow: drawing, actions: [upscale 1] }]\n'
  expect(
    findings(`${drive}expect:
  tasks: [{ kind: video, nth: 3 }, { kind: video, nth: 4 }]
  requests: [{ op: mj.fetch, taskNth: 2 }, { op: mj.fetch, taskNth: 3 }]
  quiet: [{ op: video.poll, taskNth: 9, after: 1m, for: 1m }]
`),
  ).toEqual([
    'mistake at expect.tasks.1.nth: nth is 4, but drive makes 3 video tasks at most. Lower it, or raise n of a step.',
    'mistake at expect.requests.1.taskNth: taskNth is 3, but drive makes 2 drawing tasks at most. Lower it, or raise n of a step.',
    'mistake at expect.quiet.0.taskNth: taskNth is 9, but drive makes 3 video tasks at most. Lower it, or raise n of a step.',
  ])
  expect(findings('expect: { tasks: [{ kind: video, nth: 4 }] }')).toEqual([])
  expect(findings('drive: [{ flow: drawing }]\nexpect: { tasks: [{ kind: drawing, nth: 2 }] }')).toEqual([
    expect.stringContaining('nth is 2, but drive makes 1 drawing task at most'),
  ])
})

it('finds states that no task ever has, unless the file defines states', () => {
  needs('video.submit', 'mj.imagine')
  const wanted = 'expect: { tasks: [{ status: SUCCESS }, { status: [queued, FALIURE], count: 0 }] }\n'
  expect(findings(wanted)).toEqual([
    expect.stringMatching(
      /^mistake at expect\.tasks\.1\.status: no task is ever FALIURE\. Did you mean "FAILURE"\?/,
    ),
  ])
  const ruleFor = (state: string): string =>
    `rules: [{ match: { op: video.poll, state: ${state} }, fault: reset }]\n`
  expect(findings(ruleFor('IN_PROGRES'))).toEqual([
    expect.stringMatching(
      /^mistake at rules\.0\.match\.state: no task is ever IN_PROGRES\. Did you mean "IN_PROGRESS"\?/,
    ),
  ])
  for (const state of [
    'MODAL',
    '{ glob: "*PROGRESS" }',
    '{ not: queued }',
    '{ exists: false }',
    '{ regex: x }',
  ])
    expect(findings(ruleFor(state))).toEqual([])
  const own = `config:
  video:
    lifecycle:
      initial: FALIURE
      states: { FALIURE: { after: 1s, to: SUCCESS }, SUCCESS: { final: true } }
`
  expect(findings(own + wanted + ruleFor('IN_PROGRES'))).toEqual([])
})

it('reports drive on a clock that cannot run it', () => {
  needs('video.submit', 'chat.complete')
  const manual = 'clock: { mode: manual }\n'
  expect(findings(`${manual}drive: [{ flow: chat }]\n`)).toEqual([
    expect.stringContaining("mistake at clock.mode: drive can't run on a clock of mode manual"),
  ])
  expect(findings(manual)).toEqual([])
})

it('finds fields of a drive step that its flow ignores', () => {
  needs('video.submit', 'chat.complete')
  expect(
    findings('drive: [{ flow: chat, actions: [upscale 1] }, { flow: drawing, actions: [zoom], size: 8x8 }]'),
  ).toEqual([
    'mistake at drive.0.actions: actions is for drawing: flow chat ignores it. Leave it out.',
    'mistake at drive.1.size: size is for video, openai-video: flow drawing ignores it. Leave it out.',
  ])
})

it('finds clock settings without effect in its mode', () => {
  expect(findings('clock: { rate: 60, limit: 3h, pollStep: 2s }\n')).toEqual([
    expect.stringMatching(
      /^advice at clock\.pollStep: clock\.pollStep is for mode auto: in mode scaled it has/,
    ),
    expect.stringMatching(/^advice at clock\.limit: /),
  ])
  expect(findings('clock: { mode: real, rate: 5 }\n')).toEqual([
    'clock.rate: is 5: a rate goes with mode scaled, not with real. Leave one out.',
  ])
  expect(findings('clock: { limit: 3h, participants: 2, assume: [poll] }\n')).toEqual([])
})

it.each([
  [
    'respond: { body: x, error: { message: y }, code: 3 }',
    'respond.error',
    'body replaces the whole response',
  ],
  [
    'respond: { code: 23, error: { message: y } }',
    'respond.error',
    'code gives the response the format of the drawing API',
  ],
  ['respond: { description: full }', 'respond.description', 'it goes with code, which is missing'],
  ['respond: { status: 429, retryAfterFormat: date }', 'respond.retryAfterFormat', 'it goes with retryAfter'],
  ['respond: { status: 503 }, task: { outcome: failure }', 'task', 'another response replaces'],
  ['fault: reset, task: { outcome: failure }', 'task', 'the request is lost'],
  ['fault: hang, respond: { status: 503 }', 'respond', 'the fault hang prevents any response'],
  ['attempts: [503, reset], media: { seconds: 3 }', 'media', 'another response replaces'],
  ['attempts: [503, ok], respond: { status: 502 }', 'respond', 'every attempt has its own respond'],
  ['attempts: [503, ok], fault: hang', 'attempts.0', 'the fault hang prevents any response'],
  [
    'attempts: [{ respond: { status: 503 }, fault: reset }]',
    'attempts.0.respond',
    'the fault reset prevents',
  ],
  [
    'attempts: [{ respond: { body: x, error: {} } }]',
    'attempts.0.respond.error',
    'body replaces the whole response',
  ],
  ['attempts: [ok, ok]', 'attempts', 'all of them are ok'],
  ['task: { timeline: [{ after: 1s, status: FAILURE }], render: 3s }', 'task.render', 'timeline defines'],
  ['task: { outcome: success, failAt: 0.5 }', 'task.failAt', 'outcome is success'],
  ['media: { file: a.mp4, seconds: 3 }', 'media.seconds', 'the file is sent unchanged'],
  ['fault: { type: reset, phase: before-headers, at: 0.4 }', 'fault.at', 'phase is before-headers'],
  ['fault: { type: reset, at: 0.4, lost: answer }', 'fault.lost', 'the answer begins before'],
])('finds fields without effect in { %s }', (words, idle, why) => {
  const [first, ...more] = findings(rules(`id: it, match: { op: video.submit }, ${words}`))
  expect(first).toMatch(`mistake at rules.0.${idle}: rule "it": ${idle} has no effect: ${why}`)
  expect(more.filter((each) => !each.includes('respond.code'))).toEqual([])
})

it('finds faults that never apply and ordinals that no request reaches', () => {
  const stale =
    'mistake at rules.0.fault: rule "it": the fault stale has no effect on video.submit. Match video.poll, '
  expect(findings(rules('id: it, match: { op: video.submit }, fault: stale'))[0]).toContain(stale)
  expect(findings(rules('match: { op: "video*" }, fault: stale'))).toEqual([])
  expect(findings(rules('id: it, match: { op: mj.fetch }, attempts: [split-character]'))[0]).toMatch(
    /^mistake at rules\.0\.attempts\.0: .* has no effect on mj\.fetch/,
  )
  expect(findings(rules('id: it, match: { op: video.poll }, on: [2, 3], every: 3, delay: 1s'))).toEqual([
    'mistake at rules.0.on: rule "it" is to fire on 2, but only every 3rd time: on 2 it never does. Leave one out.',
  ])
})

it('finds attempts after the last firing, and workers without tasks', () => {
  expect(findings(rules('id: it, match: { op: video.poll }, attempts: [ok, 503, 502], times: 1'))).toEqual([
    'mistake at rules.0.attempts.2: rule "it" fires at most once per operation and task: attempt 3 succeeds. ' +
      'Leave times out, or the attempt.',
  ])
  expect(findings(rules('match: { op: video.poll }, attempts: [503, 502], times: 1, per: key'))).toEqual([])
  expect(findings('throttles: [{ match: { op: video.poll }, workers: 1 }]')).toEqual([
    expect.stringContaining(
      'mistake at throttles.0.workers: throttle "throttle-1" has workers, but video.poll never makes a task.',
    ),
  ])
})

it.each([
  ['error: { afterChunk: 3 }, cut: { afterChunk: 3 }', ['error', 'the stream ends after chunk 3']],
  ['error: { afterChunk: 2 }, cut: { afterChunk: 3 }', ['cut', 'the stream ends after chunk 2']],
  ['cut: { afterChunk: 3 }, stall: { afterChunk: 4, for: 1s }', ['stall', 'the stream ends after chunk 3']],
  [
    'error: { afterChunk: 2, kind: reset, status: 503 }',
    ['error.status', 'an error of kind reset sends no message'],
  ],
])('finds stream fields without effect in { %s }', (words, [idle, why]) => {
  expect(findings(rules(`id: it, match: { op: chat.complete }, stream: { ${words} }`))).toEqual([
    `mistake at rules.0.stream.${idle}: rule "it": stream.${idle} has no effect: ${why}. Leave one out.`,
  ])
})

it.each([
  ['workers: 1, respond: { status: 503 }', 'respond', 'workers queue tasks and never refuse them'],
  ['workers: 1, per: key', 'per', 'workers belong to the whole namespace'],
  ['outage: 1s..2s, per: key', 'per', 'an outage affects all keys'],
  [
    'concurrent: 1, respond: { code: 23, error: {} }',
    'respond.error',
    'code gives the response the format of the drawing API',
  ],
])('finds throttle fields without effect in { %s }', (words, idle, why) => {
  expect(findings(`throttles: [{ match: { op: video.submit }, ${words} }]`)).toEqual([
    `mistake at throttles.0.${idle}: throttle "throttle-1": ${idle} has no effect: ${why}. Leave one out.`,
  ])
})

it.each([
  'attempts: [503, reset, ok], delay: 1s',
  'attempts: [{ delay: 3s }, ok], respond: { status: 503 }, per: task',
  'respond: { status: 503, retryAfter: 1s, retryAfterFormat: date, error: { code: x } }',
  'respond: { headers: { x-a: b } }, task: { render: 1s }, fault: { type: reset, lost: answer }',
  'task: { timeline: [{ after: 1s, status: FAILURE }], reason: x }',
  'fault: { type: reset, phase: mid-body, at: 0.4 }',
])('accepts the combination of fields in { %s }', (words) => {
  expect(findings(rules(`match: { op: video.submit }, ${words}`))).toEqual([])
})

it.each([
  [
    'tasks: [{ each: true, count: 0, status: FAILURE }]',
    'tasks.0.count',
    'count has no effect: each applies',
  ],
  ['tasks: [{ nth: 1, each: true }]', 'tasks.0.each', 'each has no effect: nth selects'],
  ['tasks: [{ nth: 1, count: 3 }]', 'tasks.0.count', "there is only one task 1, so that 3 of it can't be."],
  ['tasks: [{ op: video.poll, count: 0 }]', 'tasks.0.op', 'no task is made by video.poll. Use video.submit,'],
  ['tasks: [{ kind: drawing, op: video.submit }]', 'tasks.0.kind', 'video.submit concerns no drawing task.'],
  [
    'requests: [{ op: chat.complete, kind: video, count: 0 }]',
    'requests.0.kind',
    'chat.complete concerns no video',
  ],
  [
    'requests: [{ op: video.poll, nth: 2, count: 0, status: 503 }]',
    'requests.0.count',
    'count has no effect: nth',
  ],
  [
    'requests: [{ op: video.poll, nth: 2, count: 3, status: 503 }]',
    'requests.0.count',
    'count has no effect: nth',
  ],
  ['tasks: [{ nth: 1, count: { min: 2 } }]', 'tasks.0.count', 'there is only one task 1, so that 2 of it'],
])('finds impossible expectations in { %s }', (expected, place, message) => {
  needs('video.submit')
  const [first, ...more] = findings(`expect: { ${expected} }`)
  expect(first).toContain(`mistake at expect.${place}: ${message}`)
  expect(more).toEqual([])
})

it('reports both keys without effect of an expectation of each task', () => {
  expect(findings('expect: { tasks: [{ nth: 1, each: true, count: 3, status: FAILURE }] }')).toEqual([
    'mistake at expect.tasks.0.count: count has no effect: each applies to all of them. Leave one out.',
    'mistake at expect.tasks.0.each: each has no effect: nth selects only one. Leave one out.',
  ])
})

it('accepts expectations of one task, of none, and of several operations', () => {
  const tasks =
    '[{ nth: 2, count: 0, status: FAILURE }, { kind: drawing, op: "mj.*" }, { each: true, status: SUCCESS }]'
  const requests = '[{ op: "*", kind: video, count: 3 }, { op: video.poll, nth: 1, fault: truncate }]'
  expect(findings(`expect: { tasks: ${tasks}, requests: ${requests} }`)).toEqual([])
  expect(findings('expect: { tasks: [{ elapsed: { min: 5m, max: 60s } }] }')).toEqual([
    expect.stringContaining('expect.tasks.0.elapsed: is {"min":"5m","max":"60s"}: its min is above its max'),
  ])
  expect(findings('expect: { requests: [{ op: video.poll, fault: trunctae, count: 0 }] }')).toEqual([
    expect.stringContaining('expect.requests.0.fault: is "trunctae": must be one of'),
  ])
})

const timeline = (lines: string, more = '', op = 'video.submit'): string =>
  rules(`id: a, match: { op: ${op} }, task: { timeline: [${lines}]${more} }`)

it('finds a state of a timeline that no task has', () => {
  expect(findings(timeline('{ after: 1s, status: SUCESS }'))).toEqual([
    expect.stringContaining('no task is ever SUCESS. Did you mean "SUCCESS"?'),
  ])
})

it('accepts timelines with shortcuts and dialogs, and out of the documented order', () => {
  expect(findings(timeline('{ after: 5s, status: FAILURE }'))).toEqual([])
  expect(findings(timeline('{ after: 1s, status: IN_PROGRESS }, { after: 2s, status: queued }'))).toEqual([])
  const dialog =
    '{ after: 0s, status: MODAL }, { waitFor: mj.modal }, { after: 2s, status: IN_PROGRESS }, { after: 3s, status: SUCCESS }'
  expect(findings(timeline(dialog, '', 'mj.action'))).toEqual([])
})

it('reports an on that times makes unreachable', () => {
  const on = (more: string): string => rules(`id: a, match: { op: video.poll }, delay: 1s, ${more}`)
  expect(findings(on('on: [1, 2, 5], times: 2'))).toEqual([
    'mistake at rules.0.times: rule "a" is to fire on 1, 2, 5, but only 2 times: on 5 it never does. Leave times out.',
  ])
  expect(findings(on('on: [1, 2], times: 2'))).toEqual([])
})

it('finds fields on operations that ignore them', () => {
  expect(findings(rules('id: a, match: { op: video.poll }, task: { render: 1s }'))).toEqual([
    expect.stringMatching(
      /^mistake at rules\.0\.task: rule "a" has task, but video\.poll never makes a task\. Match video\.submit, /,
    ),
  ])
  expect(findings(rules('match: { op: video.poll }, stream: { gap: 1s }'))).toHaveLength(1)
  expect(findings(rules('match: { op: chat.complete }, media: { seconds: 1 }'))).toHaveLength(1)
  for (const op of servedRows(['images.generate']))
    expect(findings(rules(`match: { op: ${op} }, answer: { text: hi }`))).toHaveLength(1)
  for (const op of servedRows(['images.generate', 'text.generate']))
    expect(findings(rules(`match: { op: ${op} }, media: { size: 64x64 }`))).toEqual([])
  expect(findings(rules('match: { op: "video.*" }, task: { render: 1s }'))).toEqual([])
})

it('checks a thousand rules quickly', () => {
  const many = Array.from(
    { length: 1_000 },
    (_, index) => `match: { op: "video.*", prompt: p${index} }, delay: 1s`,
  )
  const elapsedMs = startProcessorTimer()
  expect(findings(rules(...many))).toEqual([])
  // Seconds would be a loop in a loop too many.
  expect(elapsedMs()).toBeLessThan(5_000)
})

it.each([
  ['{ min: 3 }', '{ add: 1 }', true],
  ['3', '{ add: 1 }', true],
  ['{ max: 2 }', 'true', true],
  ['{ min: 3 }', '4', true],
  ['{ min: 3 }', '2', false],
  ['degraded', '{ add: 1 }', false],
])('knows whether a variable can be %s where rules set %s', async (wanted, set, canBe) => {
  const found = findings(`rules:
  - { match: { op: video.poll }, set: { n: ${set} }, continue: true }
  - { match: { op: video.poll }, when: { vars: { n: ${wanted} } }, respond: { status: 503 } }
`)
  expect(found.some((message) => message.includes('no rule sets the variable'))).toBe(!canBe)
})
