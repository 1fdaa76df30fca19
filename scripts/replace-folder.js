// Puts new files in the place of old ones, one by one, so that every file is whole at every moment: a server that runs from
// the folder, or a test, never misses one.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Moves the files of one folder to another on the same disk, and removes what else was there. Files that have not changed
 * stay as they are.
 *
 * @param {string} from is removed at the end.
 * @param {string} to is created when it is missing.
 */
export function replaceFolder(from, to) {
  const files = listFiles(from)
  const isNew = (/** @type {string} */ path) => !existsSync(join(to, path))
  // New files first: a changed file may import them.
  for (const path of [...files.filter(isNew), ...files.filter((each) => !isNew(each))])
    replaceFile(join(from, path), join(to, path))
  const wanted = new Set(files)
  for (const path of listFiles(to)) if (!wanted.has(path)) rmSync(join(to, path))
  removeEmptyFolders(to)
  rmSync(from, { recursive: true })
}

/**
 * @param {string} folder
 * @returns {string[]} paths from the folder, with slashes, in one order on every system.
 */
export function listFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}

/**
 * @param {string} from
 * @param {string} to
 */
function replaceFile(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) chmodSync(to, statSync(from).mode)
  else renameSync(from, to)
}

/** @param {string} folder */
function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name))
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true })
}
