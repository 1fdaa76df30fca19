import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { examples, type Example } from './docstrings.ts'
import { moduleFolder, moduleOf } from './example-module.ts'

/** An example of a docstring as a module in the folder of generated modules. */
export interface ExampleModule extends Example {
  /** Where it is in src, such as `src/version.ts:7`. */
  readonly place: string
  /** The name of its file, which contains the place. */
  readonly file: string
  readonly text: string
}

/** Every example in src as a module. */
export function exampleModules(): ExampleModule[] {
  return examples().map((example) => ({
    ...example,
    place: `${example.path}:${example.line}`,
    file: `${example.path.replace(/\.[tj]s$/, '').replaceAll('/', '-')}-${example.line}.ts`,
    text: moduleOf(example),
  }))
}

/**
 * Writes the modules into their folder, and removes those of examples that are gone. Tests and `npm run types` may do it at
 * the same time: each file appears whole, and only if it has changed, so that tests that watch their files come to rest.
 */
export function writeExampleModules(modules: readonly ExampleModule[]): void {
  const folder = new URL(`../../${moduleFolder}/`, import.meta.url)
  mkdirSync(folder, { recursive: true })
  const existing = new Set(readdirSync(folder))
  for (const { file, text } of modules) {
    const url = new URL(file, folder)
    if (existing.has(file) && readFileSync(url, 'utf8') === text) continue
    const incomplete = new URL(`${file}.${process.pid}`, folder)
    writeFileSync(incomplete, text)
    renameSync(incomplete, url)
  }
  const current = new Set(modules.map(({ file }) => file))
  for (const file of existing)
    if (file.endsWith('.ts') && !current.has(file)) rmSync(new URL(file, folder), { force: true })
}
