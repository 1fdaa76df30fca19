// Writes what is made from the schemas of src/scenario/vocabulary: schema/*.schema.json, for editors, the references in
// docs/reference/scenarios.md and docs/reference/config.md, and the TypeScript types in src/scenario/vocabulary/types.ts. Tests keep all of them equal to the code.
//
//   node scripts/scenario-schema.js
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { fromSource } from './source.js'

const root = new URL('../', import.meta.url)

/** @type {typeof import('./scenario-reference.ts')} */
const { configReference, fileSchemas, referenceOf, withReference } = await fromSource(
  'scenario-reference.ts',
  import.meta.url,
)

const schemas = fileSchemas()
for (const [name, schema] of Object.entries(schemas))
  writeFileSync(new URL(`schema/${name}.schema.json`, root), `${JSON.stringify(schema, null, 2)}\n`)
const docs = new URL('docs/reference/scenarios.md', root)
writeFileSync(docs, withReference(readFileSync(docs, 'utf8'), referenceOf(schemas.scenario)))
const configDocs = new URL('docs/reference/config.md', root)
writeFileSync(configDocs, withReference(readFileSync(configDocs, 'utf8'), configReference()))

/** @type {typeof import('./vocabulary-types.ts')} */
const { vocabularyTypes } = await fromSource('vocabulary-types.ts', import.meta.url)
const { prettier } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const notes = readFileSync(new URL('scripts/vocabulary-types.md', root), 'utf8')
const types = await format(vocabularyTypes(notes), { ...prettier, parser: 'typescript' })
writeFileSync(new URL('src/scenario/vocabulary/types.ts', root), types)
