import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fileSchemas } from '../../scripts/scenario-reference.ts'
import { lintLoaded } from '../../src/files/lint/lint.ts'
import { loadScenario } from '../../src/files/load.ts'
import { configReference, scenarioReference } from '../../scripts/scenario-reference.ts'

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}.md`, import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'greenroom-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('lists every key of the config', () => {
  expect(read('reference/config-keys'), 'run node scripts/scenario-schema.js').toBe(configReference())
})

it('lists every key of a scenario with the description in the schema', () => {
  const page = read('reference/scenario-keys')
  expect(page, 'run node scripts/scenario-schema.js').toBe(scenarioReference(fileSchemas().scenario))
  for (const key of ['`attempts`', '`text`', '**`match`**', '`workers`']) expect(page).toContain(key)
})

const cookbook = ['reference/scenarios', 'how-to/scenario-cookbook', 'reference/faults']
const snippets = [
  ...cookbook
    .map(read)
    .join('\n')
    .matchAll(/```yaml\n([\s\S]*?)```/g),
].map(([, text]) => text!)

it('has a cookbook', () => {
  expect(snippets.length).toBeGreaterThan(15)
})

it.each(snippets)('shows a scenario that is valid: %s', async (text) => {
  const path = join(folder, 'snippet.yaml')
  writeFileSync(path, text.includes('version: 1') ? text : `version: 1\n${text}`)
  expect(lintLoaded(await loadScenario(path)).map(({ message }) => message)).toEqual([])
})
