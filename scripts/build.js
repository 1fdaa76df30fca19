// Types from the compiler, one file each as in src; programs bundled into few, since Node takes longer to find hundreds of
// small files than to read them.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = new URL('..', import.meta.url)

// Start from an empty folder, so that a file that was renamed in src does not live on in dist.
rmSync(new URL('dist', root), { recursive: true, force: true })

const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

/** @param {string} id */
const isOfAnotherPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[a-z]:\\/i.test(id)

/** How files are called, and what they are. */
const asModules = /** @type {const} */ ({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
})

/** @type {Map<string, Set<string>>} */
const startedWith = new Map()

/**
 * What is read as soon as an entry is: all that it imports, and what that imports.
 *
 * @param {string} entry a path from the root.
 * @param {{ getModuleInfo(id: string): { importedIds: readonly string[] } | null }} graph
 * @returns {Set<string>} full paths.
 */
function readWith(entry, graph) {
  const known = startedWith.get(entry)
  if (known) return known
  const found = new Set([fileURLToPath(new URL(entry, root))])
  for (const id of found)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  startedWith.set(entry, found)
  return found
}

/**
 * A file of all that is read as soon as each of these entries is. Left to itself the bundler makes forty of them, one for
 * each set of entries and lazy parts that share something.
 *
 * @param {string} name
 * @param {readonly string[]} needing the entries.
 * @param {number} priority what is in the file with the highest is in no other.
 * @param {RegExp} [folder] nothing is taken from elsewhere.
 * @returns {import('rolldown').CodeSplittingGroup}
 */
const fileOf = (name, needing, priority, folder = /^/) => ({
  debugName: name,
  priority,
  name: (id, graph) =>
    folder.test(id) && needing.every((entry) => readWith(entry, graph).has(id)) ? name : null,
})

const entries = {
  index: 'src/index.ts',
  'server/index': 'src/server/index.ts',
  'vitest/index': 'src/vitest/index.ts',
  'matchers/index': 'src/matchers/index.ts',
  'cli/main': 'src/cli/main.ts',
  // What starts them looks for them beside itself, among the chunks.
  'chunks/wasm-encoder': 'src/media/wasm-encoder.js',
  'chunks/frame-drawer': 'src/media/frame-drawer.ts',
}

const bundle = await rolldown({
  cwd: fileURLToPath(root),
  input: entries,
  platform: 'node',
  transform: { target: 'node20.19' },
  external: isOfAnotherPackage,
})
const groups = [
  // Matchers are for everyone's tests, also where no simulator runs: they start nothing.
  fileOf('matchers', [entries['matchers/index']], 3),
  fileOf('simulator', [entries.index, entries['server/index']], 2),
  fileOf('server', [entries['server/index']], 1),
  fileOf('command-line', ['src/cli/run-command-line.ts'], 0, /[\\/]src[\\/]cli[\\/]/),
]
await bundle.write({
  dir: 'dist',
  ...asModules,
  codeSplitting: { groups, includeDependenciesRecursively: false },
})
await bundle.close()

// For `require`: Jest's own module system, for one, loads nothing else. Packages that ship no CommonJS are bundled. The
// files lie next to the modules, because they start the same child processes.
const commonjs = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: entries.index, 'matchers/index': entries['matchers/index'] },
  platform: 'node',
  transform: { target: 'node20.19' },
  external: (id) => isOfAnotherPackage(id) && !/^(?:@faker-js\/|yaml$)/.test(id),
})
await commonjs.write({
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  // Jest refuses `import()` where it was not started with a flag of Node.
  dynamicImportInCjs: false,
  codeSplitting: {
    groups: [fileOf('matchers', [entries['matchers/index']], 2), fileOf('simulator', [entries.index], 1)],
  },
})
await commonjs.close()
for (const name of ['index', 'matchers/index'])
  writeFileSync(new URL(`dist/${name}.d.cts`, root), typesFor(name))
cpSync(new URL('node_modules/@faker-js/faker/LICENSE', root), new URL('dist/chunks/en.LICENSE', root))

/**
 * Types of a CommonJS entry: those of the module, so that both formats accept each other's values.
 *
 * @param {string} name
 */
function typesFor(name) {
  /** @type {Record<string, unknown>} */
  const exported = createRequire(import.meta.url)(fileURLToPath(new URL(`dist/${name}.cjs`, root)))
  const from = `'./index.js', { with: { 'resolution-mode': 'import' } }`
  const isClass = (/** @type {unknown} */ value) =>
    typeof value === 'function' && `${value}`.startsWith('class')
  const declarations = Object.entries(exported).flatMap(([key, value]) => [
    `export declare const ${key}: typeof import(${from}).${key}`,
    // A class is a type as well, and what is declared here hides the type of this name.
    ...(isClass(value) ? [`export type ${key} = import(${from}).${key}`] : []),
  ])
  return [`export type * from './index.js' with { 'resolution-mode': 'import' }`, ...declarations, ''].join(
    '\n',
  )
}

/** What the built program says when it is only asked what there is to say. @param {readonly string[]} words */
function said(words) {
  const environment = { ...process.env, COLUMNS: undefined }
  const main = fileURLToPath(new URL('dist/cli/main.js', root))
  return spawnSync(process.execPath, [main, ...words], {
    env: environment,
    encoding: 'utf8',
  }).stdout.trimEnd()
}

// Help is laid out once, here: yargs takes longer to load than a server takes to start.
const help = said(['--help'])
const commands = Array.from(help.matchAll(/^ {2}greenroom (\w+)/gm), ([, name = '']) => name)
const asked = [['--version'], ...commands.map((name) => [name, '--help'])]
const written = {
  '--help': help,
  ...Object.fromEntries(asked.map((words) => [words.join(' '), said(words)])),
}
writeFileSync(new URL('dist/cli/help.json', root), JSON.stringify(written))

// For pages. Other packages stay outside here, too: a page's own bundler puts in what is used, and each only once.
const pages = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: 'src/browser.ts' },
  platform: 'browser',
  transform: { target: ['chrome115', 'firefox115', 'safari16.4'] },
  external: isOfAnotherPackage,
})
await pages.write({ dir: 'dist/browser', ...asModules })
await pages.close()
