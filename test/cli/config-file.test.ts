import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/cli/serve/config-file.ts'

it('refuses a config file of more than a megabyte before it reads it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'greenroom.yaml')
  writeFileSync(path, `# ${'x'.repeat(1024 * 1024 - 20)}\nseed: 7\n`)
  expect(await readConfig(path)).toEqual({ seed: 7 })
  writeFileSync(path, `# ${'x'.repeat(1024 * 1024)}\nseed: 7\n`)
  await expect(readConfig(path)).rejects.toThrow(/greenroom\.yaml: has \d+ bytes, more than 1048576/)
})

it.each([
  ['a.json', '{ "seed": 1, // one\n}', '1:14: JSON has no comments.'],
  ['a.json', '{\n  "seed": 1,\n}', '3:1: the file is not JSON: '],
  [
    'a.yaml',
    'limits: { namespaces: 5\nseed: 1\n',
    '2:1: Flow map in block collection must be sufficiently indented and end with a }.',
  ],
])('refuses the config %s as a scenario file is refused: %j', async (name, text, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, text)
  await expect(readConfig(path)).rejects.toThrow(`${path}:${message}`)
})

it('takes the line that names its schema, and definitions of its own, as scenario files do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'greenroom.config.json')
  const $schema = './node_modules/greenroom/schema/config.schema.json'
  writeFileSync(path, JSON.stringify({ $schema, 'x-owner': 'video team', seed: 7 }))
  expect(await readConfig(path)).toEqual({ seed: 7 })
})
