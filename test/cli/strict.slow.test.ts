import { expect, it } from 'vitest'
import { client, folderWith, lightFetch, never as interrupted, runIn, type Ran } from './run-in-folder.ts'

/** Loses the response to its first submission, and submits again. */
const retrying = `${lightFetch}
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 })
const submit = () => fetch(url + '/v1/video/generations', { method: 'POST', headers, body })
const { task_id: id } = await (await submit().catch(submit)).json()
await (await fetch(url + '/v1/video/generations/' + id, { headers })).json()
`

const story = (expected: string, rules = '[]'): string => `version: 1
config: { cacheDir: false }
rules: ${rules}
expect: ${expected}
`

const files = { 'client.mjs': client, 'retrying.mjs': retrying }

function run(
  expected: string,
  flags: readonly string[] = [],
  { program = 'client.mjs', rules = '[]', environment = {} } = {},
): Promise<Ran> {
  const folder = folderWith({ ...files, 'story.yaml': story(expected, rules) })
  const words = ['run', ...flags, 'story.yaml', '--', process.execPath, program]
  return runIn(folder, words, { interrupted, environment })
}

function runAlone(flags: readonly string[], environment: Record<string, string>): Promise<Ran> {
  const words = ['run', ...flags, '--', process.execPath, 'client.mjs']
  return runIn(folderWith(files), words, { interrupted, environment })
}

const unseen = '{ always: [poll-interval] }'

it('fails a strict run for an invariant that is not applicable, and says how to allow it', async () => {
  const { code, printed, warned } = await run(unseen, ['--strict'])
  expect(code).toBe(20)
  expect(printed).toContain('✗ always: poll-interval\n      not-applicable: no client slept on the clock')
  expect(printed).toMatch(
    /\nhint: .*write "expect: { allow: { notApplicable: true } }", or pass --no-strict\.\n/,
  )
  expect(printed).toContain('greenroom run --seed 1 --strict story.yaml --')
  expect(warned).toBe('')
})

it('passes the same run where it is not strict', async () => {
  for (const [flags, environment] of [
    [[], {}],
    [[], { CI: 'false' }],
    [['--no-strict'], { CI: 'true' }],
  ] as const) {
    const { code, printed } = await run(unseen, flags, { environment })
    expect({ code, hints: printed.includes('hint:') }).toEqual({ code: 0, hints: false })
  }
})

it('is strict where CI is set, and says so', async () => {
  const { code, warned } = await run(unseen, [], { environment: { CI: 'true' } })
  expect(code).toBe(20)
  expect(warned).toContain('hint: The run is strict because CI is set.')
})

it.each([
  '{ always: [{ name: poll-interval, optional: true }] }',
  '{ always: [poll-interval], allow: { notApplicable: true } }',
])('passes a strict run whose file allows what is not applicable: %s', async (expected) => {
  expect((await run(expected, ['--strict'])).code).toBe(0)
})

it('reports a retry after a lost response, and fails for it only where the run is strict', async () => {
  const rules = '[{ id: lost, match: { op: video.submit }, on: 1, fault: { type: reset, lost: answer } }]'
  const more = { program: 'retrying.mjs', rules }
  const lenient = await run('{ always: [no-duplicate-submit], allow: { abandonedTasks: true } }', [], more)
  expect(lenient.code).toBe(0)
  expect(lenient.printed).toMatch(
    /✓ always: no-duplicate-submit\n +doubtful: The response to #1 was lost .* {2}#1 #2\n/,
  )
  const strict = await run(
    '{ always: [no-duplicate-submit], allow: { abandonedTasks: true } }',
    ['--strict'],
    more,
  )
  expect(strict.code).toBe(20)
  expect(strict.printed).toMatch(/✗ always: no-duplicate-submit\n +The response to #1 was lost .* {2}#1 #2\n/)
})

it('fails a run without a scenario in CI for what is not applicable or was not exercised, and says how to allow it', async () => {
  const { code, printed, warned } = await runAlone([], { CI: '1' })
  expect(code).toBe(20)
  expect(printed).toContain('✗ always: poll-interval\n      not-applicable: no client slept on the clock')
  expect(printed).toContain('✗ always: reads-stream-to-end\n      not-exercised: no stream was requested')
  expect(printed).toContain(
    'run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
  )
  expect(warned).toContain('hint: The run is strict because CI is set.')
  expect((await runAlone(['--no-strict'], { CI: '1' })).code).toBe(0)
})

it('tries a file on the reference client by check, which is never strict', async () => {
  const rules = '[{ id: lost, match: { op: video.submit }, on: 1, fault: { type: reset, lost: answer } }]'
  const file = `${story('{ always: [no-duplicate-submit], allow: { abandonedTasks: true } }', rules)}drive: [{ flow: video, size: 128x96, seconds: 1 }]\n`
  const folder = folderWith({ 'story.yaml': file })
  const inCi = { interrupted, environment: { CI: 'true' } }
  expect((await runIn(folder, ['check', 'story.yaml'], inCi)).code).toBe(0)
  expect((await runIn(folder, ['run', 'story.yaml'], inCi)).code).toBe(20)
})
