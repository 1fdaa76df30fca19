import { createRequire } from 'node:module'
import { dirname, isAbsolute, relative } from 'node:path'
import { version } from '../../version.ts'

/**
 * Whether greenroom is in npm's registry. On the day of its publication, change this line and run `node scripts/docs.js`:
 * `init`, the README and the tutorials then install it by name. Until then, anyone may register the name.
 */
export const isPublished: boolean = false

/** The tarball that `npm pack` writes. */
export const tarball = `greenroom-${version}.tgz`

/** The dependency in `package.json`, as npm itself would write it. */
export const dependency = isPublished ? `^${version}` : `file:${tarball}`

/** Packs a copy of greenroom into the working folder. Empty once npm's registry has greenroom. */
export function packLines(copy: string, published = isPublished): string[] {
  if (published) return []
  // npm runs the scripts of a folder, but an installed copy lacks the script files.
  const scripts = copy.includes('node_modules') ? '--ignore-scripts ' : ''
  return [`npm pack ${scripts}${/^[\w./-]+$/.test(copy) ? copy : JSON.stringify(copy)}`]
}

/** The argument of `npm install` for greenroom. */
export function installWord(published = isPublished): string {
  return published ? 'greenroom' : `./${tarball}`
}

/** The path of the running copy of greenroom, relative to a folder, with slashes. */
export function ownCopy(folder: string): string {
  const copy = dirname(createRequire(import.meta.url).resolve('greenroom/package.json'))
  const path = relative(folder, copy).replaceAll('\\', '/')
  // On another drive of Windows, the path stays absolute.
  return path.startsWith('.') || isAbsolute(path) ? path : `./${path}`
}
