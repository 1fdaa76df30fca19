// Types from the compiler, one file each as in src; programs bundled into few, since Node takes longer to find hundreds of
// small files than to read them.
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { digestSources, writeBuildStamp } from './build-state.js'
import { replaceFolder } from './replace-folder.js'

const root = new URL('..', import.meta.url)
const sourceDigest = digestSources(fileURLToPath(root))

// The build takes place in a folder of its own, at the same depth as dist. Until it is complete, dist stays as it was.
const output = mkdtempSync(fileURLToPath(new URL('.build-', root)))
process.once('exit', () => rmSync(output, { recursive: true, force: true }))
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.once(signal, () => process.exit(1))

const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', output], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

/** @param {string} id */
const isOfAnotherPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[a-z]:\\/i.test(id)

/**
 * zod is bundled: from node_modules it takes 100 ms to import.
 *
 * @param {string} id
 */
const isExternal = (id) => isOfAnotherPackage(id) && !/^zod(?:\/|$)/.test(id)

/** How files are called, and what they are. */
const asModules = /** @type {const} */ ({
  format: 'esm',
  // The types have the docstrings; without them, programs load faster.
  comments: { jsdoc: false },
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
  'chunks/wasm-encoder': 'src/media/encode/wasm-encoder.js',
  'chunks/frame-drawer': 'src/media/encode/frame-drawer.ts',
}

/**
 * Fails the build: `npm ci` prints what rolldown warns of, and that worries everyone who installs the project.
 *
 * @type {import('rolldown').InputOptions['onLog']}
 */
const refuseWarnings = (level, { message }) => {
  if (level === 'warn') throw new Error(message)
}

const bundle = await rolldown({
  cwd: fileURLToPath(root),
  input: entries,
  platform: 'node',
  transform: { target: 'node20.19' },
  // What `includeDependenciesRecursively: false` implies. Without it, rolldown prints a warning.
  preserveEntrySignatures: 'allow-extension',
  external: isExternal,
  onLog: refuseWarnings,
})
const groups = [
  // Matchers are for everyone's tests, also where no simulator runs: they start nothing.
  fileOf('matchers', [entries['matchers/index']], 3),
  fileOf('simulator', [entries.index, entries['server/index']], 2),
  fileOf('server', [entries['server/index']], 1),
  fileOf('command-line', ['src/cli/terminal/run-command-line.ts'], 0, /[\\/]src[\\/]cli[\\/]/),
]
await bundle.write({
  dir: output,
  ...asModules,
  codeSplitting: { groups, includeDependenciesRecursively: false },
})
await bundle.close()

// CommonJS, for `require` where it can't load ES modules, as in Jest. Dependencies that Jest can't require are bundled: faker
// has no CommonJS, and yaml has none for environments such as jsdom.
const commonjs = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: entries.index, 'matchers/index': entries['matchers/index'] },
  platform: 'node',
  transform: {
    target: 'node20.19',
    // Jest 29 has its own `require`, but Node's `getBuiltinModule`, which finds another copy of msw than the tests use.
    define: { 'globalThis.process.getBuiltinModule': 'require' },
  },
  external: (id) => isExternal(id) && !/^(?:@faker-js\/|yaml$)/.test(id),
})
await commonjs.write({
  dir: output,
  format: 'cjs',
  comments: { jsdoc: false },
  entryFileNames: '[name].cjs',
  // In the folder of the ESM chunks, because both formats start the same child processes.
  chunkFileNames: 'chunks/[name].cjs',
  // Jest rejects `import()` unless Node runs with --experimental-vm-modules.
  dynamicImportInCjs: false,
  codeSplitting: {
    groups: [fileOf('matchers', [entries['matchers/index']], 2), fileOf('simulator', [entries.index], 1)],
  },
})
await commonjs.close()
for (const name of ['index', 'matchers/index']) {
  writeFileSync(join(output, `${name}.d.cts`), commonjsTypes(name))
}
for (const name of ['@faker-js/faker', 'yaml', 'zod']) {
  const licence = join(output, 'licences', `${name.replace('/', '-')}.txt`)
  cpSync(new URL(`node_modules/${name}/LICENSE`, root), licence)
}

/**
 * Declares the types of a CommonJS entry as those of the ESM entry, so that values of one fit the other.
 *
 * @param {string} name
 */
function commonjsTypes(name) {
  const exported = createRequire(import.meta.url)(join(output, `${name}.cjs`))
  const source = `'./index.js' with { 'resolution-mode': 'import' }`
  const lines = [`import type * as esm from ${source}`, `export type * from ${source}`]
  for (const [key, value] of Object.entries(exported)) {
    lines.push(`export declare const ${key}: typeof esm.${key}`)
    // A class is a type, too. The constant hides the one that `export type *` brings.
    if (/^class\b/.test(String(value))) lines.push(`export type ${key} = esm.${key}`)
  }
  return `${lines.join('\n')}\n`
}

/** What the built program says when it is only asked what there is to say. @param {readonly string[]} words */
function said(words) {
  const environment = { ...process.env, COLUMNS: undefined }
  const main = join(output, 'cli/main.js')
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
writeFileSync(join(output, 'cli/help.json'), JSON.stringify(written))

// For pages. Other packages stay outside here, too: a page's own bundler puts in what is used, and each only once.
const pages = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: 'src/browser.ts' },
  platform: 'browser',
  transform: { target: ['chrome115', 'firefox115', 'safari16.4'] },
  external: isExternal,
  onLog: refuseWarnings,
})
await pages.write({ dir: join(output, 'browser'), ...asModules })
await pages.close()

// npm makes the command executable only when it installs the package.
chmodSync(join(output, 'cli/main.js'), 0o755)

writeBuildStamp(output, sourceDigest)
replaceFolder(output, fileURLToPath(new URL('dist', root)))
