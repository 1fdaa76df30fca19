import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith, run, runIn, serve } from './run-in-folder.ts'
import { queue } from '../support/queue.ts'

const fine = `version: 1
rules: [{ match: { op: video.submit }, task: { queued: 1s, render: 2s } }]
`
const dead = `version: 1
rules:
  - { id: all, match: { op: video.poll }, delay: 1s }
  - { id: late, match: { op: video.poll }, on: 2 }
`
const idle = `version: 1
clock: { mode: manual, pollStep: 5s }
`

it('says of a file that it is fine, and what it has', async () => {
  const { code, printed, warned } = await run(['check', 'it.yaml'], { 'it.yaml': fine })
  expect([code, printed, warned]).toEqual([0, 'it.yaml: ok, 1 rule, 0 throttles, 0 steps\n', ''])
})

it('tells the mistakes of all files, and exits with 22', async () => {
  const { code, warned } = await run(['check', 'a.yaml', 'b.yaml'], {
    'a.yaml': 'version: 1\nrulez: []\n',
    'b.yaml': 'version: 1\nsed: 7\n',
  })
  expect(code).toBe(22)
  expect(warned.trimEnd().split('\n')).toEqual([
    'a.yaml:2:1: rulez: is not known. Did you mean "rules"?',
    'b.yaml:2:1: sed: is not known. Did you mean "seed"?',
  ])
})

it('names files as the command line does, wherever they are', async () => {
  const files = { 'bad.yaml': 'version: 1\nrulez: []\n', 'dead.yaml': dead }
  const folder = folderWith(files)
  const check = async (...names: string[]): Promise<string> =>
    (await runIn(join(folder, 'sub'), ['check', ...names])).warned
  expect(await check('../bad.yaml')).toMatch(/^\.\.\/bad\.yaml:2:1: rulez: /)
  expect(await check('../dead.yaml')).toMatch(/^\.\.\/dead\.yaml:4:5: mistake: /)
  expect(await check(join(folder, 'bad.yaml'))).toContain(`${join(folder, 'bad.yaml')}:2:1: rulez: `)
  expect(await check('gone.yaml')).toContain('Failed to read gone.yaml: it does not exist.')
})

it('writes out control characters of a file, which would change the terminal', async () => {
  const files = {
    'it.yaml': 'version: 1\n"\\e[2J": 1\n',
    'dead.yaml': dead.replace('id: late', 'id: "\\e[2Jlate"'),
  }
  const { warned } = await run(['check', 'it.yaml'], files)
  expect(warned).toMatch(/^it\.yaml:2:1: \\x1b\[2J: is not known/)
  const lint = await run(['check', 'dead.yaml'], files)
  expect(lint.warned).not.toContain('\u001b')
})

it('says that no file matches a pattern, which the shell left as it is', async () => {
  const { code, warned } = await run(['check', 'none*.yaml'])
  expect(code).toBe(22)
  expect(warned).toContain('Failed to read none*.yaml: no file matches this pattern.')
})

it('fails what is never meant, and only advises where there is a better way', async () => {
  const found = await run(['check', 'it.yaml'], { 'it.yaml': dead })
  expect([found.code, found.printed]).toEqual([22, ''])
  expect(found.warned).toMatch(/^it\.yaml:4:5: mistake: rule "late" never fires: rule "all" in front of it/)
  const advised = await run(['check', 'it.yaml'], { 'it.yaml': idle })
  expect([advised.code, advised.warned]).toEqual([
    0,
    expect.stringMatching(/^it\.yaml:2:\d+: advice: clock\.pollStep is for mode auto/),
  ])
})

it.each([
  [
    'clock: { rate: 5 }\nconfig: { video: { seconds: { max: 3 } } }',
    ':3:29: mistake: video.seconds.default is 5, outside 1 to 3',
  ],
  ['config: { text: { answers: [{ text: a }, {}] } }', ':2:42: mistake: text.answers[1] says nothing'],
  [
    'config:\n  ffmpeg: /no/such',
    ':3:11: config.ffmpeg: is "/no/such", a program. Set GREENROOM_FFMPEG=/no/such',
  ],
  [
    'rules:\n  - { match: { op: video.submit }, media: { seconds: 500 } }',
    'rules.0.media.seconds: is 500: must be at most 120.',
  ],
])('reports what no simulator can be created from in %j', async (text, message) => {
  const { code, warned } = await run(['check', 'it.yaml'], { 'it.yaml': `version: 1\n${text}\n` })
  expect([code, warned]).toEqual([22, expect.stringContaining(message)])
})

it('lets the reference client try a file that says what to do', async () => {
  const driven = `${fine}drive: [{ flow: video, prompt: a kite }]\nexpect: { tasks: [{ count: 2 }] }\n`
  const printed: string[] = []
  const tried = await runIn(folderWith({ 'it.yaml': driven }), ['check', 'it.yaml'], {
    print: (text) => void printed.push(text),
    interrupted: new Promise(() => {}),
  })
  expect(printed[0]).toBe('it.yaml: ok, 1 rule, 0 throttles, 1 step')
  expect(printed.join('\n')).toContain('2 × ')
  expect(tried.code).toBe(20)
  const left = await run(['check', '--no-drive', 'it.yaml'], { 'it.yaml': driven })
  expect([left.code, left.printed]).toEqual([0, 'it.yaml: ok, 1 rule, 0 throttles, 1 step\n'])
})

const drafts = fileURLToPath(new URL('../files/drafts/', import.meta.url))

it.each(readdirSync(drafts))('lets the reference client pass %s', async (name) => {
  const printed: string[] = []
  const { code, warned } = await runIn(drafts, ['check', name], {
    print: (text) => void printed.push(text),
    interrupted: new Promise(() => {}),
  })
  expect([code, warned], printed.join('\n')).toEqual([0, ''])
})

it('serves a scenario, takes its edited rules, and keeps the old ones while it is broken', async () => {
  const folder = folderWith({
    'it.yaml': 'version: 1\nextends: [base.yaml]\nclock: { mode: manual }\n',
    'base.yaml': fine,
    'greenroom.config.yaml': 'keys: [sk-mine]\n',
  })
  const path = join(folder, 'it.yaml')
  const [prints, warnings] = [queue(), queue()]
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const words = serve('--scenario', 'it.yaml', '--log', 'json')
  const ended = runIn(folder, words, { print: prints.add, warn: warnings.add, interrupted })
  const { url, key, clock } = JSON.parse(await prints.next()) as Record<string, { mode: string } & string>
  expect([key, clock!.mode]).toEqual(['sk-mine', 'manual'])
  const models = 'rules:\n  - { match: { op: models.list }, respond: { status: 503 } }\n'
  writeFileSync(`${path}~`, `version: 1\nclock: { mode: manual }\n${models}`)
  renameSync(`${path}~`, path)
  expect(await warnings.next()).toContain('it.yaml reloaded: 1 rule.')
  const list = async (): Promise<number> =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await list()).toBe(503)

  writeFileSync(path, 'version: 1\nrulez: []\n')
  expect(await warnings.next()).toMatch(/^it\.yaml:2:1: rulez: is not known\. Did you mean "rules"\?/)
  expect(await list()).toBe(503)
  interrupt()
  expect((await ended).code).toBe(0)
})
