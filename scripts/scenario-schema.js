// Writes what is made from the schemas of src/scenario/vocabulary, and committed: schema/*.schema.json, for editors, and
// docs/reference/scenario-keys.md and config-keys.md. Tests keep all of them equal to the code.
//
//   node scripts/scenario-schema.js
import { writeFileSync } from 'node:fs'
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
