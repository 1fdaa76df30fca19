// Writes what is made from the schema of scenario files: schema/scenario.schema.json, for editors, and the reference in
// docs/scenarios.md. Tests keep both equal to the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { fromSource } from './source.js'

const root = new URL('../', import.meta.url)

/** @type {typeof import('./scenario-reference.ts')} */
const { scenarioJsonSchema, referenceOf, withReference } = await fromSource(
  'scenario-reference.ts',
  import.meta.url,
)

const schema = scenarioJsonSchema()
writeFileSync(new URL('schema/scenario.schema.json', root), `${JSON.stringify(schema, null, 2)}\n`)
const docs = new URL('docs/scenarios.md', root)
writeFileSync(docs, withReference(readFileSync(docs, 'utf8'), referenceOf(schema)))
