import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createSimulator, loadScenario, parseScenario } from '../../src/index.ts'
import { needs } from '../support/needs.ts'

it('parses a text like its file', async () => {
  const path = fileURLToPath(new URL('../../scenarios/a-bad-day.yaml', import.meta.url))
  const parsed = await parseScenario(readFileSync(path, 'utf8'), { file: path })
  const loaded = await loadScenario(path)
  expect(parsed.scenario).toEqual(loaded.scenario)
  expect(parsed.files).toEqual(loaded.files)
  expect(parsed.at(['rules', 1])).toEqual(loaded.at(['rules', 1]))
})

it('runs a scenario from a text', async () => {
  const scenario = await parseScenario(
    '{ "version": 1, "rules": [{ "id": "slow", "match": { "op": "*" }, "delay": "5s" }] }',
  )
  await using sim = createSimulator({ scenario, cacheDir: false })
  expect(sim.rules().map(({ id }) => id)).toEqual(['slow'])
})

it('refuses a text that is not a string, such as the bytes of a file', async () => {
  await expect(parseScenario(Buffer.from('version: 1') as never, { file: 'flaky.yaml' })).rejects.toThrow(
    'Failed to read the scenario flaky.yaml: its text is a value of type object. Give YAML or JSON as a string.',
  )
})

it('reports every mistake in a text with its position', async () => {
  needs('video.submit')
  const text = 'version: 1\nrules:\n  - match: { op: video.pol }\n    delay: soon\n'
  await expect(parseScenario(text, { file: 'flaky.yaml' })).rejects.toThrow(
    /^flaky\.yaml:3:\d+: rules\.0\.match\.op: [\s\S]*video\.poll[\s\S]*\nflaky\.yaml:4:\d+: rules\.0\.delay: /,
  )
  await expect(parseScenario('a: [')).rejects.toThrow(/^scenario\.yaml:1:\d+: /)
  await expect(parseScenario('#'.repeat(1024 * 1024 + 1))).rejects.toThrow('more than 1048576. Split it.')
})

it.each([
  ['{"version":1,}', /^z\.json:1:14: the file is not JSON: .+\. Put keys and texts in double quotes, /],
  ['{\n  "version": 1\n  "seed": 2\n}', /^z\.json:3:3: the file is not JSON: /],
  ['{"version": 1}}', /^z\.json:1:15: the file is not JSON: /],
  ['version: 1', /^z\.json(?::1:1)?: the file is not JSON: .*'v'/],
])('refuses %j as JSON in the words of JSON.parse', async (text, message) => {
  await expect(parseScenario(text, { file: 'z.json' })).rejects.toThrow(message)
})

it('refuses features that need a file', async () => {
  const text =
    'version: 1\nextends: [base.yaml]\nrules:\n  - { match: { op: video.content }, media: { file: kite.mp4 } }\n'
  await expect(parseScenario(text)).rejects.toThrow(
    /^scenario\.yaml:2:11: extends\.0: is "base\.yaml", but a text has no folder\. .*loadScenario\(path\)\.\nscenario\.yaml:4:\d+: rules\.0\.media\.file: is "kite\.mp4"/,
  )
})
