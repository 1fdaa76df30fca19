// Writes what is made from the schemas of src/scenario/vocabulary: schema/*.schema.json, for editors,
// docs/reference/scenario-keys.md and config-keys.md, and the TypeScript types in src/scenario/vocabulary/types.ts. Tests
// keep all of them equal to the code.
//
//   node scripts/scenario-schema.js
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { fromSource } from './source.js'

const root = new URL('../', import.meta.url)

/** @type {typeof import('./scenario-reference.ts')} */
const { configReference, fileSchemas, scenarioReference } = await fromSource(
  'scenario-reference.ts',
  import.meta.url,
)

const schemas = fileSchemas()
for (const [name, schema] of Object.entries(schemas))
  writeFileSync(new URL(`schema/${name}.schema.json`, root), `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(new URL('docs/reference/scenario-keys.md', root), scenarioReference(schemas.scenario))
writeFileSync(new URL('docs/reference/config-keys.md', root), configReference())

/** @type {typeof import('./vocabulary-types.ts')} */
const { vocabularyTypes } = await fromSource('vocabulary-types.ts', import.meta.url)
const { prettier } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const notes = readFileSync(new URL('scripts/vocabulary-types.md', root), 'utf8')
const types = await format(vocabularyTypes(notes), { ...prettier, parser: 'typescript' })
writeFileSync(new URL('src/scenario/vocabulary/types.ts', root), types)
