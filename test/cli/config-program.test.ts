import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/cli/serve/config-file.ts'
import { folderWith, run, serve } from './run-in-folder.ts'

const typed = `import { rate } from './rate.ts'
interface Pace { mode: 'scaled'; rate: number }
const clock: Pace = { mode: 'scaled', rate }
export default { clock, keys: ['sk-typed'] }
`

it('takes a config in TypeScript, with what it imports', async () => {
  const files = { 'greenroom.config.ts': typed, 'rate.ts': 'export const rate: number = 60\n' }
  const { code, printed, warned } = await run(serve('--log', 'json'), files)
  expect([code, warned]).toEqual([0, ''])
  expect(JSON.parse(printed)).toMatchObject({ key: 'sk-typed', clock: { mode: 'scaled', rate: 60 } })
})

it.each(['greenroom.config.mts', 'greenroom.config.js', 'greenroom.config.mjs'])(
  'takes %s, whose config may be exported by name, too',
  async (name) => {
    const text = `export const config = { keys: [await Promise.resolve('sk-${name}')] }\n`
    const { printed } = await run(serve('--log', 'json'), { [name]: text })
    expect(JSON.parse(printed)).toMatchObject({ key: `sk-${name}` })
  },
)

it('resolves relative paths against the folder of the file', async () => {
  const folder = folderWith({ 'greenroom.config.mjs': "export default { cacheDir: 'clips' }\n" })
  expect(await readConfig(join(folder, 'greenroom.config.mjs'))).toEqual({ cacheDir: join(folder, 'clips') })
})

it('runs the file again each time it is read', async () => {
  const path = join(folderWith({}), 'greenroom.config.mjs')
  const seeds = []
  for (const seed of [1, 2]) {
    writeFileSync(path, `export default { seed: ${seed} }\n`)
    seeds.push((await readConfig(path)).seed)
  }
  expect(seeds).toEqual([1, 2])
})

it('names every mistake with its file and the keys that lead to it, and what was meant', async () => {
  const text = `export default { qualty: 'fast', rules: [{ match: { op: 'video.submt' } }], publicUrl: () => 1 }\n`
  const { code, warned, folder } = await run(serve(), { 'greenroom.config.ts': text })
  const path = join(folder, 'greenroom.config.ts')
  expect(code).toBe(22)
  expect(warned).toContain(`${path}: qualty is not known. Did you mean "quality"?`)
  expect(warned).toContain(`${path}: rules.0.match.op is "video.submt": `)
  expect(warned).toContain(`${path}: publicUrl is a function: `)
})

it('says of a config that is a promise that it can be awaited', async () => {
  const text = 'export default Promise.resolve({ seed: 1 })\n'
  const { code, warned } = await run(serve(), { 'greenroom.config.mjs': text })
  expect([code, warned]).toEqual([22, expect.stringContaining('exports a promise as its config. Await it')])
})

it.each([
  ['export default {\n  seed: : 1,\n}\n', ":2:9: The file can't be run: Unexpected token."],
  ['const a: number = 1\nthrow new Error(`no ${a}`)\n', ":2: The file can't be run: no 1."],
  [
    "import x from './nowhere.ts'\nexport default x\n",
    ":1: The file can't be run: Cannot find module './nowhere.ts'.",
  ],
  ['export const confg = {}\n', ': exports no config. Write export default { … }'],
  ['export default () => ({})\n', ': exports a function as its config. Write export default { … }'],
])('says where and why %j is no config', async (text, message) => {
  const { code, warned, folder } = await run(serve(), { 'greenroom.config.ts': text })
  expect([code, warned]).toEqual([22, expect.stringContaining(join(folder, 'greenroom.config.ts') + message)])
})

it('refuses two config files of different kinds', async () => {
  const files = { 'greenroom.config.yaml': '', 'greenroom.config.ts': 'export default {}\n' }
  const { code, warned } = await run(serve(), files)
  expect([code, warned]).toEqual([22, expect.stringContaining('more than one config file')])
})
