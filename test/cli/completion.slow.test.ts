import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderWith, run } from './run-in-folder.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const complete = async (...words: string[]): Promise<string[]> =>
  (await run(['--get-yargs-completions', 'greenroom', ...words])).printed.trimEnd().split('\n')

it('offers commands, flags, their values and scenarios', async () => {
  expect(await complete('ex')).toContain('explore')
  expect(await complete('render', '--')).toEqual(expect.arrayContaining(['--quality', '--no-caption']))
  expect(await complete('serve', '--clock', '')).toEqual(['real', 'scaled', 'manual', 'auto'])
  expect(await complete('serve', '--scenario', '')).toContain('lost-polls')
  expect(await complete('run', '')).toContain('lost-polls')
})

it('offers nothing where the shell should offer files', async () => {
  for (const words of [
    ['replay', 'a'],
    ['run', '--', 'np'],
    ['nonsense', ''],
  ])
    expect(await complete(...words), words.join(' ')).toEqual([''])
})

/** A folder in which `greenroom` is this greenroom, and a shell in it. */
function shellIn(shell: 'bash' | 'fish', script: string): string {
  const folder = folderWith({ 'search.jsonl': '' })
  writeFileSync(join(folder, 'greenroom'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(join(folder, 'greenroom'), 0o755)
  const env = { HOME: folder, PATH: `${folder}:${process.env['PATH']}`, SHELL: shell }
  return spawnSync(shell, ['-c', script], { cwd: folder, env, encoding: 'utf8' }).stdout
}

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

it.skipIf(!isThere('bash'))('completes in bash', () => {
  const script = `source <(greenroom completion)
try() { COMP_WORDS=("$@") COMP_CWORD=$(($#-1)); _greenroom_yargs_completions; echo "\${COMPREPLY[*]}"; }
try greenroom ex; try greenroom serve --clock m; try greenroom run lost; try greenroom show se`
  expect(shellIn('bash', script).split('\n')).toEqual([
    'explore explain',
    'manual',
    'lost-polls',
    // bash itself completes files.
    '',
    '',
  ])
})

it.skipIf(!isThere('fish'))('completes in fish', () => {
  const script = `source (greenroom completion | psub)
for line in 'greenroom expla' 'greenroom serve --clock m' 'greenroom run lost'; complete -C $line; end`
  expect(shellIn('fish', script).replaceAll(/\t.*/g, '').split('\n')).toEqual([
    'explain',
    'manual',
    'lost-polls',
    '',
  ])
})
