import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { shells } from '../../src/cli/terminal/completion.ts'
import { folderWith, run } from './run-in-folder.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const complete = async (...words: string[]): Promise<string[]> =>
  (await run(['--complete', 'bash', ...words])).printed.trimEnd().split('\n')

it('offers commands, flags, their values, scenarios and files', async () => {
  expect(await complete('ex')).toContain('explore')
  expect(await complete('serve', '--')).toEqual(expect.arrayContaining(['--clock', '--no-caption', '--help']))
  expect(await complete('serve', '--clock', '')).toEqual(['real', 'scaled', 'manual', 'auto'])
  expect(await complete('serve', '--scenario', '')).toEqual(expect.arrayContaining(['lost-polls', ':files']))
  expect(await complete('run', '')).toEqual(expect.arrayContaining(['lost-polls', ':files']))
  expect(await complete('replay', '')).toEqual([':files'])
  expect(await complete('run', '--', 'np')).toEqual([':files'])
  expect(await complete('completion', '')).toEqual([...shells])
  expect(await complete('nonsense', '')).toEqual([':files'])
})

it('offers no flag that the help hides', async () => {
  expect(await complete('serve', '--')).not.toContain('--state-salvage')
})

it('adds what a word means, as zsh and fish read it', async () => {
  expect((await run(['--complete', 'fish', 'aud'])).printed).toContain('audit\tAudit client behaviour')
  expect((await run(['--complete', 'zsh', 'aud'])).printed).toContain('audit:Audit client behaviour')
})

/** A folder in which `greenroom` is this greenroom, and a shell in it. */
function shellIn(shell: string, args: readonly string[], script: string): string {
  const folder = folderWith({ 'search.jsonl': '' })
  writeFileSync(join(folder, 'greenroom'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(join(folder, 'greenroom'), 0o755)
  const env = { HOME: folder, PATH: `${folder}:${process.env['PATH']}` }
  return spawnSync(shell, [...args, script], { cwd: folder, env, encoding: 'utf8' }).stdout
}

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

it.skipIf(!isThere('bash'))('completes in bash', () => {
  const script = `source <(greenroom completion bash)
try() { COMP_WORDS=("$@") COMP_CWORD=$(($#-1)); _greenroom; echo "\${COMPREPLY[*]}"; }
try greenroom ex; try greenroom serve --clock m; try greenroom run lost; try greenroom show se`
  expect(shellIn('bash', ['-c'], script).split('\n')).toEqual([
    'explore explain',
    'manual',
    'lost-polls',
    'search.jsonl',
    '',
  ])
})

it.skipIf(!isThere('fish'))('completes in fish', () => {
  const script = `source (greenroom completion fish | psub)
for line in 'greenroom aud' 'greenroom serve --clock m' 'greenroom run lost' 'greenroom show se'; complete -C $line; end`
  expect(shellIn('fish', ['-c'], script).replaceAll(/\t.*/g, '').split('\n')).toEqual([
    'audit',
    'manual',
    'lost-polls',
    'search.jsonl',
    '',
  ])
})
