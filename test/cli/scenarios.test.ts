import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { files, node, run, runIn, runScenarios, serve, folderWith } from './run-in-folder.ts'

const shipped = readdirSync(new URL('../../scenarios/', import.meta.url)).map((file) => file.slice(0, -5))

it('lists every scenario of the package with the sentence at its top', async () => {
  const { code, printed } = await run(['scenarios'])
  expect(code).toBe(0)
  const lines = printed.trimEnd().split('\n')
  expect(lines.map((line) => line.split(' ')[0]).toSorted()).toEqual(shipped.toSorted())
  for (const line of lines) expect(line).toMatch(/^[\w-]+ {2,}\S.{15,}\.$/)
})

it('lists the paths with --json', async () => {
  const { printed } = await run(['scenarios', '--json'])
  expect(JSON.parse(printed)).toContainEqual({
    name: 'lost-polls',
    path: expect.stringMatching(/scenarios\/lost-polls\.yaml$/),
    summary: expect.any(String),
  })
})

it.each([['lost-polls'], ['scenarios/lost-polls.yaml']])(
  'checks a shipped scenario in any folder by %s',
  async (...words) => {
    const { code, printed, warned } = await run(['check', '--no-drive', ...words])
    expect([code, warned]).toEqual([0, ''])
    expect(printed).toContain('lost-polls')
  },
)

it('serves a shipped scenario by its name', async () => {
  const { code, printed } = await run(serve('--log', 'silent', '--scenario', 'second-task-fails'))
  expect([code, printed]).toEqual([0, expect.stringMatching(/^http:/)])
})

it('runs a command against a shipped scenario and names it in the verdict', async () => {
  const { code, printed } = await runScenarios(folderWith(files), ['happy-video', ...node('client.mjs')])
  expect(printed).toMatch(/happy-video: .*\n/)
  expect([0, 20]).toContain(code)
})

it('prefers a file of the folder with the same name', async () => {
  const folder = folderWith({ 'lost-polls.yaml': 'version: 1\nname: my own\n' })
  const { printed } = await runIn(folder, ['check', 'lost-polls.yaml'])
  expect(printed).toBe('lost-polls.yaml: ok, 0 rules, 0 throttles, 0 steps\n')
})

it.each([
  [['check', 'lost-pols'], 'is neither a file in', 'Did you mean "lost-polls"?'],
  [serve('--scenario', 'hapy-video'), 'is neither a file in', 'Did you mean "happy-video"?'],
  [['run', 'zzzzzz', '--', 'true'], '"zzzzzz" is neither', 'greenroom scenarios lists them'],
  [['run', 'lost-polls', 'nonsense'], '"nonsense" is neither', 'A command goes after "--".'],
  [['check', '.'], '"." is a folder. Name the scenario files in it: ./*.yaml', ''],
  [['check', 'x'.repeat(300)], 'x" is neither a file in', ''],
  [['check', ''], 'The name of a scenario file is empty.', ''],
  [['check', 'no-such-file-at-all.yaml'], 'no-such-file-at-all.yaml: it does not exist', ''],
])('says of %j what was probably meant', async (words, problem, hint) => {
  const { code, warned } = await run(words)
  expect(code).toBe(22)
  expect(warned).toContain(problem)
  expect(warned).toContain(hint)
})
