import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { fileSchemas } from '../../../scripts/scenario-reference.ts'
import { lintLoaded } from '../../../src/scenario/files/lint/lint.ts'
import { loadScenario } from '../../../src/scenario/files/load.ts'
import { configReference, referenceOf, withReference } from '../../../scripts/scenario-reference.ts'

const page = readFileSync(new URL('../../../docs/reference/scenarios.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'greenroom-docs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('lists every key and flag in docs/reference/config.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')
  expect(withReference(page, configReference()), 'run node scripts/scenario-schema.js').toBe(page)
})

it('lists every key with the description in the schema', () => {
  expect(
    withReference(page, referenceOf(fileSchemas().scenario)),
    'run node scripts/scenario-schema.js',
  ).toBe(page)
  for (const key of ['`attempts`', '`stream.text`', '**`match`**', '`keys[].balance`']) {
    expect(page.includes(key) || page.includes(key.replace('stream.', '')), key).toBe(true)
  }
})

const snippets = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)

it('has a cookbook', () => {
  expect(snippets.length).toBeGreaterThan(15)
})

it.each(snippets)('shows a scenario that is valid: %s', async (text) => {
  const path = join(folder, 'snippet.yaml')
  writeFileSync(path, text.includes('version: 1') ? text : `version: 1\n${text}`)
  expect(lintLoaded(await loadScenario(path)).map(({ message }) => message)).toEqual([])
})
