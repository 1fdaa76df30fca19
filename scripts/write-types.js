// Writes the lists, and src/scenario/vocabulary/types.ts from the schemas of its folder. Git ignores the files: npm run build
// and npm run types write them first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fromSource } from './source.js'
import { writeLists } from './write-lists.js'

// The schemas import them.
writeLists()

/** @type {typeof import('./vocabulary-types.ts')} */
const { vocabularyTypes } = await fromSource('vocabulary-types.ts', import.meta.url)
const types = vocabularyTypes(readFileSync(new URL('vocabulary-types.md', import.meta.url), 'utf8'))
const file = new URL('../src/scenario/vocabulary/types.ts', import.meta.url)
// Compilers and editors that watch the file start again when it is written.
if (!existsSync(file) || readFileSync(file, 'utf8') !== types) writeFileSync(file, types)
