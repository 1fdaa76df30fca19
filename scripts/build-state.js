// Tells whether dist was built from the sources that are there now.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './replace-folder.js'

/** All that the build reads. */
const sourceFiles = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.js',
  'scripts/build-dashboard.js',
  'scripts/write-answers.js',
  'scripts/write-lists.js',
  'scripts/write-types.js',
  'scripts/vocabulary-types.ts',
  'scripts/vocabulary-types.md',
]
const sourceFolders = ['src', 'fixtures/golden']

/** Written when a build is complete. It stays out of the package: see `files` in package.json. */
const stamp = 'build.json'

/** @typedef {'missing' | 'stale' | 'current'} BuildState */

/**
 * A digest of all that the build reads.
 *
 * @param {string} root the folder of the project.
 */
export function digestSources(root) {
  const paths = sourceFolders.flatMap((folder) =>
    listFiles(join(root, folder)).map((path) => `${folder}/${path}`),
  )
  const files = sourceFiles.filter((path) => existsSync(join(root, path)))
  return digestFiles(root, [...files, ...paths])
}

/**
 * Notes in a complete build which sources it was made from, and which files it has.
 *
 * @param {string} folder the build.
 * @param {string} sourceDigest what `digestSources` returned before the build began.
 */
export function writeBuildStamp(folder, sourceDigest) {
  const files = digestFiles(folder, listBuiltFiles(folder))
  writeFileSync(join(folder, stamp), `${JSON.stringify({ sources: sourceDigest, files })}\n`)
}

/**
 * A build is stale when the sources or its own files are not those that its stamp names.
 *
 * @param {string} root the folder of the project.
 * @returns {BuildState}
 */
export function readBuildState(root) {
  const folder = join(root, 'dist')
  if (!existsSync(folder)) return 'missing'
  const noted = readStamp(join(folder, stamp))
  const isOfSources = noted?.sources === digestSources(root)
  const isWhole = noted?.files === digestFiles(folder, listBuiltFiles(folder))
  return isOfSources && isWhole ? 'current' : 'stale'
}

/**
 * What a developer reads about a build that is not current.
 *
 * @param {BuildState} state
 */
export function explainBuildState(state) {
  return state === 'missing'
    ? 'There is no build: the folder dist is missing. Run npm run build first.'
    : 'The build is stale: dist was not built from the current sources. Run npm run build first.'
}

/**
 * @param {string} path
 * @returns {{ sources?: unknown; files?: unknown } | undefined} nothing without a stamp that can be read.
 */
function readStamp(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? undefined
  } catch {
    return undefined
  }
}

/** @param {string} folder a build. */
const listBuiltFiles = (folder) => listFiles(folder).filter((path) => path !== stamp)

/**
 * @param {string} folder
 * @param {readonly string[]} paths files of the folder.
 */
function digestFiles(folder, paths) {
  const digest = createHash('sha256')
  for (const path of paths) {
    const content = readFileSync(join(folder, path))
    digest.update(`${path}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}
