// Writes the lists that are the files of a folder: operations and invariants of each API, general invariants, faults, habits, conditions,
// answers of golden exchanges. So a new item needs only its own file. Git ignores the lists: npm run build, npm run types and Vitest
// write them first, and delete those that are left in folders which need none any more.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { listFiles } from './replace-folder.js'
import { answersSource } from './write-answers.js'

/** What makes an export an item of a list: the function that defines it, or its type. */
const marks = {
  // Whatever else is defined in the folder of an API is an operation; the compiler refuses what is none.
  operations: /^export const (\w+) = define(?!(?:Api|TextApi|Form|Lifecycle)\b)\w+[(<]/gm,
  invariants: /^export const (\w+): (?:General)?Invariant(?:Definition)? = /gm,
  faults: /^export const (\w+) = defineFault\(/gm,
  eventDialects: /^export const (\w+) = defineEventDialect\(/gm,
  callDialects: /^export const (\w+) = defineCallDialect\(/gm,
  textEnds: /^export const (\w+): TextEnd = \{$/gm,
  requestConditions: /^export const (\w+) = defineRequestCondition\(/gm,
  habits: /^export const (\w+): Habit = \{$/gm,
}

const firstLine = '// Written by scripts/write-lists.js.'

const invariantName = /^export const \w+: GeneralInvariant = \{\s+name: ('[\w-]+')/gm

/** @param {string} [source] the folder of the sources. */
export function writeLists(source = fileURLToPath(new URL('../src', import.meta.url))) {
  const apis = `${source}/apis`
  for (const name of readdirSync(apis)) {
    const folder = `${apis}/${name}`
    if (existsSync(`${folder}/api.ts`) && / = define(?:Text)?Api\(/.test(read(`${folder}/api.ts`)))
      writeFolder(folder, ['operations', 'invariants'])
    else deleteList(folder)
  }
  writeFolder(`${source}/scenario/faults`, ['faults'])
  writeFolder(`${source}/scenario/vocabulary/conditions`, ['requestConditions'])
  writeFolder(`${source}/judge/habits`, ['habits'])
  writeFolder(`${apis}/text/events`, ['eventDialects'])
  writeFolder(`${apis}/text/calls`, ['callDialects'])
  writeFolder(`${apis}/text/ends`, ['textEnds'])
  const goldens = `${source}/../fixtures/golden`
  if (existsSync(goldens)) write(`${apis}/define/answers/lists.ts`, [answersSource(goldens)])
  const general = `${source}/judge/invariants`
  writeFolder(general, ['invariants'])
  // Scenario files name them, though judge is above scenario.
  const names = listFiles(general).flatMap((path) => findAll(`${general}/${path}`, invariantName))
  write(`${source}/scenario/vocabulary/invariant-names.ts`, [listOf('generalInvariants', names)])
}

/**
 * Writes the lists of a folder. Their order is that of the names of the files.
 *
 * @param {string} folder
 * @param {readonly (keyof typeof marks)[]} lists
 */
function writeFolder(folder, lists) {
  const paths = listFiles(folder)
    .filter((path) => path !== 'lists.ts')
    .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))
  /** @type {string[]} */
  const imports = []
  const written = lists.map((list) => {
    const found = paths.map((path) => ({ path, names: findAll(`${folder}/${path}`, marks[list]) }))
    for (const { path, names } of found)
      if (names.length > 0) imports.push(`import { ${names.join(', ')} } from './${path}'`)
    return listOf(
      list,
      found.flatMap(({ names }) => names),
    )
  })
  write(`${folder}/lists.ts`, [...imports, ...written])
}

/**
 * Deletes the list of a folder. It may import files that are gone, which breaks a build.
 *
 * @param {string} folder
 */
function deleteList(folder) {
  const file = `${folder}/lists.ts`
  if (existsSync(file) && read(file).startsWith(firstLine)) rmSync(file)
}

/**
 * @param {string} file
 * @param {RegExp} mark
 */
const findAll = (file, mark) => [...read(file).matchAll(mark)].map(([, name]) => String(name))

/** @param {string} file */
const read = (file) => readFileSync(file, 'utf8')

/**
 * @param {string} name
 * @param {readonly string[]} items
 */
const listOf = (name, items) => `export const ${name} = [${items.join(', ')}] as const`

/**
 * Writes a file, unless it is current: compilers and editors that watch it would start again.
 *
 * @param {string} file
 * @param {readonly string[]} lines
 */
function write(file, lines) {
  if (!existsSync(dirname(file))) return
  const text = [firstLine, ...lines, ''].join('\n')
  if (!existsSync(file) || read(file) !== text) writeFileSync(file, text)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeLists()
