import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { maxCapturedBytes } from '../../src/cli/run/child.ts'
import { folderWith, runIn, type Ran } from './run-in-folder.ts'

/** Submits one video, then does what its argument says. */
const client = `
import { mkdirSync, writeFileSync } from 'node:fs'
const { GREENROOM_URL: url, GREENROOM_KEY: key } = process.env
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 })
await fetch(url + '/v1/video/generations', { method: 'POST', headers, body })
`

const scenario = (command: string): string => `version: 1
config: { cacheDir: false }
expect:
  requests: [{ op: video.submit, count: 1 }]
  command: ${command}
  allow: { abandonedTasks: true }
`

interface Copied extends Ran {
  copied: string
}

async function play(
  command: string,
  program: string,
  {
    words = [],
    folder = folderWith({}),
    ...terminal
  }: { words?: string[]; folder?: string; copyErrors?: (chunk: Uint8Array) => void } = {},
): Promise<Copied> {
  writeFileSync(join(folder, 'client.mjs'), client + program)
  writeFileSync(join(folder, 'story.yaml'), scenario(command))
  let copied = ''
  const copyOutput = (chunk: Uint8Array): void => void (copied += Buffer.from(chunk).toString())
  const line = ['run', 'story.yaml', ...words, '--', process.execPath, 'client.mjs']
  return {
    ...(await runIn(folder, line, { interrupted: new Promise(() => {}), copyOutput, ...terminal })),
    copied,
  }
}

it.each([
  ['{ exit: 3 }', 'process.exitCode = 3'],
  ['{ exit: nonzero }', 'process.exitCode = 1'],
  ['{ exit: nonzero }', 'process.exit(-1)'],
  ['fails', 'process.exitCode = 3'],
  ['passes', ''],
  ['any', ''],
  ['any', 'process.exitCode = 3'],
])('exits with 0 if the command must fail by %s and does: %s', async (command, program) => {
  const { code, printed, warned } = await play(command, program)
  expect(printed).toContain('✓')
  expect(warned).toBe('')
  expect(code).toBe(0)
})

it.each([
  ['{ exit: nonzero }', '', 'exited with 0'],
  ['{ exit: 3 }', 'process.exitCode = 1', 'exited with 1'],
  ['fails', '', 'exited with 0'],
  ['passes', 'process.exitCode = 3', 'exited with 3'],
  ['{ exit: 0 }', 'process.exitCode = 20', 'exited with 20'],
  ['{ exit: nonzero }', "process.kill(process.pid, 'SIGKILL')", 'exited with 137 (SIGKILL)'],
])('exits with 20 if %s is expected and the program ends by %s', async (command, program, found) => {
  const { code, printed } = await play(command, program)
  expect(printed).toContain('✗ command: exits with')
  expect(printed).toContain(found)
  expect(printed).toMatch(/story\.yaml:5:(?:12|20)/)
  expect(code).toBe(20)
})

it('exits with the code of the command if no exit is expected', async () => {
  expect((await play("{ stdout: { contains: 'x' } }", "console.log('x'); process.exitCode = 7")).code).toBe(7)
})

it('exits with 20 if the exit is as expected and another expectation fails', async () => {
  const folder = folderWith({})
  const { code } = await play('{ exit: 1 }\n  tasks: [{ count: 2 }]', 'process.exitCode = 1', { folder })
  expect(code).toBe(20)
})

it('exits with 25 if a program fails as expected without a request', async () => {
  const folder = folderWith({ 'story.yaml': scenario('{ exit: 1 }') })
  const words = ['run', 'story.yaml', '--', process.execPath, '-e', 'process.exit(1)']
  const { code, printed } = await runIn(folder, words, { interrupted: new Promise(() => {}) })
  expect(printed).toContain('✗ run: sends a request')
  expect(code).toBe(25)
})

it.each([
  ["{ contains: 'fäiled: kite' }", 0],
  ["{ matches: '^f.iled: kite$' }", 0],
  ["{ contains: 'fäiled', matches: '^kite' }", 20],
  ["{ contains: 'failed' }", 20],
  ["{ matches: 'kite\\d' }", 20],
])('compares standard output with %s, which is passed on as it is', async (stdout, expected) => {
  const program = "console.log('begun'); process.stdout.write('fäi'); console.log('led: kite')"
  const { code, copied } = await play(`{ stdout: ${stdout} }`, program)
  expect(copied).toBe('begun\nfäiled: kite\n')
  expect(code).toBe(expected)
})

it.each([
  ["{ contains: 'fäiled: kite' }", 0],
  ["{ matches: '^f.iled: kite$' }", 0],
  ["{ contains: 'printed' }", 20],
])('compares standard error with %s, which is passed on as it is', async (stderr, expected) => {
  const program = "console.log('printed'); process.stderr.write('fäi'); console.error('led: kite')"
  let errors = ''
  const copyErrors = (chunk: Uint8Array): void => void (errors += Buffer.from(chunk).toString())
  const { code, printed } = await play(`{ stderr: ${stderr} }`, program, { copyErrors })
  expect(errors).toBe('fäiled: kite\n')
  expect(code).toBe(expected)
  if (expected !== 0)
    expect(printed).toMatch(/standard error contains "printed"[^]*the last line is "fäiled: kite"/)
})

it('compares the end of a long output, and says so', async () => {
  const program = `process.stdout.write('early' + 'x'.repeat(${2 * maxCapturedBytes}) + 'late')`
  const late = await play('{ stdout: { contains: late } }', program)
  expect(late.code).toBe(0)
  expect(late.copied).toHaveLength(2 * maxCapturedBytes + 9)
  const early = await play('{ stdout: { contains: early } }', program)
  expect(early.printed).toContain(`not found in the end of ${2 * maxCapturedBytes + 9} bytes of output`)
  expect(early.code).toBe(20)
})

const sha256 = createHash('sha256').update('done').digest('hex')

it.each([
  [`{ path: out/result.txt, sha256: ${sha256} }`, 0, ''],
  [`{ path: out/result.txt, sha256: ${sha256.toUpperCase()} }`, 0, ''],
  ['{ path: out/result.txt, equals: done }', 0, ''],
  ['{ path: out/result.txt }', 0, ''],
  ['{ path: out/result.txt, equals: other }', 20, 'its text is "done"'],
  [`{ path: out/result.txt, sha256: "${'0'.repeat(64)}" }`, 20, `its SHA-256 is ${sha256}`],
  ['{ path: missing.txt }', 20, 'there is no file missing.txt'],
  ['{ path: out }', 20, 'out is not a regular file'],
  ['{ path: ../outside.txt }', 20, '../outside.txt is outside of the working folder'],
])('compares the written file with %s', async (file, expected, found) => {
  const folder = join(folderWith({}), 'inner')
  mkdirSync(folder)
  const program =
    "mkdirSync('out'); for (const name of ['out/result', '../outside']) writeFileSync(name + '.txt', 'done')"
  const { code, printed } = await play(`{ file: ${file} }`, program, { folder })
  expect(printed).toContain(found)
  expect(code).toBe(expected)
})

it('fails for a file of an earlier run', async () => {
  const folder = folderWith({ 'result.txt': 'done' })
  const untouched = await play('{ file: { path: result.txt, equals: done } }', '', { folder })
  expect(untouched.printed).toContain('result.txt was there before the run')
  expect(untouched.code).toBe(20)
  const program = "writeFileSync('result.txt', 'done')"
  expect((await play('{ file: { path: result.txt, equals: done } }', program, { folder })).code).toBe(0)
})

it('follows no symbolic link out of the folder', async () => {
  const outside = folderWith({})
  const folder = folderWith({})
  symlinkSync(outside, join(folder, 'link'))
  const program = "writeFileSync('link/result.txt', 'done')"
  const { code, printed } = await play('{ file: { path: link/result.txt, equals: done } }', program, {
    folder,
  })
  expect(printed).toContain('link/result.txt is outside of the working folder')
  expect(code).toBe(20)
})

it('says that no command was run if the reference client plays', async () => {
  const text = `${scenario('{ exit: 1 }')}drive: [{ flow: video, size: 128x96, seconds: 1 }]\n`
  const folder = folderWith({ 'story.yaml': text })
  const never = { interrupted: new Promise<void>(() => {}) }
  const lenient = await runIn(folder, ['run', 'story.yaml'], never)
  expect(lenient.printed).toContain('no command was run')
  expect(lenient.code).toBe(0)
  const strict = await runIn(folder, ['run', 'story.yaml', '--strict'], never)
  expect(strict.printed).toContain('To judge a command, put it after "--".')
  expect(strict.code).toBe(20)
})

it.each([
  ['{}', 'it expects nothing'],
  ['{ stdout: {} }', 'it expects nothing'],
  ['{ exit: 256 }', 'exit'],
  ['{ exit: failure }', 'exit'],
  ["{ stdout: { matches: '(x' } }", "can't be read"],
  [`{ file: { path: a, sha256: ${sha256}, equals: b } }`, 'Leave one out'],
  ['{ file: { path: a, sha256: abc } }', '64 hexadecimal digits'],
])('refuses to expect %s', async (command, found) => {
  const { code, warned } = await play(command, '')
  expect(warned).toContain(found)
  expect(code).toBe(22)
})
