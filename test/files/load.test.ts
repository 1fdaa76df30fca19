import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { loadScenario, type LoadedScenario, type Scenario } from '../../src/index.ts'
import { needs } from '../support/needs.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Writes files into a new folder. @returns the path of the first. */
function files(contents: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-scenario-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return join(folder, Object.keys(contents)[0]!)
}

const load = (text: string, more: Readonly<Record<string, string>> = {}): Promise<LoadedScenario> =>
  loadScenario(files({ 'it.yaml': `version: 1\n${text}`, ...more }))

/** What a scenario is refused with, line by line, each without its folder. */
async function complaints(path: string): Promise<string[]> {
  const error: unknown = await loadScenario(path).then(
    () => expect.unreachable('the scenario was taken'),
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ name: 'ScenarioError' })
  return (error as Error).message.replaceAll(`${dirname(path)}/`, '').split('\n')
}

const refused = (text: string): Promise<string[]> => complaints(files({ 'it.yaml': `version: 1\n${text}` }))

const drafts = fileURLToPath(new URL('drafts/', import.meta.url))

it.each(readdirSync(drafts))('takes %s', async (name) => {
  const { scenario, at } = await loadScenario(join(drafts, name))
  expect(scenario.rules?.length).toBeGreaterThan(0)
  expect(at(['rules', 0])).toMatchObject({ file: join(drafts, name), line: expect.any(Number), column: 5 })
})

it('loads a file by its path or by its file: URL', async () => {
  const path = files({ 'a kite.yaml': 'version: 1\nseed: 7' })
  expect((await loadScenario(pathToFileURL(path))).scenario).toEqual((await loadScenario(path)).scenario)
})

it.each([
  [5, 'the path is a value of type number'],
  [undefined, 'the path is a value of type undefined'],
  [new URL('file:///a%2fb.yaml'), 'the path is "file:///a%2fb.yaml"'],
  [new URL('http://localhost/flaky.yaml'), 'the path is "http://localhost/flaky.yaml"'],
])('refuses the path %s', async (path, message) => {
  const loaded = loadScenario(path as URL)
  await expect(loaded).rejects.toThrow(`Failed to load the scenario: ${message}. Give the path of a file`)
  await expect(loaded).rejects.toMatchObject({ name: 'ScenarioError' })
})

it('loads the same scenario from YAML, JSON and TypeScript', async () => {
  const scenario: Scenario = {
    version: 1,
    seed: 7,
    rules: [{ id: 'late', match: { op: 'video.poll' }, chance: '25%', delay: { uniform: ['1s', '2s'] } }],
  }
  const yaml =
    'version: 1\nseed: 7\nrules:\n  - { id: late, match: { op: video.poll }, chance: 25%, delay: { uniform: [1s, 2s] } }\n'
  const code = `import { seed } from './seed.ts'\nexport default { ...${JSON.stringify(scenario)}, seed: seed as number }\n`
  const paths = [
    files({ 'it.yaml': yaml }),
    files({ 'it.json': JSON.stringify(scenario) }),
    files({ 'it.ts': code, 'seed.ts': 'export const seed: number = 7\n' }),
    files({ 'it.mjs': `export const scenario = ${JSON.stringify(scenario)}\n` }),
  ]
  for (const path of paths) {
    const loaded = await loadScenario(path)
    expect(loaded.scenario).toEqual(scenario)
    expect(loaded.at(['rules', 0]).file).toBe(path)
  }
})

it('reports every mistake of a file with line, column, path, value and hint', async () => {
  const messages = await refused(`clok: { mode: auto }
clock: { mode: warp }
rules:
  - id: flaky
    match: { op: video.pol }
    chance: 25
    on: 0
  - match: { op: video.poll, body: { model: { globb: x } } }
    delay: 5 sec
`)
  expect(messages).toEqual([
    'it.yaml:2:1: clok: is not known. Did you mean "clock"?',
    'it.yaml:3:16: clock.mode: is "warp": must be real, scaled, manual, auto; host works only in the process of the clients. Such as: auto.',
    'it.yaml:6:18: rules.0.match.op (rule "flaky"): is "video.pol": unknown operation. Did you mean "video.poll"?',
    'it.yaml:7:13: rules.0.chance (rule "flaky"): is 25: write a number from 0 to 1, or a percentage such as "40%".',
    'it.yaml:8:9: rules.0.on (rule "flaky"): is 0: must be more than 0. Such as: 2.',
    'it.yaml:9:47: rules.1.match.body.model.globb: is not known. Did you mean "glob"? Known here: equals, glob, contains, regex, flags, in, exists, not.',
    'it.yaml:10:12: rules.1.delay: is "5 sec": "5 sec" is not a duration: write it as "500ms", "5s", "1m30s" or "2h".',
  ])
})

it('reports a repeated id together with what can never happen', async () => {
  const messages = await refused(`rules:
  - { id: a, match: { op: video.poll, state: RUNNING }, delay: 1s }
  - { id: a, match: { op: video.submit }, delay: 1s }
`)
  expect(messages).toEqual([
    expect.stringMatching(/^it\.yaml:4:\d+: rules\.1\.id: is "a", which is the id of rules\.0\./),
    expect.stringMatching(/^it\.yaml:3:\d+: mistake: no task is ever RUNNING\./),
  ])
})

it('lists the operations only for a word that is like none of them', async () => {
  needs('video.submit')
  const [messages] = await refused('rules: [{ match: { op: zzzzzzzzzzzz } }]\n')
  expect(messages).toMatch(
    /unknown operation\. Use one of these, with \* for any text: video\.submit, .*mj\.fetch/,
  )
})

it('reports an unknown fault in an expectation, for which count: 0 would always pass', async () => {
  const [messages] = await refused('expect: { requests: [{ op: video.poll, fault: truncat, count: 0 }] }\n')
  expect(messages).toMatch(
    /expect\.requests\.0\.fault: is "truncat": must be one of .* Did you mean "truncate"\?/,
  )
})

it.each([
  ['fault: rest', 'it.yaml:6:12: rules.0.fault (rule "a"): is "rest": must be one of '],
  ['fault: { type: trunkate }', 'rules.0.fault.type (rule "a"): is "trunkate": must be one of '],
  ['fault: { type: trunkate }', 'Did you mean "truncate"?'],
  [
    'fault: { type: truncate, att: 1 }',
    'rules.0.fault.att (rule "a"): is not known. Did you mean "at"? Known here: type, at.',
  ],
  ['fault: { at: 40% }', 'rules.0.fault.type (rule "a")'],
  ['fault: drip', 'it needs more than its name: { type: drip, bytesPerSecond: 2000 }'],
  ['task: { outcome: 3 }', 'rules.0.task.outcome (rule "a"): is 3: must be '],
  ['attempts: [429, rset, ok]', 'rules.0.attempts.1 (rule "a"): is "rset": must be one of ok, '],
  [
    'attempts: [429, { fualt: reset }]',
    'rules.0.attempts.1.fualt (rule "a"): is not known. Did you mean "fault"?',
  ],
  ['attempts: [700]', 'rules.0.attempts.0 (rule "a"): is 700: must be at most 599'],
  ['attempts: [true]', 'rules.0.attempts.0 (rule "a"): is true: must be a text, a number or a mapping'],
  ['delay: { unifrm: [1s, 2s] }', 'rules.0.delay.unifrm (rule "a"): is not known. Did you mean "uniform"?'],
  [
    'delay: { lognormal: { p50: 1s } }',
    'rules.0.delay.lognormal.p95 (rule "a"): is missing: the 95th percentile',
  ],
  [
    'delay: { normal: { mean: 1x, sd: 1s } }',
    'rules.0.delay.normal.mean (rule "a"): is "1x": "1x" is not a duration',
  ],
  [
    'task: { timeline: [{ aftr: 1s }] }',
    'rules.0.task.timeline.0.aftr (rule "a"): is not known. Did you mean "after"?',
  ],
  [
    'task: { timeline: [{ waitFor: mj.modal, status: MODAL }] }',
    'rules.0.task.timeline.0.status (rule "a"): is not known. Known here: waitFor, timeout, reason.',
  ],
  ['when: { clock: 30s-55s }', 'is "30s-55s": "30s-55s" is not a window: write it as 30s..55s'],
  [
    'respond: { headers: { "a b": c } }',
    'rules.0.respond.headers.a b (rule "a"): can\'t be a key: must be the name of a header',
  ],
  [
    'stream: { chunk: letter }',
    'rules.0.stream.chunk (rule "a"): is "letter": must be one of token, word, character.',
  ],
  [
    'media: { size: big }',
    'rules.0.media.size (rule "a"): is "big": must be WIDTHxHEIGHT, such as 1280x720.',
  ],
  ['per: user', 'rules.0.per (rule "a"): is "user": must be one of namespace, key, task.'],
  ['delay:', 'rules.0.delay (rule "a"): is missing: the delay of the response'],
])('explains %j by the intended branch', async (line, message) => {
  const messages = await refused(
    `rules:\n  - id: a\n    match: { op: video.poll }\n    optional: true\n    ${line}\n`,
  )
  expect(messages.join('\n')).toContain(message)
})

it.each([
  ['config: { qualty: fast }', 'it.yaml:2:11: config.qualty: is not known. Did you mean "quality"?'],
  ['config: { rules: [] }', 'config.rules: is a key of the scenario, not of its config. Move it up.'],
  [
    'throttles: [{ match: { op: "*" } }]',
    'it throttles nothing. Give it rate, bucket, concurrent, workers or outage.',
  ],
  [
    'throttles: [{ match: { op: "*" }, bucket: { capacity: 1, refill: fast } }]',
    '"fast" is not a refill: write it as 1/10s.',
  ],
  ['drive: [{ flow: vidoe }]', 'drive.0.flow: is "vidoe": must be one of video, openai-video, text'],
  ['expect: { always: [no-poll-after-termnal] }', 'Did you mean "no-poll-after-terminal"?'],
  ['expect: { always: [modal-follows-its-actoin] }', 'Did you mean "modal-follows-its-action"?'],
  ['expect: { tasks: [{ kind: drawng }] }', 'must be one of video, drawing. Did you mean "drawing"?'],
  [
    'config: { models: [{ name: a, kind: vidoe }] }',
    'it.yaml:2:37: config.models.0.kind: is "vidoe": must be one of video, text, embedding, drawing. Did you mean "video"?',
  ],
  [
    'expect: { requests: [{ count: 1 }] }',
    'expect.requests.0: is {"count":1}: it selects no operation. Write op or role.',
  ],
  ['expect: { requests: [{ role: pol }] }', 'Did you mean "poll"?'],
  ['expect: { requests: [{ op: "video.*", role: text }] }', 'no operation of video.* has the role text.'],
  ['expect: { quiet: [{ after: 1m, for: 1m }] }', 'it selects no operation. Write op or role.'],
  [
    'expect: { requests: [{ op: [video.poll, 5] }] }',
    'expect.requests.0.op.1: is 5: must be a text. Such as: video.poll.',
  ],
  ['expect: { within: soon }', 'expect.within: is "soon": "soon" is not a duration'],
  ['expect: { tasks: [{ count: { min: 3, max: 1 } }] }', 'its min is above its max'],
  [
    'expect: { rules: { flakey: { fired: 1 } } }\nrules: [{ id: flaky, match: { op: "*" } }]',
    'it.yaml:2:20: expect.rules.flakey: "flakey" is neither a rule nor a throttle. Did you mean "flaky"?',
  ],
  [
    'rules: [{ id: a, match: { op: "*" } }, { id: a, match: { op: "*" } }]',
    'it.yaml:2:46: rules.1.id: is "a", which is the id of rules.0.',
  ],
  [
    'rules: [{ match: { op: "*", body: { "a[": 1 } } }]',
    "can't be a key: not a path into a body. Write it as messages[0].content",
  ],
  ['rules: 5', 'rules: is 5: must be a list.'],
])('explains the mistake in %j', async (text, message) => {
  needs('video.submit', 'mj.imagine')
  expect((await refused(text)).join('\n')).toContain(message)
})

it('refuses an invalid regular expression with the reason', async () => {
  const rule = (regex: string): string =>
    `rules: [{ match: { op: '*', body: { prompt: { regex: '${regex}' } } } }]\n`
  expect(await refused(rule('(a'))).toEqual([expect.stringContaining("it can't be read")])
  expect(await refused(rule('a'.repeat(201)))).toEqual([expect.stringContaining('at most 200 characters')])
})

it('refuses integers that would lose precision, as values and as keys, and accepts them in quotes', async () => {
  const rounded = (digits: string, as: string): string =>
    `${digits} has more digits than a number keeps: it would be read as ${as}. Write it in quotes.`
  expect(await refused('seed: 9007199254740993\nx-notes:\n  12345678901234567890: 1\n')).toEqual([
    `it.yaml:2:7: ${rounded('9007199254740993', '9007199254740992')}`,
    `it.yaml:4:3: ${rounded('12345678901234567890', '12345678901234567000')}`,
  ])
  expect(await complaints(files({ 'it.json': '{ "version": 1, "seed": 9007199254740993 }' }))).toEqual([
    `it.json:1:25: ${rounded('9007199254740993', '9007199254740992')}`,
  ])
  expect(await refused('seed: 0x20000000000001')).toEqual([
    `it.yaml:2:7: ${rounded('0x20000000000001', '9007199254740992')}`,
  ])
  expect((await load('seed: 0x1F')).scenario.seed).toBe(31)
  expect((await load('seed: "9007199254740993"')).scenario.seed).toBe('9007199254740993')
  expect((await load('seed: 9007199254740991')).scenario.seed).toBe(9007199254740991)
  expect((await load('seed: 0.30000000000000004')).scenario.seed).toBe(0.30000000000000004)
})

it('refuses an empty seed, as --seed does', async () => {
  expect(await refused('seed: ""')).toEqual([
    expect.stringMatching(/^it\.yaml:2:7: seed: is "": must not be empty/),
  ])
})

it('refuses impossible sequences', async () => {
  needs('mj.imagine')
  const [open, unknown, ...rest] = await refused(
    'expect:\n  sequence: [{ is: submit (poll }, { is: submit pol+ content }, { is: submit (poll | modal)* download? }]\n',
  )
  expect(open).toMatch(/^it\.yaml:3:20: expect\.sequence\.0\.is: .*a bracket is not closed/)
  expect(unknown).toContain('"pol" is not a word for a request. Did you mean "poll"?')
  expect(rest).toEqual([])
  expect(await refused('expect: { sequence: Submit }')).toEqual([
    expect.stringContaining('Did you mean "submit"?'),
  ])
})

it('accepts anchors, merge keys and editor annotations', async () => {
  const { scenario, at } = await load(`$schema: ../schema/scenario.schema.json
x-shared:
  poll: &poll { match: { op: video.poll } }
rules:
  - { <<: *poll, id: one, times: 1, delay: 1s }
  - { <<: *poll, id: two, delay: 2s }
`)
  expect(scenario).toEqual({
    version: 1,
    rules: [
      { id: 'one', match: { op: 'video.poll' }, times: 1, delay: '1s' },
      { id: 'two', match: { op: 'video.poll' }, delay: '2s' },
    ],
  })
  expect(at(['rules', 1, 'id'])).toMatchObject({ line: 7, column: 22 })
})

it('reports a mistake inside an anchor at its definition', async () => {
  const text = 'x-poll: &poll { op: video.pol }\nrules:\n  - { match: *poll }\n'
  expect(await refused(text)).toEqual([expect.stringMatching(/^it\.yaml:2:21: rules\.0\.match\.op: /)])
})

it.each([
  ['a key twice', 'seed: 1\nseed: 2\n', 'it.yaml:3:1: duplicate key. Keep one.'],
  [
    'a second document',
    'seed: 1\n---\nversion: 1\n',
    'a second document begins here. Put each scenario into a file of its own.',
  ],
  ['a list without an end', 'rules: [\n', 'it.yaml:3:1: Flow sequence in block collection '],
  [
    'a mapping without an end',
    'rules:\n  - match: { op: video.poll\n    delay: 2s\n',
    'it.yaml:4:5: Flow map in block collection ',
  ],
  [
    'a status as a fault',
    'rules:\n  - { match: { op: video.poll }, fault: 503 }\n',
    'To send a status, write respond: { status: 503 }.',
  ],
  ['20,000 lists in each other', `a: ${'['.repeat(20_000)}`, 'it.yaml:'],
])('refuses ambiguous or broken YAML: %s', async (_what, text, message) => {
  expect((await refused(text)).join('\n')).toContain(message)
})

it('refuses a mapping as a key, as a template without quotes is read', async () => {
  const message = 'a mapping or a list is no key. Put text that begins with { or [ in quotes.'
  const rule = '{ match: { op: video.poll }, respond: { body: { a: {{ x }} } } }'
  expect(await refused(`name: {{ name }}\nrules: [${rule}]`)).toEqual([
    `it.yaml:2:8: ${message}`,
    `it.yaml:3:61: ${message}`,
  ])
  expect(await refused('? [a, b]\n: 1')).toEqual([`it.yaml:2:3: ${message}`])
})

it('refuses a YAML alias bomb before expanding it', async () => {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inside = level === 0 ? 'lol' : Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')
    return `x-${level}: &a${level} [${inside}]`
  })
  expect(await refused(levels.join('\n'))).toEqual([expect.stringContaining('Use fewer aliases.')])
})

it('refuses files that are too large, of an unknown type, or missing', async () => {
  expect(await refused(`# ${'x'.repeat(1024 * 1024)}`)).toEqual([
    expect.stringContaining('more than 1048576'),
  ])
  expect(await complaints(files({ 'it.txt': '' }))).toEqual([
    'it.txt: is not a scenario file. Use a file that ends in .yaml, .yml, .json, .ts, .mts, .js, .mjs.',
  ])
  expect(await complaints(files({ 'a/it.yaml': '' }).replace('it.yaml', 'other.yaml'))).toEqual([
    'Failed to read other.yaml: it does not exist. Give the path of a scenario file.',
  ])
  expect(await complaints(files({ 'flaky.yaml': '' }).replace('flaky', 'flakey'))).toEqual([
    'Failed to read flakey.yaml: it does not exist. Did you mean "flaky.yaml"? Give the path of a scenario file.',
  ])
  expect(await complaints(files({ 'it.ts': 'throw new Error("no")\nexport default {}\n' }))).toEqual([
    "it.ts:1: The file can't be run: no.",
  ])
  expect(await complaints(files({ 'it.mjs': 'export const scenaro = {}\n' }))).toEqual([
    expect.stringContaining('it.mjs: exports no scenario.'),
  ])
  expect(await complaints(files({ 'it.mjs': 'export default Promise.resolve({ version: 1 })\n' }))).toEqual([
    'it.mjs: exports a promise as its scenario. Await it: a file may.',
  ])
})

it('accepts up to a thousand rules, including those of its bases', async () => {
  const rules = (count: number): string => `rules:\n${"  - match: { op: '*' }\n".repeat(count)}`
  expect((await load(rules(1_000))).scenario.rules).toHaveLength(1_000)
  expect(await refused(rules(1_001))).toEqual([expect.stringContaining('must have at most 1000 entries')])
  const path = files({
    'it.yaml': `version: 1\nextends: [base.yaml]\n${rules(600)}`,
    'base.yaml': `version: 1\n${rules(600)}`,
  })
  expect(await complaints(path)).toEqual([
    expect.stringContaining('it.yaml:2:10: extends: gives 1200 rules in all'),
  ])
})

it.each([
  ['{ mode: scaled, rate: 60, limit: 1h }', '{ mode: auto }', { mode: 'auto', limit: '1h' }],
  ['{ mode: manual, limit: 1h }', '{ rate: 60 }', { mode: 'scaled', rate: 60, limit: '1h' }],
  ['{ rate: 60 }', '{ mode: scaled }', { mode: 'scaled', rate: 60 }],
  ['{ rate: 60 }', '{ start: 5 }', { rate: 60, start: 5 }],
])('lets the clock %s be extended by %s', async (weak, strong, clock) => {
  const base = `version: 1\nclock: ${weak}\n`
  const { scenario } = await load(`extends: [base.yaml]\nclock: ${strong}\n`, { 'base.yaml': base })
  expect(scenario.clock).toEqual(clock)
})

it('extends files in order, the last one taking precedence, and knows every position', async () => {
  const path = files({
    'it.yaml': `version: 1
extends: [shared/weak.yaml, shared/strong.yaml]
config: { keys: [sk-own] }
rules:
  - { id: own, match: { op: video.poll } }
  - { id: replaced, match: { op: video.poll }, times: 1 }
`,
    'shared/weak.yaml': `version: 1
name: weak
seed: 1
requires: [wire]
config: { keys: [sk-weak], quality: fast }
rules: [{ id: weak, match: { op: video.poll } }]
expect: { within: 5m }
`,
    'shared/strong.yaml': `version: 1
seed: 2
rules:
  - { id: replaced, match: { op: video.poll }, times: 2 }
  - { id: strong, match: { op: video.poll } }
expect: { always: [one-key] }
`,
  })
  const { scenario, files: parts, at } = await loadScenario(path)
  expect(scenario).toEqual({
    version: 1,
    name: 'weak',
    seed: 2,
    requires: ['wire'],
    config: { keys: ['sk-own'], quality: 'fast' },
    rules: [
      { id: 'own', match: { op: 'video.poll' } },
      { id: 'replaced', match: { op: 'video.poll' }, times: 1 },
      { id: 'strong', match: { op: 'video.poll' } },
      { id: 'weak', match: { op: 'video.poll' } },
    ],
    expect: { within: '5m', always: ['one-key'] },
  })
  const folder = dirname(path)
  expect(parts).toEqual(
    ['it.yaml', 'shared/strong.yaml', 'shared/weak.yaml'].map((name) => join(folder, name)),
  )
  expect(at(['rules', 2])).toEqual({ file: parts[1], line: 5, column: 5 })
  expect(at(['rules', 3, 'match', 'op'])).toMatchObject({ file: parts[2], line: 6 })
  expect(at(['expect', 'within'])).toMatchObject({ file: parts[2], line: 7 })
  expect(at(['expect', 'always', 0])).toMatchObject({ file: parts[1], line: 6 })
  expect(at(['seed'])).toMatchObject({ file: parts[1], line: 2 })
})

it('reports cycles, missing bases and mistakes in bases together', async () => {
  const path = files({
    'it.yaml': 'version: 1\nextends: [a.yaml, nowhere.yaml, /etc/passwd]\n',
    'a.yaml': 'version: 1\nextends: [b.yaml]\nsed: 1\n',
    'b.yaml': 'version: 1\nextends: [it.yaml]\n',
  })
  expect(await complaints(path)).toEqual([
    'it.yaml:2:33: extends.2: is "/etc/passwd". Give a path relative to this file.',
    expect.stringMatching(/^it\.yaml:2:19: extends\.1: Failed to read nowhere\.yaml: it does not exist\./),
    expect.stringMatching(/^a\.yaml:3:1: sed: is not known\. Did you mean "seed"\?/),
  ])
  const circle = files({
    'it.yaml': 'version: 1\nextends: [b.yaml]\n',
    'b.yaml': 'version: 1\nextends: [it.yaml]\n',
  })
  expect(await complaints(circle)).toEqual([
    'b.yaml:2:11: extends.0: extends itself: it.yaml → b.yaml → it.yaml. Take one step out.',
  ])
})

/** The first box of an MP4 file. */
const videoStart = '\0\0\0\x18ftypisom\0\0\0\0'

it('resolves media relative to the file that names them', async () => {
  const path = files({
    'it.yaml': 'version: 1\nextends: [shared/base.yaml]\n',
    'shared/base.yaml': 'version: 1\nrules: [{ match: { op: video.content }, media: { file: boat.mp4 } }]\n',
    'shared/boat.mp4': videoStart,
  })
  const { scenario } = await loadScenario(path)
  expect(scenario.rules![0]!.media).toEqual({
    file: join(realpathSync(dirname(path)), 'shared/boat.mp4'),
  })
  const rule = (file: string): string =>
    `rules: [{ match: { op: video.content }, media: { file: ${file} } }]\n`
  expect((await refused(rule('boat.mp4')))[0]).toMatch(
    /^it\.yaml:2:56: rules\.0\.media\.file: is "boat\.mp4", but boat.mp4 does not exist/,
  )
  expect((await refused(rule('.')))[0]).toContain('is not a file')
  expect((await refused(rule('/etc/hostname')))[0]).toContain('Give a path relative to this file.')
})

it.skipIf(process.platform === 'win32')('refuses media outside the folder of its file', async () => {
  const path = files({
    'inner/it.yaml': 'version: 1\nrules: [{ match: { op: video.content }, media: { file: link.mp4 } }]\n',
    'inner/up.yaml': 'version: 1\nrules: [{ match: { op: video.content }, media: { file: ../boat.mp4 } }]\n',
    'inner/in.yaml': 'version: 1\nrules: [{ match: { op: video.content }, media: { file: near.mp4 } }]\n',
    'inner/clips/near.mp4': videoStart,
    'boat.mp4': videoStart,
  })
  const folder = dirname(path)
  symlinkSync('../boat.mp4', join(folder, 'link.mp4'))
  symlinkSync('clips/near.mp4', join(folder, 'near.mp4'))
  for (const name of ['it', 'up']) {
    expect((await complaints(join(folder, `${name}.yaml`)))[0], name).toMatch(
      /rules\.0\.media\.file: is ".*boat\.mp4"|is "link\.mp4", but .*boat\.mp4 is outside of the folder of this file\. Copy it/,
    )
  }
  const { scenario } = await loadScenario(join(folder, 'in.yaml'))
  expect(scenario.rules![0]!.media!.file).toBe(join(realpathSync(folder), 'clips/near.mp4'))
})

it.each([
  ['secret.mp4', 'root:x:0:0:root:/root:/bin/bash', 'its first bytes are those of no video or picture'],
  ['empty.mp4', '', 'its first bytes are those of no video or picture'],
  ['kite.mp4', 'GIF89a\x01\0\x01\0', 'its name ends in .mp4, but it is image/gif'],
  ['notes.txt', videoStart, 'its name must end in .mp4'],
])('refuses media by name and first bytes: %s', async (name, content, problem) => {
  const scenario = `version: 1\nrules: [{ match: { op: video.content }, media: { file: ${name} } }]\n`
  const [complaint] = await complaints(files({ 'it.yaml': scenario, [name]: content }))
  expect(complaint).toContain(`rules.0.media.file: is "${name}", which can't be served: ${problem}`)
})

it('reloads an edited file', async () => {
  const path = files({
    'it.yaml': 'version: 1\nseed: 1\n',
    'it.mjs': 'export default { version: 1, seed: 1 }\n',
  })
  const code = path.replace('.yaml', '.mjs')
  for (const each of [path, code]) expect((await loadScenario(each)).scenario.seed).toBe(1)
  writeFileSync(path, 'version: 1\nseed: 2\n')
  writeFileSync(code, 'export default { version: 1, seed: 2 }\n')
  for (const each of [path, code]) expect((await loadScenario(each)).scenario.seed).toBe(2)
})
