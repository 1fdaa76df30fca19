import { createRequire } from 'node:module'
import { dirname, isAbsolute, relative } from 'node:path'
import { version } from '../../version.ts'

/**
 * Whether npm's registry has greenroom. On the day of its publication, change this line and run `node scripts/docs.js`:
 * `init`, the README and the tutorials then install it by its name. Until then, anyone may take the name.
 */
export const isPublished: boolean = false

/** The tarball that `npm pack` writes. */
export const tarball = `greenroom-${version}.tgz`

/** The dependency of a `package.json`, as npm itself writes it. */
export const dependency = isPublished ? `^${version}` : `file:${tarball}`

/** Packs a copy of greenroom into the working folder; nothing once npm's registry has it. */
export function packLines(copy: string, published = isPublished): string[] {
  if (published) return []
  // npm runs the scripts of a folder, and an installed copy does not have the files that they name.
  const scripts = copy.includes('node_modules') ? '--ignore-scripts ' : ''
  return [`npm pack ${scripts}${/^[\w./-]+$/.test(copy) ? copy : JSON.stringify(copy)}`]
}

/** What `npm install` takes for greenroom. */
export function installWord(published = isPublished): string {
  return published ? 'greenroom' : `./${tarball}`
}

/** The copy of greenroom that runs, from a folder; a path with slashes. */
export function ownCopy(folder: string): string {
  const copy = dirname(createRequire(import.meta.url).resolve('greenroom/package.json'))
  const path = relative(folder, copy).replaceAll('\\', '/')
  // On another drive of Windows, the path stays absolute.
  return path.startsWith('.') || isAbsolute(path) ? path : `./${path}`
}
