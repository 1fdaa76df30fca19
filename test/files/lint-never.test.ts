import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { createSimulator, loadScenario, parseScenario, type Rule } from '../../src/index.ts'
import { checkScenario } from '../../src/files/check.ts'
import { lintScenario } from '../../src/files/lint/lint.ts'
import { readYaml as parseYaml } from '../../src/files/yaml-text.ts'

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
const poll = 'match: { op: video.poll }'

it.each([
  ['the same on', 'on: 2, fault: reset', 'on: 2, delay: 1s', 'on: rule "b" never fires on 2'],
  ['some of on', 'on: [1, 2, 3], fault: reset', 'on: [3, 4], delay: 1s', 'on: rule "b" never fires on 3'],
  ['enough times', 'on: 2, times: 1, fault: reset', 'on: 2, delay: 1s', 'on: rule "b" never fires on 2'],
  ['a later from', 'from: 2, fault: reset', 'from: 3, delay: 1s', 'from: rule "b" never fires'],
  ['a from before on', 'from: 2, fault: reset', 'on: [1, 2], delay: 1s', 'on: rule "b" never fires on 2'],
  ['a divisor', 'every: 2, fault: reset', 'every: 4, delay: 1s', 'every: rule "b" never fires on every 4th'],
  [
    'a divisor',
    'every: 11, fault: reset',
    'every: 22, delay: 1s',
    'every: rule "b" never fires on every 22nd',
  ],
  [
    'the same',
    'every: 11, fault: reset',
    'every: 11, delay: 1s',
    'every: rule "b" never fires on every 11th',
  ],
  ['attempts', 'attempts: [503]', 'attempts: [429]', 'attempts.0: rule "b" never makes attempt 1 fail'],
  ['more attempts', 'attempts: [ok, 503]', 'attempts: [429, 429, reset]', 'attempts.1: rule "b" never makes'],
])('finds a rule after another with the same match and %s', (_what, first, second, message) => {
  expect(findings(rules(`id: a, ${poll}, ${first}`, `id: b, ${poll}, ${second}`))).toEqual([
    expect.stringContaining(`mistake at rules.1.${message}`),
  ])
})

it.each([
  ['from: 2', 'from: 3', 'Change from, merge the two, or let the other continue.'],
  ['on: 2', 'on: 2', 'Change on, merge the two, or let the other continue.'],
  ['every: 2', 'every: 4', 'Change every, or let the other continue.'],
])('says of a rule with %s what to change in a later one with %s', (first, second, advice) => {
  const [found] = findings(
    rules(`id: a, ${poll}, ${first}, fault: reset`, `id: b, ${poll}, ${second}, delay: 1s`),
  )
  expect(found).toContain(advice)
})

it('finds numbers before the first that a rule may fire on', () => {
  expect(findings(rules(`id: a, ${poll}, from: 3, on: [2, 4], fault: reset`))).toEqual([
    expect.stringContaining('rules.0.on: rule "a" never fires on 2: it begins with 3'),
  ])
  expect(findings(rules(`${poll}, from: 3, fault: reset`, `${poll}, from: 2, delay: 1s`))).toEqual([])
})

it('finds attempts after attempts of a wider match', () => {
  const wide = 'id: a, match: { op: "video.*" }, attempts: [503]'
  expect(findings(rules(wide, 'match: { op: video.poll, model: x }, attempts: [429]'))).toHaveLength(1)
  expect(findings(rules(wide, 'match: { op: video.poll, state: queued }, attempts: [429]'))).toEqual([])
})

it.each([
  ['another number', `${poll}, on: 2, delay: 1s`, `${poll}, on: 3, delay: 1s`],
  ['another match', `${poll}, on: 2, delay: 1s`, 'match: { op: video.poll, model: x }, on: 2, delay: 1s'],
  ['another time', `${poll}, on: 2, delay: 1s, when: { clock: ..5s }`, `${poll}, on: 2, delay: 1s`],
  ['another scope', `${poll}, on: 2, delay: 1s, per: task`, `${poll}, on: 2, delay: 1s`],
  ['a chance', `${poll}, on: 2, delay: 1s, chance: 50%`, `${poll}, on: 2, delay: 2s`],
  ['a rule that continues', `${poll}, on: 2, delay: 1s, continue: true`, `${poll}, on: 2, fault: reset`],
  ['attempts that go well', `${poll}, attempts: [503, ok]`, `${poll}, attempts: [ok, 429]`],
  ['attempts that end', `${poll}, attempts: [503]`, `${poll}, attempts: [ok, 429]`],
])('accepts a rule after one with %s', (_what, first, second) => {
  expect(findings(rules(first, second))).toEqual([])
})

it.each([
  ['every: 2', 'on: 4'],
  ['on: 4', 'every: 2'],
  ['on: 4', 'from: 2'],
  ['every: 2', 'from: 4'],
  ['from: 4', 'every: 2'],
  ['from: 4', 'on: 2'],
  ['every: 4', 'every: 2'],
  ['every: 4', 'every: 6'],
  ['every: 2, from: 3', 'every: 2'],
  ['on: [2, 4], times: 1', 'on: [2, 4], times: 2'],
])('accepts a rule with %s before one with %s', (first, second) => {
  const found = findings(
    rules(`id: a, ${poll}, ${first}, fault: reset`, `id: b, ${poll}, ${second}, delay: 1s`),
  )
  expect(found.filter((each) => each.includes('rule "b"'))).toEqual([])
})

/** What a rule selects. */
type Selection = Pick<Rule, 'on' | 'every' | 'times' | 'attempts' | 'per' | 'continue' | 'chance'> & {
  op: string
  model?: string
}

const scripted = (id: string, { op, model, ...selection }: Selection): Rule => ({
  id,
  match: { op, ...(model !== undefined && { model }) },
  delay: '1ms',
  ...selection,
})

/** How often a rule fired, and for which request of its scope. */
async function firedBy(id: string, script: readonly Rule[]): Promise<string[]> {
  await using sim = createSimulator({ rules: script, cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const submit = (prompt: string): Promise<Response> => {
    const body = JSON.stringify({ model: 'video-1', prompt })
    return sim.fetch('http://gateway.example/v1/video/generations', { method: 'POST', headers, body })
  }
  for (const prompt of ['a kite', 'a boat']) {
    let response = await submit(prompt).catch(() => undefined)
    for (let tries = 0; tries < 4 && !response?.ok; tries++) response = await submit(prompt)
    const { task_id: task } = (await response!.json()) as { task_id: string }
    for (let polls = 0; polls < 4; polls++)
      await sim.fetch(`http://gateway.example/v1/video/generations/${task}`, { headers })
  }
  const reasons = sim.journal().flatMap((entry) => entry.reasons())
  return reasons.filter(({ rule, fired }) => rule === id && fired).map(({ why }) => why)
}

it('accepts rules that still fire', async () => {
  const kind = fc.constantFrom<Partial<Selection>>(
    { on: 1 },
    { on: 2 },
    { on: [2, 3] },
    { every: 2 },
    { every: 4 },
    { attempts: [503] },
    { attempts: ['ok', 503] },
    { on: 2, every: 2 },
    { on: 1, attempts: [503] },
  )
  const more = fc.constantFrom<Partial<Selection>>(
    {},
    {},
    {},
    { times: 1 },
    { per: 'task' },
    { per: 'namespace' },
    { continue: true },
    { chance: '50%' },
  )
  const match = fc.constantFrom(
    { op: 'video.poll' },
    { op: 'video.*' },
    { op: 'video.poll', model: 'video-*' },
  )
  const selection = fc.tuple(match, kind, more).map((parts): Selection => Object.assign({}, ...parts))
  let accused = 0
  const check = async (one: Selection, other: Selection): Promise<void> => {
    const script = [scripted('a', one), scripted('b', other)]
    const found = lintScenario({ version: 1, rules: script } as never)
    const finding = found.find(({ message }) => /^rule "b" never (?:fires on|makes)/.test(message))
    if (!finding) return
    accused++
    const numbers = /on (\d+(?:, \d+)*):|attempt (\d+) fail/.exec(finding.message)
    const requests = numbers && (numbers[1] ?? numbers[2]!).split(', ')
    const fired = await firedBy('b', script)
    expect(fired.filter((why) => !requests || requests.includes(/^request (\d+) /.exec(why)![1]!))).toEqual(
      [],
    )
  }
  await fc.assert(fc.asyncProperty(selection, selection, check), { numRuns: 500, seed: 18 })
  expect(accused).toBeGreaterThan(15)
})

it('finds a state on requests without a task', () => {
  expect(findings(rules('id: it, match: { op: video.submit, state: queued }, fault: reset'))).toEqual([
    expect.stringContaining(
      'mistake at rules.0.match.state: rule "it" never fires: video.submit is about no task yet, so there is no state.',
    ),
  ])
  const limit =
    'throttles: [{ match: { op: mj.imagine, state: SUCCESS }, bucket: { capacity: 1, refill: 1/s } }]'
  expect(findings(limit)).toHaveLength(1)
  for (const match of [
    'op: mj.action, state: SUCCESS',
    'op: "video.*", state: queued',
    'op: video.submit, state: { exists: false }',
  ])
    expect(findings(rules(`match: { ${match} }, fault: reset`))).toEqual([])
})

it.each(['0', '0%', '0.0'])('finds a chance of %s', (chance) => {
  expect(findings(rules(`id: it, ${poll}, chance: ${chance}, delay: 1s`))).toEqual([
    'mistake at rules.0.chance: rule "it" never fires: its chance is 0. Raise it, or remove the rule.',
  ])
})

it('finds variables that no rule sets, or not to that value', () => {
  const trouble = (mode: string): string => `id: it, ${poll}, when: { vars: { mode: ${mode} } }, delay: 1s`
  const sets = 'match: { op: video.submit }, set: { mode: degraded, mood: bad }'
  expect(findings(rules(sets, trouble('degraded')))).toEqual([])
  expect(findings(rules(trouble('null')))).toEqual([])
  expect(findings(rules(sets, trouble('degrated')))).toEqual([
    expect.stringContaining(
      'mistake at rules.1.when.vars.mode: rule "it" never fires: no rule sets the variable "mode" to "degrated".',
    ),
  ])
  expect(findings(rules(sets.replace('mode', 'mod'), trouble('degraded')))).toEqual([
    expect.stringContaining('no rule sets the variable "mode". Did you mean "mod"?'),
  ])
})

it('finds a rule without effect, unless it is counted or shields later rules', () => {
  expect(findings(rules(`id: it, ${poll}, on: 2`))).toEqual([
    expect.stringMatching(/^mistake at rules\.0: rule "it" has no effect\. Add respond, fault/),
  ])
  expect(findings(rules(`id: it, ${poll}, continue: true`, `${poll}, delay: 1s`))).toHaveLength(1)
  expect(findings(rules(`${poll}, on: 2`, 'match: { op: "*" }, delay: 1s'))).toEqual([])
  expect(findings(`${rules(`id: it, ${poll}`)}expect: { rules: { it: { fired: 3 } } }`)).toEqual([])
  expect(findings(`${rules(`id: it, ${poll}`)}expect: { requests: [{ op: video.poll, rule: it }] }`)).toEqual(
    [],
  )
})

it.each([
  ['times: 2', 'fired: 3', 'fires at most 2 times (times: 2), never 3 times'],
  ['times: 2', 'fired: { min: 3 }', 'fires at most 2 times (times: 2), never 3 times'],
  ['on: 4', 'fired: 2', 'fires at most once (on 4), never 2 times'],
  ['on: [1, 2], times: 5', 'fired: 3', 'fires at most 2 times (on 1, 2), never 3 times'],
])('finds that a rule with { %s } contradicts the expectation { %s }', (words, expected, message) => {
  const text = `${rules(`id: it, ${poll}, delay: 1s, ${words}`)}expect: { rules: { it: { ${expected} } } }`
  expect(findings(text)).toEqual([
    expect.stringContaining(`mistake at expect.rules.it.fired: rule "it" ${message}`),
  ])
})

it.each([
  ['times: 2', 'fired: 2'],
  ['times: 2', 'fired: { max: 5 }'],
  ['times: 2, per: task', 'fired: 3'],
  ['on: 1, per: key', 'fired: 3'],
])('accepts a rule with { %s } and the expectation { %s }', (words, expected) => {
  expect(
    findings(`${rules(`id: it, ${poll}, delay: 1s, ${words}`)}expect: { rules: { it: { ${expected} } } }`),
  ).toEqual([])
})

it('finds unknown placeholders', () => {
  expect(findings("config: { env: { MY_A: '${url}/v1', MY_B: '${uri}/${key}', MY_C: '${HOME' } }")).toEqual([
    'mistake at config.env.MY_B: MY_B: nothing replaces ${uri}. Did you mean "${url}"? Use ${url} and ${key}.',
    'mistake at config.env.MY_C: MY_C: nothing replaces ${HOME. Use ${url} and ${key}.',
  ])
})

it('reports an alias without an anchor, with its position', async () => {
  const text =
    'version: 1\nx-slow: &slow { render: 1m }\nrules:\n  - { match: { op: video.submit }, task: *slwo }\n'
  await expect(parseScenario(text)).rejects.toThrow(
    'scenario.yaml:4:42: no anchor is called "slwo" up to here. Did you mean "slow"? Write &slwo in front of the value',
  )
  const late = 'version: 1\nx-one: *later\nx-two: &later { render: 1m }\n'
  await expect(parseScenario(late)).rejects.toThrow(
    'scenario.yaml:2:8: no anchor is called "later" up to here.',
  )
  expect((await parseScenario(text.replace('*slwo', '*slow'))).scenario.rules).toHaveLength(1)
})

const folder = mkdtempSync(join(tmpdir(), 'greenroom-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each<[string, Uint8Array, string]>([
  ['UTF-16 with its mark', Buffer.from('\uFEFFversion: 1\n', 'utf16le'), 'is UTF-16. Save it as UTF-8.'],
  [
    'UTF-16 without a mark',
    Buffer.from('version: 1\n', 'utf16le'),
    'has NUL characters, as UTF-16 has. Save it as UTF-8.',
  ],
  ['Latin 1', Buffer.from('version: 1\nname: grün\n', 'latin1'), 'is not UTF-8. Save it as UTF-8.'],
])('reports in one sentence that a file is %s', async (_what, bytes, sentence) => {
  const path = join(folder, 'scenario.yaml')
  writeFileSync(path, bytes)
  await expect(loadScenario(path)).rejects.toThrow(`${path}: ${sentence}`)
})

it.each([
  ['{\n  // which\n  "version": 1 }', 2, 3],
  ['{ "version": 1, /* which */ "name": "x" }', 1, 17],
  ['// which\n{ "version": 1 }', 1, 1],
  ['{ "version": 1, "name": "a \\" // b" } // c', 1, 39],
])('reports a comment in JSON with its position: %s', async (text, line, column) => {
  await expect(parseScenario(text, { file: 'a.json' })).rejects.toThrow(
    `a.json:${line}:${column}: JSON has no comments. Remove it, or save the file as .yaml and write # in front of`,
  )
})

it('accepts slashes in JSON and YAML strings', async () => {
  const json = '{ "version": 1, "name": "http://a/*b*/ // c", "description": "// \\" // d" }'
  expect((await parseScenario(json, { file: 'a.json' })).scenario.name).toBe('http://a/*b*/ // c')
  const yaml = 'version: 1\nname: see // http://a /* b */\n'
  expect((await parseScenario(yaml)).scenario.name).toBe('see // http://a /* b */')
})
