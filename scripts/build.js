// Types from the compiler, one file each as in src; programs bundled into few, since Node takes longer to find hundreds of
// small files than to read them.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { buildDashboard } from './build-dashboard.js'
import { digestSources, writeBuildStamp } from './build-state.js'
import { replaceFolder } from './replace-folder.js'

// Before the digest, since it is a source.
await import('./write-types.js')
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
const words = [compiler, '-p', 'tsconfig.build.json', '--checkers', '1', '--outDir', output]
const { status } = spawnSync(process.execPath, words, {
  cwd: root,
  // The compiler is a program in Go: one checker, and fewer collections of its memory, save half of its processor time.
  env: { GOGC: '400', ...process.env },
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

/** @param {string} id */
const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[a-z]:[\\/]/i.test(id)

/**
 * Packages to bundle, with what they import. Node loads yargs and zod twice as fast from one file. Jest can't require
 * faker and yaml: faker has no CommonJS, and yaml has none for environments such as jsdom.
 */
const bundledPackages = {
  esm: /^(?:@noble\/hashes|pino|sonic-boom|yargs|zod)(?:\/|$)/,
  cjs: /^(?:@faker-js|@noble\/hashes|yaml|zod)(?:\/|$)/,
}

/** @type {Set<string>} */
const bundledFolders = new Set()

/**
 * The data of pictures are two megabytes: files of their own, which both formats read on first use.
 *
 * @type {import('rolldown').Plugin}
 */
const sharedData = {
  name: 'shared-data',
  load(id) {
    const [, name] = /[\\/]pictures[\\/]data[\\/]([\w-]+\.json)$/.exec(id) ?? []
    if (name === undefined) return undefined
    mkdirSync(join(output, 'data'), { recursive: true })
    cpSync(id, join(output, 'data', name))
    const code = `import { createRequire } from 'node:module'
export default createRequire(import.meta.url)('../data/${name}')`
    return { code, moduleType: 'js' }
  },
}

/**
 * yargs measures the lines of its help with a package that loads `Intl.Segmenter`: 10 ms of each start, for characters
 * that no help of ours has.
 *
 * @type {import('rolldown').Plugin}
 */
const narrowHelp = {
  name: 'narrow-help',
  load(id) {
    if (!/[\\/]string-width[\\/]index\.js$/.test(id)) return undefined
    const code = `import { stripVTControlCharacters } from 'node:util'
export default (text) => stripVTControlCharacters(text).length`
    return { code, moduleType: 'js' }
  },
}

/** @type {{ engines: { node: string }, exports: unknown }} */
const { engines, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const minNode = engines.node.replace(/[^\d.]/g, '').replace(/\.0$/, '')
const [minMajor, minMinor] = minNode.split('.')

/** Stands before all other code, so that an old Node says more than the name of the first function that it lacks. */
const nodeCheck = `{
	const version = globalThis.process?.versions?.node
	const [major, minor] = version?.split(".").map(Number) ?? [${minMajor}, ${minMinor}]
	if (major < ${minMajor} || (major === ${minMajor} && minor < ${minMinor})) {
		const message = "greenroom needs Node ${minNode} or later, but this is Node " + version + "."
		if (!/[\\\\/](?:greenroom|cli[\\\\/]main\\.js)$/.test(process.argv[1] ?? "")) throw new Error(message)
		console.error("error: " + message)
		process.exit(1)
	}
}`

/**
 * Bundles some entries into the output folder.
 *
 * @param {Record<string, string>} input
 * @param {import('rolldown').OutputOptions} files
 * @param {import('rolldown').InputOptions} [options]
 */
async function bundle(input, files, options) {
  const format = files.format === 'cjs' ? 'cjs' : 'esm'
  const bundled = await rolldown({
    cwd: fileURLToPath(root),
    input,
    platform: 'node',
    plugins: options?.platform === 'browser' ? [] : [sharedData, narrowHelp],
    transform: { target: 'node20.19' },
    // Without it, rolldown warns about `includeDependenciesRecursively: false`, which implies it.
    preserveEntrySignatures: 'allow-extension',
    // Only definitions of APIs import all of zod, of which they pass everything on.
    external: (id, importer) =>
      id === 'zod' ||
      (isPackage(id) && !bundledPackages[format].test(id) && !importer?.includes('node_modules')),
    // `npm ci` would print the warnings, and worry everyone who installs the project.
    onLog: (level, { message }) => {
      if (level === 'warn' && format === 'esm') throw new Error(message)
    },
    ...options,
  })
  const { output: written } = await bundled.write({
    dir: output,
    format,
    comments: { jsdoc: false },
    // Characters outside Latin-1 would make V8 store the whole file with two bytes for each character.
    charset: 'ascii',
    // A chunk without imports of others is evaluated first.
    banner: ({ imports }) =>
      options?.platform === 'browser' || imports.some((name) => /\.c?js$/.test(name)) ? '' : nodeCheck,
    entryFileNames: format === 'cjs' ? '[name].cjs' : '[name].js',
    chunkFileNames: format === 'cjs' ? 'chunks/[name].cjs' : 'chunks/[name].js',
    ...files,
  })
  await bundled.close()
  for (const file of written) if (file.type === 'chunk') noteBundled(file.moduleIds)
}

/** @param {readonly string[]} files that are part of the output. */
function noteBundled(files) {
  for (const file of files) {
    const [folder] = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? []
    if (folder) bundledFolders.add(folder)
  }
}

/**
 * Puts modules into one chunk that the same entries load at once. Left alone, rolldown makes sixty chunks of them: it also
 * tells apart which are shared with modules that are loaded later.
 *
 * @param {Record<string, string>} input
 * @param {readonly string[]} [small] entries that share little with others: all of that is one chunk.
 * @returns {import('rolldown').CodeSplittingOptions}
 */
function chunkByEntries(input, small = []) {
  const smallNumbers = small.map((name) => Object.keys(input).indexOf(name))
  const entryIds = Object.values(input).map((path) => fileURLToPath(new URL(path, root)))
  /** @type {Map<string, Set<string>>} */
  const loadedBy = new Map()
  /** @type {Map<string, Set<string>>} */
  const loadedLaterBy = new Map()
  /** @type {import('rolldown').CodeSplittingNameFunction} */
  const name = (id, graph) => {
    for (const entry of loadedBy.size === 0 ? entryIds : []) {
      const loaded = new Set([entry])
      for (const each of loaded)
        for (const imported of graph.getModuleInfo(each)?.importedIds ?? []) loaded.add(imported)
      loadedBy.set(entry, loaded)
      const later = new Set(loaded)
      for (const each of later) {
        const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(each) ?? {}
        for (const imported of [...importedIds, ...dynamicallyImportedIds]) later.add(imported)
      }
      loadedLaterBy.set(entry, later)
    }
    // Entries stay alone: their exports are public, and one may wait at its top level for what imports its chunk.
    if (loadedBy.has(id)) return null
    const numbers = entryIds.flatMap((entry, index) => (loadedBy.get(entry)?.has(id) ? [index] : []))
    if (numbers.length === 0) return null
    if (numbers.length > 1 && numbers.some((number) => smallNumbers.includes(number))) return 'shared'
    // The rest of such a chunk may import a package that is only there for its own entry, such as vitest.
    const isOfOthers =
      numbers.length === 1 &&
      entryIds.some((entry, index) => index !== numbers[0] && loadedLaterBy.get(entry)?.has(id))
    return `shared-${numbers.join('')}${isOfOthers ? '-later' : ''}`
  }
  return {
    includeDependenciesRecursively: false,
    groups: [
      { debugName: 'shared', tags: ['$initial'], name },
      // What reads flags and files of users would be ten small chunks.
      {
        name: 'config',
        test: /[\\/]cli[\\/]serve[\\/]serve(?:r-flags)?\.ts$|[\\/]config-(?:file|reload)\.ts$/,
      },
      { name: 'files', test: /[\\/]scenario[\\/]files[\\/](?:read-|clock-over|decode|syntax)/ },
    ],
  }
}

const entries = {
  index: 'src/index.ts',
  'server/index': 'src/server/index.ts',
  'vitest/index': 'src/vitest/index.ts',
  'matchers/index': 'src/matchers/index.ts',
  'cli/main': 'src/cli/main.ts',
  // A child process. The code that starts it expects it in its own folder, that of the chunks.
  'chunks/frame-drawer': 'src/media/encode/frame-drawer.ts',
  'virtual-timers': 'src/cli/virtual-timers/main.ts',
}
const smallEntries = ['cli/main', 'chunks/frame-drawer', 'virtual-timers']
await bundle(entries, { codeSplitting: chunkByEntries(entries, smallEntries) })

// Definitions of APIs, alone: programs without them load nothing more.
await bundle({ api: 'src/apis/own/index.ts' }, { codeSplitting: false })

// Other child processes, which share nothing with the rest.
await bundle(
  {
    'wasm-encoder': 'src/media/encode/wasm-encoder.js',
  },
  { dir: join(output, 'chunks'), chunkFileNames: 'child-[name].js' },
)

// CommonJS, for `require` where it can't load ES modules, as in Jest. Its chunks are in the folder of the ESM chunks, because both formats
// start the same child processes.
const required = { index: entries.index, 'matchers/index': entries['matchers/index'] }
await bundle(
  required,
  // Jest rejects `import()` unless Node runs with --experimental-vm-modules.
  { format: 'cjs', dynamicImportInCjs: false, codeSplitting: chunkByEntries(required) },
  {
    transform: {
      target: 'node20.19',
      // Jest 29 has its own `require`, but Node's `getBuiltinModule`, which finds another copy of msw than the tests use.
      define: { 'globalThis.process.getBuiltinModule': 'require' },
    },
  },
)
for (const name of Object.keys(required)) {
  writeFileSync(join(output, `${name}.d.cts`), commonjsTypes(name))
}

// For pages. A page's own bundler adds other packages, each once.
const paged = { index: 'src/browser.ts', vitest: 'src/vitest/browser.ts' }
await bundle(
  paged,
  { dir: join(output, 'browser'), codeSplitting: chunkByEntries(paged) },
  { platform: 'browser', transform: { target: ['chrome115', 'firefox115', 'safari16.4'] } },
)

noteBundled(await buildDashboard(join(output, 'dashboard')))

for (const folder of bundledFolders) {
  const name = folder.replace(/^.*?node_modules[\\/]/, '').replaceAll(/[\\/]/g, '-')
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  if (licence === undefined)
    throw new Error(`Failed to build: ${name} is bundled, and has no file with its licence.`)
  cpSync(join(folder, licence), join(output, 'licences', `${name}.txt`))
}

for (const name of ['NOTICE.txt', 'OFL.txt', 'ARPHICPL.txt'])
  cpSync(new URL(`src/pictures/data/${name}`, root), join(output, 'licences', name))

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

/** Removes the declarations that no entry of the package leads to: half of them, which users would only download. */
function removeUnusedTypes() {
  /** @param {unknown} target @returns {string[]} */
  const declarationsIn = (target) =>
    typeof target === 'string'
      ? target.endsWith('ts')
        ? [join(output, target.replace(/^\.\/dist\//, ''))]
        : []
      : Object.values(target ?? {}).flatMap(declarationsIn)
  /** @type {Set<string>} */
  const used = new Set()
  const waiting = declarationsIn(exports)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (used.has(path)) continue
    used.add(path)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(
      /\b(?:from|import\(?)\s*['"](\.[^'"]+)['"]/g,
    ))
      waiting.push(join(dirname(path), (target ?? '').replace(/(?:\.d)?\.(?:ts|js)$/, '.d.ts')))
  }
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (/\.d\.c?ts$/.test(name) && !used.has(join(output, name))) rmSync(join(output, name))
  }
}

removeUnusedTypes()

// npm makes the command executable only when it installs the package.
chmodSync(join(output, 'cli/main.js'), 0o755)

writeBuildStamp(output, sourceDigest)
replaceFolder(output, fileURLToPath(new URL('dist', root)))
