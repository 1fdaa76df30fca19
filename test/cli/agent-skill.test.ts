import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../src/cli/terminal/command.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const skill = readFileSync(new URL('../../skills/greenroom/SKILL.md', import.meta.url), 'utf8')
const places = ['.agents/skills/greenroom/SKILL.md', '.claude/skills/greenroom/SKILL.md']

it('writes the skill where coding agents look for it, and replaces none without --force', async () => {
  const folder = folderWith({ 'package.json': '{}' })
  const read = (): string[] => places.map((place) => readFileSync(join(folder, place), 'utf8'))
  const { code, printed } = await runIn(folder, ['init', '--agent'])
  expect([code, printed.split('\n').slice(0, 3), read()]).toEqual([
    0,
    [...places.map((place) => `wrote ${place}`), ''],
    [skill, skill],
  ])
  writeFileSync(join(folder, places[0]!), 'our own')
  await runIn(folder, ['init', '--agent'])
  expect(read()).toEqual(['our own', skill])
  await runIn(folder, ['init', '--agent', '--force'])
  expect(read()).toEqual([skill, skill])
})

it('writes nothing with --dry-run, and refuses flags about other files', async () => {
  const folder = folderWith({ 'package.json': '{}' })
  const dry = await runIn(folder, ['init', '--agent', '--dry-run'])
  expect([dry.code, dry.printed]).toEqual([0, expect.stringMatching(/^would write \.agents/)])
  const refused = await runIn(folder, ['init', '--agent', '--api', 'chat'])
  expect([refused.code, refused.warned]).toEqual([2, expect.stringContaining('--agent excludes --api')])
})

it('has the front matter of the Agent Skills standard', () => {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? []
  const { name, description, ...others } = parse(front) as Record<string, string>
  expect([name, others]).toEqual(['greenroom', {}])
  expect(description!.length).toBeLessThanOrEqual(1_024)
  expect(skill.split('\n').length).toBeLessThan(500)
})

it('names only flags and exit codes that exist', async () => {
  const help = await Promise.all(['explore', 'run'].map((name) => runIn(folderWith({}), [name, '--help'])))
  const known = help.map(({ printed }) => printed).join('\n')
  for (const [flag] of skill.matchAll(/--[a-z][a-z-]+/g)) expect(known).toContain(flag)
  const rows = [...skill.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes]) =>
    codes!.split(', ').map(Number),
  )
  expect(Object.values(exitCodes)).toEqual(expect.arrayContaining(rows))
  // No user interrupts an agent.
  const [line = ''] = /Exit codes:[^]*?\n\n/.exec(help[0]!.printed) ?? []
  const ofExplore = Array.from(line.matchAll(/\d+/g), ([code]) => Number(code))
  expect(ofExplore).toContain(exitCodes.notAllTried)
  expect(rows.toSorted()).toEqual(ofExplore.filter((code) => code !== exitCodes.interrupted).toSorted())
})
