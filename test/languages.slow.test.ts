import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'greenroom-languages-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs the recipe of a language with the built greenroom. */
function run(
  language: string,
  command: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  const env = {
    ...process.env,
    GREENROOM: `${process.execPath} ${join(root, 'dist/cli/main.js')}`,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const child = spawn(command, args, { cwd: join(root, 'examples', language), env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** The first of these programs that runs with these arguments; says what is missing if there is none. */
function find(programs: readonly string[], args: string[], what: string): string | undefined {
  const found = programs.find((program) => spawnSync(program, args).status === 0)
  if (found === undefined) process.stderr.write(`Skipped: a recipe. Install ${what} to run it.\n`)
  return found
}

const python = find(
  ['python3', '/usr/bin/python3'],
  ['-c', 'import pytest, requests'],
  'python3-pytest and python3-requests',
)
const go = find(['go'], ['version'], 'golang-go')
const curl = find(['curl'], ['--version'], 'curl')

it.skipIf(!python)('runs the recipe for Python', { timeout: 240_000 }, async () => {
  const { code, output } = await run('python', python!, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'])
  expect([code, output]).toEqual([0, expect.stringContaining('3 passed')])
})

it.skipIf(!go)('runs the recipe for Go', { timeout: 240_000 }, async () => {
  const { code, output } = await run('go', go!, ['test', '-v', './...'])
  expect([code, output]).toEqual([0, expect.stringContaining('--- PASS: TestGivesUpAPollThatHangs')])
  expect(output.match(/--- PASS/g)).toHaveLength(3)
})

it.skipIf(!curl)('runs the recipe for a shell with curl', { timeout: 240_000 }, async () => {
  const video = join(scratch, 'video.mp4')
  const { code, output } = await run('shell', 'sh', ['video.sh', video])
  expect([code, output]).toEqual([0, expect.stringContaining('gave up a poll after 30 virtual seconds')])
  expect(readFileSync(video).toString('latin1', 4, 8)).toBe('ftyp')
})

it('shows in docs/how-to/testing.md nothing but what these recipes run', () => {
  const docs = readFileSync(join(root, 'docs/how-to/testing.md'), 'utf8')
  const plain = (text: string): string => text.replace(/^[ \t]+/gm, '')
  const files = { python: 'python/conftest.py', go: 'go/video_test.go', sh: 'shell/video.sh' }
  for (const [language, file] of Object.entries(files)) {
    const recipe = plain(readFileSync(join(root, 'examples', file), 'utf8'))
    const blocks = [...docs.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, code]) => plain(code!),
    )
    const [sleep, deadline] = blocks.filter((code) => /clock\/(?:sleep|deadline)/.test(code))
    expect(recipe).toContain(sleep)
    expect(recipe).toContain(deadline)
  }
})
