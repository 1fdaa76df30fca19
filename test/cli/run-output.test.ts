import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, runIn } from './run-in-folder.ts'

const story = (count: number): string => `version: 1
config: { cacheDir: false }
drive: [{ flow: video, size: 128x96, seconds: 1 }]
expect:
  requests: [{ op: video.submit, count: ${count} }]
`

const never = { interrupted: new Promise<void>(() => {}) }

it('writes annotations with paths from the root of the checkout', async () => {
  const root = folderWith({})
  const folder = join(root, 'packages', 'one')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'story.yaml'), story(2))
  const words = ['run', 'story.yaml', '--report', 'github']
  const inWorkspace = await runIn(folder, words, { ...never, environment: { GITHUB_WORKSPACE: root } })
  expect(inWorkspace.printed).toContain('::error file=packages/one/story.yaml,line=5,')
  const elsewhere = { GITHUB_WORKSPACE: folderWith({}) }
  const outside = await runIn(folder, words, { ...never, environment: elsewhere })
  expect(outside.printed).toContain('::error file=story.yaml,line=5,')
})

it('writes the reports for an invalid file', async () => {
  const folder = folderWith({ 'story.yaml': 'version: 1\nexpct: {}\n' })
  const words = ['run', 'story.yaml', '--report', 'junit=out.xml', '--report', 'json=out.json']
  const { code, warned } = await runIn(folder, words, never)
  expect(code).toBe(22)
  expect(warned).toContain('story.yaml:2:1')
  expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toMatch(/failures="1"[^]*story\.yaml:2:1/)
  expect(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))).toMatchObject({ passed: false })
})

it('reports each invalid file, and no valid one', async () => {
  const bad = 'version: 1\nexpct: {}\n'
  const folder = folderWith({ 'good.yaml': story(1), 'bad.yaml': bad, 'worse.yaml': bad })
  const words = ['run', 'good.yaml', 'bad.yaml', 'worse.yaml', '--report', 'json=out.json']
  const { code, printed } = await runIn(folder, words, never)
  expect(code).toBe(22)
  expect(printed).toContain('a valid scenario file')
  const { verdicts } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))
  expect(verdicts.map(({ file }: { file: string }) => file)).toEqual(['bad.yaml', 'worse.yaml'])
})

it('writes what had ended when it is interrupted', async () => {
  const folder = folderWith({ 'story.yaml': story(1), 'bad.yaml': story(2) })
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const progress = (line: string): void => void (line === 'bad.yaml: seed 5, run 2 of 2' && interrupt())
  const words = ['run', 'story.yaml', 'bad.yaml', '--seeds', '4..5', '--report', 'json=out.json']
  const { code, printed } = await runIn(folder, words, { interrupted, progress })
  expect(code).toBe(130)
  expect(printed).toContain('story.yaml: 2 of 2 seeds passed')
  const { verdicts } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))
  expect(verdicts).toMatchObject([{ file: 'story.yaml' }, { file: 'bad.yaml', seed: '4', passed: false }])
})

it('points to the expectation about a rule, or else to the rule', async () => {
  const text = `version: 1
config: { cacheDir: false }
rules:
  - { id: flaky, match: { op: video.poll }, on: 99, respond: { status: 503 } }
  - { id: rare, match: { op: video.poll }, on: 98, respond: { status: 503 } }
drive: [{ flow: video, size: 128x96, seconds: 1 }]
expect:
  rules:
    flaky: { fired: 1 }
`
  const words = ['run', 'story.yaml', '--report', 'github', '--strict']
  const { printed } = await runIn(folderWith({ 'story.yaml': text }), words, never)
  expect(printed).toMatch(/::error file=story\.yaml,line=9,[^\n]*flaky/)
  expect(printed).toMatch(/file=story\.yaml,line=5,[^\n]*rare/)
})

it('starts the line that does a run again with npx where npm started the program', async () => {
  const folder = folderWith({ 'story.yaml': story(2) })
  const environment = { npm_command: 'exec' }
  const { printed } = await runIn(folder, ['run', 'story.yaml'], { ...never, environment })
  expect(printed).toContain('  npx greenroom run --seed 1 story.yaml\n')
})

it('shows the progress of a sweep, and how many seeds passed', async () => {
  const folder = folderWith({ 'story.yaml': story(1), 'bad.yaml': story(2) })
  const lines: string[] = []
  const progress = (line: string): void => void lines.push(line)
  const words = ['run', 'story.yaml', 'bad.yaml', '--seeds', '4..5']
  const { printed } = await runIn(folder, words, { ...never, progress })
  expect(lines.filter(Boolean).slice(0, 3)).toEqual([
    'story.yaml: seed 4, run 1 of 2',
    'story.yaml: seed 5, run 2 of 2',
    'bad.yaml: seed 4, run 1 of 2',
  ])
  expect(lines.at(-1)).toBe('')
  expect(printed).toContain('story.yaml: 2 of 2 seeds passed\nbad.yaml: 0 of 2 seeds passed\n')
})

it('says how to look at the request that shows a failure, and writes real seconds for JUnit', async () => {
  const strict = 'expect: { requests: [{ op: video.poll, count: 1 }] }\n'
  const text = `version: 1\nconfig: { cacheDir: false }\ndrive: [{ flow: video, size: 128x96, seconds: 1 }]\n${strict}`
  const folder = folderWith({ 'story.yaml': text })
  const { printed } = await runIn(folder, [
    'run',
    'story.yaml',
    '--journal',
    'it.jsonl',
    '--report',
    'junit=out.xml',
  ])

  expect(printed).toMatch(/hint: To see #(\d+): greenroom explain \1 --journal it\.jsonl\n/)
  const [, seconds] = /<testsuite [^>]*time="([\d.]+)"/.exec(readFileSync(join(folder, 'out.xml'), 'utf8'))!
  expect(Number(seconds)).toBeGreaterThan(0)
  // The run takes minutes of virtual time.
  expect(Number(seconds)).toBeLessThan(60)
})
