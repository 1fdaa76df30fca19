import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, never, node, runIn, type Ran } from './run-in-folder.ts'

/** Makes a video. Without `isMended` it never repeats a request, and takes whatever it gets. */
const client = (isMended: boolean): string => `
import { createHash } from 'node:crypto'
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const sleep = async (ms) => {
  await (await fetch(url + '/_greenroom/clock/sleep', { method: 'POST', body: JSON.stringify({ for: ms + 'ms' }) })).text()
}
const send = async (path, read, init) => {
  for (let failures = 1; ; failures++) {
    try {
      const response = await fetch(url + path, { headers, ...init })
      if (!response.ok) throw new Error(path + ' returned ' + response.status)
      return await read(response)
    } catch (error) {
      if (!${isMended} || failures === 5) throw error
      await sleep(20_000 * 2 ** failures)
    }
  }
}
const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', duration: 1, size: '128x96' })
const { task_id: id } = await send('/v1/video/generations', (r) => r.json(), { method: 'POST', body })
for (;;) {
  await sleep(5000)
  const { data } = await send('/v1/video/generations/' + id, (r) => r.json())
  if (data.status === 'FAILURE') throw new Error(data.fail_reason || 'no reason')
  if (data.status === 'SUCCESS') break
}
const bytes = await send('/v1/videos/' + id + '/content', async (response) => {
  const bytes = Buffer.from(await response.arrayBuffer())
  const isWhole = response.headers.get('etag') === '"' + createHash('sha256').update(bytes).digest('hex') + '"'
  if (${isMended} && !isWhole) throw new Error('damaged')
  return bytes
})
console.log('a video of ' + bytes.length + ' bytes')
`

const words = ['--jobs', '2', '--skip', 'silence', '--skip', 'task stuck', '--skip', 'refused for good']
const only = ['--only', '429', '--only', 'corrupt']

function explore(folder: string, ...more: readonly string[]): Promise<Ran> {
  const line = ['explore', ...words, ...more, '--', process.execPath, 'client.mjs']
  return runIn(folder, line, { interrupted: never })
}

it('writes findings as scenarios that fail until the client is mended', async () => {
  const folder = folderWith({ 'client.mjs': client(false) })
  const { code, printed } = await explore(folder, ...only, '--report', 'json=known.json')
  expect(code).toBe(20)
  expect(printed).toContain('WRONG RESULT: The client keeps a damaged download (video.content).')
  const findings = readdirSync(join(folder, 'greenroom-findings')).map((name) => `greenroom-findings/${name}`)
  expect(findings).toHaveLength(2)
  const play = (file: string): Promise<Ran> =>
    runIn(folder, ['run', file, '--', process.execPath, 'client.mjs'], { interrupted: never })
  for (const file of findings) {
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(
      /^# Written by greenroom explore\. The client .+\.\n/,
    )
    expect((await runIn(folder, ['check', file])).code, file).toBe(0)
    expect((await play(file)).code, file).not.toBe(0)
  }
  expect((await explore(folder, ...only, '--accept', 'known.json')).code).toBe(0)

  writeFileSync(join(folder, 'client.mjs'), client(true))
  for (const file of findings) expect((await play(file)).code, file).toBe(0)
  const mended = await explore(folder, ...only, '--accept', 'known.json')
  expect(mended.code).toBe(0)
  expect(mended.printed).toContain('Score 100 of 100')
  expect(mended.warned).toContain('was not found. Explore without --only and --skip before you remove it.')
}, 240_000)

it('keeps files of others, and names what it can not select', async () => {
  const folder = folderWith({ 'client.mjs': client(false) })
  const name = 'keeps-damaged-bytes-video-content.yaml'
  await explore(folder, '--only', 'corrupt bytes', '--out', '.')
  expect(existsSync(join(folder, name))).toBe(true)
  writeFileSync(join(folder, name), 'version: 1\n')
  const { warned } = await explore(folder, '--only', 'corrupt bytes', '--out', '.')
  expect(warned).toContain(`warning: ${name} was not written`)
  expect(readFileSync(join(folder, name), 'utf8')).toBe('version: 1\n')
  const { code, warned: problem } = await explore(folder, '--only', 'weather')
  expect(code).toBe(2)
  expect(problem).toContain('--only is "weather", which selects nothing')
}, 120_000)

it('selects operations of an API that only the scenario names', async () => {
  const folder = folderWith({ 'start.yaml': 'version: 1\nconfig: { apis: [replicate] }\n', 'client.mjs': '' })
  const words = ['explore', 'start.yaml', '--only', 'replicate.*', ...node('client.mjs')]
  const { warned } = await runIn(folder, words)
  expect(warned).toContain('No requests reached the simulator')
})

it('says which file it can not take accepted findings from', async () => {
  const folder = folderWith({ 'client.mjs': '', 'known.json': '{}', 'broken.json': '{' })
  for (const file of ['known.json', 'broken.json']) {
    const { code, warned } = await explore(folder, '--accept', file)
    expect(code).toBe(22)
    const advice = `--accept takes a report of --report json=${file}.`
    expect(warned).toContain(`error: ${file} is not the report of an exploration. ${advice}`)
  }
  const { warned } = await explore(folder, '--accept', 'know.json')
  expect(warned).toContain('know.json: it does not exist. Did you mean "known.json"?')
})

it('passes on the exit code of a client that fails by itself', async () => {
  const folder = folderWith({ 'client.mjs': 'process.exit(7)' })
  expect((await explore(folder)).code).toBe(7)
  // What Node prints of an error that fetch throws.
  const failure =
    "console.error('  Error.captureStackTrace(err);\\n\\nTypeError: fetch failed'); process.exit(7)"
  writeFileSync(join(folder, 'client.mjs'), failure)
  const { printed: report } = await explore(folder)
  expect(report).toContain('in the baseline run.\n      exited with 7: TypeError: fetch failed')
  expect(report).not.toContain('survived')
  writeFileSync(join(folder, 'client.mjs'), '')
  const { code, warned, printed } = await explore(folder)
  expect(code).toBe(25)
  expect(warned).toContain('No requests reached the simulator.')
  expect(printed).toContain('nothing was tried')
}, 60_000)

it('explores the reference client where there is no command', async () => {
  const steps = 'version: 1\ndrive:\n  - flow: video\n    seconds: 1\n    size: 128x96\n'
  const folder = folderWith({ 'video.yaml': steps })
  const { code, printed } = await runIn(folder, ['explore', 'video.yaml', '--only', '503'], {
    interrupted: never,
  })
  expect(printed).toContain('found nothing')
  expect(code).toBe(0)
}, 120_000)

it('tells apart the findings of several scenarios, in files and in reports', async () => {
  const base = 'version: 1\n'
  const files = { 'a.yaml': base, 'a.yml': base, 'client.mjs': client(false) }
  const folder = folderWith(files)
  const formats = ['json=r.json', 'html=r.html', 'junit=r.xml', 'github']
  const reports = formats.flatMap((format) => ['--report', format])
  const line = [
    'explore',
    'a.yaml',
    'a.yml',
    '--only',
    'corrupt',
    ...reports,
    '--',
    process.execPath,
    'client.mjs',
  ]
  const { code, printed, warned } = await runIn(folder, line, { interrupted: never })
  expect(code).toBe(20)
  const name = 'keeps-damaged-bytes-video-content.yaml'
  expect(readdirSync(join(folder, 'greenroom-findings'))).toEqual([`a-${name}`, `a-2-${name}`].toSorted())
  expect(printed.match(/^::error file=greenroom-findings\/a-/gm)).toHaveLength(2)
  expect(warned).toContain('✗ explore: a.yml -- ')
  const { explorations } = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8')) as {
    explorations: unknown[]
  }
  expect(explorations).toHaveLength(2)
  expect(readFileSync(join(folder, 'r.xml'), 'utf8').match(/<testsuites/g)).toHaveLength(1)
  expect(readFileSync(join(folder, 'r.html'), 'utf8')).toContain('"explorations":[')
}, 120_000)

it('says what the budget left out', async () => {
  const folder = folderWith({ 'client.mjs': client(false) })
  const { printed } = await explore(folder, '--budget', '2s')
  expect(printed).toMatch(/not tried \(\?\): \d+ schedules: .+/)
  expect(printed).toMatch(/\nstopped early: \d+ of \d+ schedules were not tried; .+\n$/)
  expect(printed).not.toContain('score')
}, 60_000)

it('ends at an interrupt with what it knows', async () => {
  const folder = folderWith({ 'client.mjs': client(false) })
  let interrupt = (): void => {}
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve))
  const progress = (line: string): void => {
    if (/^\d+\/\d+ runs, [1-9]/.test(line)) interrupt()
  }
  const line = ['explore', ...words, '--', process.execPath, 'client.mjs']
  const { code, printed } = await runIn(folder, line, { interrupted, progress })
  expect(code).toBe(20)
  expect(printed).toMatch(/not tried \(\?\): \d+ schedules/)
}, 60_000)
