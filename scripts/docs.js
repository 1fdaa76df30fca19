// Writes the pages of docs/reference that are made from the code, the tables of faults and operations, and the lines of other
// pages that install greenroom. Tests keep them current.
//
//   node scripts/docs.js
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fromSource } from './source.js'

/** @type {typeof import('./cli-reference.ts')} */
const { cliReference } = await fromSource('cli-reference.ts', import.meta.url)
/** @type {typeof import('./api-reference.ts')} */
const { apiReference } = await fromSource('api-reference.ts', import.meta.url)
/** @type {typeof import('./fault-table.ts')} */
const { withFaults } = await fromSource('fault-table.ts', import.meta.url)
/** @type {typeof import('./operation-rows.ts')} */
const { withOperations } = await fromSource('operation-rows.ts', import.meta.url)
/** @type {typeof import('./install-blocks.ts')} */
const { pagesWithInstall, withInstall } = await fromSource('install-blocks.ts', import.meta.url)

writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), await cliReference())
writeFileSync(new URL('../docs/reference/javascript.md', import.meta.url), apiReference())
const faults = new URL('../docs/reference/faults.md', import.meta.url)
writeFileSync(faults, withFaults(readFileSync(faults, 'utf8')))
const reference = new URL('../docs/reference/', import.meta.url)
for (const name of readdirSync(reference)) {
  const url = new URL(name, reference)
  const page = readFileSync(url, 'utf8')
  if (withOperations(page) !== page) writeFileSync(url, withOperations(page))
}
for (const page of pagesWithInstall) {
  const url = new URL(`../${page}`, import.meta.url)
  writeFileSync(url, withInstall(readFileSync(url, 'utf8')))
}
