// Writes the pages of docs/reference that are made from the code, the table of faults, and the lines of other pages that
// install greenroom. Tests keep them current.
//
//   node scripts/docs.js
import { readFileSync, writeFileSync } from 'node:fs'
import { fromSource } from './source.js'

/** @type {typeof import('./cli-reference.ts')} */
const { cliReference } = await fromSource('cli-reference.ts', import.meta.url)
/** @type {typeof import('./api-reference.ts')} */
const { apiReference } = await fromSource('api-reference.ts', import.meta.url)
/** @type {typeof import('./fault-table.ts')} */
const { withFaults } = await fromSource('fault-table.ts', import.meta.url)
/** @type {typeof import('./install-blocks.ts')} */
const { pagesWithInstall, withInstall } = await fromSource('install-blocks.ts', import.meta.url)

writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), await cliReference())
writeFileSync(new URL('../docs/reference/javascript.md', import.meta.url), apiReference())
const faults = new URL('../docs/reference/faults.md', import.meta.url)
writeFileSync(faults, withFaults(readFileSync(faults, 'utf8')))
for (const page of pagesWithInstall) {
  const url = new URL(`../${page}`, import.meta.url)
  writeFileSync(url, withInstall(readFileSync(url, 'utf8')))
}
