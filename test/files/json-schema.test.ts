import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { fileSchemas, type JsonSchema } from '../../scripts/scenario-reference.ts'
import { readYaml as parseYaml } from '../../src/files/yaml-text.ts'

const root = new URL('../../', import.meta.url)
const drafts = new URL('drafts/', import.meta.url)
const { scenario: schema, config } = fileSchemas()

// Optimizing its code takes longer than running it as often as tests do.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
addFormats.default(ajv)
const isValid = ajv.compile(schema)

const read = (name: string): unknown => {
  const parsed = parseYaml(readFileSync(new URL(name, drafts), 'utf8'))
  return 'value' in parsed ? parsed.value : undefined
}

it.each(Object.entries(fileSchemas()))(
  'ships the schema of a %s that the code generates',
  (name, generated) => {
    const shipped: unknown = JSON.parse(readFileSync(new URL(`schema/${name}.schema.json`, root), 'utf8'))
    expect(shipped, 'run node scripts/scenario-schema.js').toEqual(JSON.parse(JSON.stringify(generated)))
    expect(generated['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(generated).toMatchObject({ title: expect.any(String), description: expect.any(String) })
    const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { files: string[] }
    expect(files).toContain('schema')
  },
)

it.each(readdirSync(drafts))('takes %s as the loader does', (name) => {
  expect(isValid(read(name)), JSON.stringify(isValid.errors)).toBe(true)
})

it.each([
  { rules: [{ match: { op: 'video.pol' } }] },
  { rules: [{ match: { op: 'video.poll' }, fault: { type: 'rest' } }] },
  { rules: [{ match: { op: 'video.poll' }, delay: '5 sec' }] },
  { rules: [{ match: { op: 'video.poll' }, chance: '140%' }] },
  { rulez: [] },
  { version: 2 },
])('refuses %j', (wrong) => {
  expect(isValid({ version: 1, ...wrong })).toBe(false)
})

const isValidConfig = ajv.compile(config)

it('takes the config of the docs as the loader does, and refuses unknown keys', () => {
  const page = readFileSync(new URL('docs/reference/config.md', root), 'utf8')
  const parsed = parseYaml(page.split('```yaml\n')[1]!.split('```')[0]!)
  expect('value' in parsed && isValidConfig(parsed.value), JSON.stringify(isValidConfig.errors)).toBe(true)
  expect(isValidConfig({ prot: 4646 })).toBe(false)
  expect(isValidConfig({ clock: { mode: 'scalde' } })).toBe(false)
})

/** Every key of every object in the schema. */
function* keysOf(node: unknown, path = ''): Generator<{ path: string; key: JsonSchema }> {
  if (typeof node !== 'object' || node === null) return
  const { properties = {}, examples: _, ...rest } = node as JsonSchema
  for (const [name, key] of Object.entries(properties)) {
    yield { path: `${path}.${name}`, key }
    yield* keysOf(key, `${path}.${name}`)
  }
  for (const [name, inside] of Object.entries(rest)) yield* keysOf(inside, `${path}/${name}`)
}

it.each([schema, config])('describes every key of $title, with valid examples', (schema) => {
  const keys = [...keysOf(schema)].filter(({ path }) => path !== '.$schema')
  expect(keys.length).toBeGreaterThan(100)
  const described = keys.map(({ path, key }) => {
    // A description that keys share is in their definition.
    const { description, examples } = { ...schema.$defs![key.$ref?.replace('#/$defs/', '') ?? ''], ...key }
    expect(description, `${path} has no description`).toMatch(/^["A-Z`\d].*\.$/)
    expect(examples?.length ?? 0, `${path} has no example`).toBeGreaterThan(0)
    return { path, key, examples }
  })
  const properties = Object.fromEntries(
    described.map(({ path, key }) => [path, { type: 'array', items: key }]),
  )
  const areGood = ajv.compile({ $defs: schema.$defs, properties })
  const examples = Object.fromEntries(described.map((each) => [each.path, each.examples]))
  expect(areGood(examples), JSON.stringify(areGood.errors?.slice(0, 3))).toBe(true)
})
