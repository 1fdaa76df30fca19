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
  await expect(readConfig(path)).rejects.toThrow(/greenroom\.yaml: it has \d+ bytes, more than 1048576/)
})

it('takes the line that names its schema, and definitions of its own, as scenario files do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'greenroom.config.json')
  const $schema = './node_modules/greenroom/schema/config.schema.json'
  writeFileSync(path, JSON.stringify({ $schema, 'x-owner': 'video team', seed: 7 }))
  expect(await readConfig(path)).toEqual({ seed: 7 })
})
