// Writes the pages of docs/reference that are made from the code; a test keeps them current.
//
//   node scripts/docs.js
import { writeFileSync } from 'node:fs'
import { fromSource } from './source.js'

/** @type {typeof import('./cli-reference.ts')} */
const { cliReference } = await fromSource('cli-reference.ts', import.meta.url)
writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), await cliReference())
