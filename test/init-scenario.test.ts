import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  draftApis,
  draftScenario,
  findDraft,
  troubleNames,
  troublesOf,
} from '../src/cli/project/scenario-draft.ts'
import { loadScenario } from '../src/index.ts'
import { lintLoaded } from '../src/files/lint/lint.ts'
import { folderWith, runIn } from './cli/run-in-folder.ts'
import { failuresOf, play } from './support/play.ts'
import { needs } from './support/needs.ts'

needs('video.submit', 'chat.complete')

const flows = await Promise.all(
  [...draftApis, 'replicate'].map(async (api) => ({ api, draft: await findDraft(api, '.') })),
)
const drafts = flows.flatMap(({ api, draft }) =>
  troublesOf(draft.flow).map((trouble) => [api, trouble, draft] as const),
)

it.each(drafts)('drafts for %s with %s what a good client passes', async (_, trouble, draft) => {
  const folder = folderWith({ 'it.json': JSON.stringify(draftScenario('it', draft, trouble)) })
  const loaded = await loadScenario(join(folder, 'it.json'))
  expect(lintLoaded(loaded)).toEqual([])
  expect(failuresOf((await play(loaded)).verdict)).toEqual([])
})

it('offers every trouble to some API', () => {
  expect(new Set(drafts.map(([, trouble]) => trouble))).toEqual(new Set(troubleNames))
})

it('writes a file by flags, with the schema for editors, and replaces none', async () => {
  const folder = folderWith({})
  const words = ['init', '--scenario', 'stuck', '--api', 'drawing', '--trouble', 'failure']
  const { code, printed } = await runIn(folder, words)
  expect([code, printed]).toEqual([0, expect.stringContaining('greenroom check stuck.yaml')])
  const text = readFileSync(join(folder, 'stuck.yaml'), 'utf8')
  expect(text).toMatch(
    /^# yaml-language-server: \$schema=\.\/node_modules\/greenroom\/schema\/scenario\.schema\.json\n# What goes wrong: .*\nversion: 1\n/,
  )
  expect(await runIn(folder, ['check', '--no-drive', 'stuck.yaml'])).toMatchObject({ code: 0, warned: '' })
  expect(await runIn(folder, words)).toMatchObject({ code: 22, warned: expect.stringContaining('--force') })
})

it('asks in a terminal, again after an answer that is none', async () => {
  const folder = folderWith({})
  const questions: string[] = []
  const answers = ['chat-strem', 'chat-stream', '99', '5']
  const ask = async (question: string): Promise<string> => {
    questions.push(question)
    return answers.shift()!
  }
  expect((await runIn(folder, ['init', '--scenario', 'it.yaml'], { ask })).code).toBe(0)
  expect(questions[1]).toContain('"chat-strem" is none of them. Did you mean "chat-stream"?')
  expect(readFileSync(join(folder, 'it.yaml'), 'utf8')).toContain('kind: reset')
})

it('copies a shipped scenario', async () => {
  const folder = folderWith({})
  expect((await runIn(folder, ['init', '--scenario', 'it.yaml', '--from', 'lost-polls'])).code).toBe(0)
  const text = readFileSync(join(folder, 'it.yaml'), 'utf8')
  expect(text.match(/yaml-language-server/g)).toHaveLength(1)
  expect((await loadScenario(join(folder, 'it.yaml'))).scenario.name).toBeDefined()
})

it.each([
  [
    ['--scenario', 'it.yaml', '--api', 'chat', '--trouble', 'stuck'],
    2,
    '--trouble stuck is not for --api chat. Use one of errors',
  ],
  [['--scenario', 'it.json'], 2, 'name a file that ends in .yaml'],
  [['--scenario', 'it.yaml', '--from', 'lost-pols'], 22, 'Did you mean "lost-polls"?'],
  [['--scenario', 'it.yaml', '--from', 'lost-polls', '--api', 'chat'], 2, '--from excludes'],
  [['--scenario', 'it.yaml', '--runner', 'node'], 2, '--scenario excludes --runner'],
  [['--scenario', ''], 2, '--scenario is empty'],
  [['--trouble', 'errors'], 2, '--trouble needs --scenario'],
  [['--api', 'chat-stream'], 2, '--api chat-stream needs --scenario. Without it, use one of video'],
])('refuses %j', async (words, code, message) => {
  const found = await runIn(folderWith({}), ['init', ...words])
  expect([found.code, found.warned]).toEqual([code, expect.stringContaining(message)])
})
