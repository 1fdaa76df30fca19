import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shippedNames } from './support/own-apis.ts'
import { type Packages, commandsOf, exampleRuns, examplesFolder, root } from './support/examples.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const folders = readdirSync(examplesFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

it('has nothing but folders and an index in examples', () => {
  const files = readdirSync(examplesFolder).filter((name) => !folders.includes(name))
  expect(files).toEqual(['README.md'])
})

it('runs every example', () => {
  // That of containers has a test of its own: test/container.slow.test.ts.
  expect([...Object.keys(exampleRuns), 'docker'].toSorted()).toEqual(folders.toSorted())
})

it.each(folders)('describes examples/%s in a short README, and in the index', (name) => {
  const readme = read(`examples/${name}/README.md`)
  expect(readme).toMatch(/^# .+\n\n.+\n\n```sh\n/)
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(name === 'docker' ? 60 : 18)
  for (const [, file] of readme.matchAll(/^- .*?`([^`/…]+\.\w+)`/gm))
    expect(existsSync(join(examplesFolder, name, file!)), `${name}/${file}`).toBe(true)
  expect(read('examples/README.md')).toContain(`](${name})`)
})

it('links to the examples of SDKs from docs/reference/sdks.md', () => {
  for (const name of ['openai', 'genai', 'ai-sdk'])
    expect(read('docs/reference/sdks.md')).toContain(`examples/${name})`)
})

it('takes greenroom of the clone in every example that installs packages', () => {
  for (const name of folders) {
    if (!existsSync(join(examplesFolder, name, 'package.json'))) continue
    const { dependencies, devDependencies } = JSON.parse(read(`examples/${name}/package.json`)) as Packages
    expect({ ...dependencies, ...devDependencies }['greenroom'], name).toBe('file:../..')
    expect(commandsOf(name)[0], name).toBe('npm install --install-links')
  }
})

it('has one client in all examples', () => {
  const clientOf = (folder: string): string => read(`examples/${folder}/video.js`)
  const [one, ...others] = [
    'vitest',
    'jest',
    'jest-msw',
    'node-test',
    'http-middleware',
    'ci',
    'explore',
    'docker/app',
  ].map(clientOf)
  for (const other of others) expect(other).toBe(one)
  const required = one!.replace(/^import (.*) from (.*)$/m, 'const $1 = require($2)')
  const commonjs = `${required.replace('\nexport async', '\nasync')}\nmodule.exports = { makeVideo }\n`
  expect(clientOf('jest-commonjs')).toBe(commonjs)
})

it('has one client in all examples with pages', () => {
  const client = read('examples/browser/client.js')
  for (const name of ['playwright', 'react']) expect(read(`examples/${name}/client.js`)).toBe(client)
})

it('defines each vendor in at most 120 lines, and plays a scenario of it to a client', () => {
  const files = readdirSync(join(examplesFolder, 'apis'))
  const vendors = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3))
  expect(vendors.toSorted()).toEqual(shippedNames)
  for (const vendor of vendors)
    expect(read(`examples/apis/${vendor}.ts`).trimEnd().split('\n').length, vendor).toBeLessThanOrEqual(120)
  const run = 'npx greenroom run --virtual-timers $api.yaml -- node $api-client.js || exit'
  expect(commandsOf('apis')).toEqual([`for api in ${shippedNames.join(' ')}; do`, `  ${run}`, 'done'])
})
