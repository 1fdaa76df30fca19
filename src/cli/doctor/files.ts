import { existsSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { defaultCacheFolder } from '../../media/cache/disk-cache.ts'
import { makeFolder } from '../../media/cache/make-folder.ts'
import type { Finding, Setting } from './check.ts'

/** Checks the folders that greenroom writes to. */
export function findFiles({ config: { cacheDir, state }, folder }: Setting): Finding[] {
  return [
    cacheDir === false
      ? { name: 'cache', status: 'ok', found: 'in memory only' }
      : findCache(cacheDir ?? defaultCacheFolder()),
    ...(state === undefined ? [] : [findState(state)]),
    findWorkingFolder(folder),
  ]
}

function findCache(path: string): Finding {
  const name = 'cache'
  const problem = tryToWrite(path)
  if (problem === undefined) return { name, status: 'ok', found: `${path} (${describeSize(path)})` }
  const advice =
    'Choose another folder by --cache-dir, or --cache-dir false; until then, clips are cached in memory only.'
  return { name, status: 'warning', found: `${path} can't be written: ${problem}`, advice }
}

function findState(path: string): Finding {
  const name = 'state'
  const problem = tryToWrite(path)
  if (problem === undefined) return { name, status: 'ok', found: `${path} (${describeSize(path)})` }
  const advice =
    'Choose another folder by --state or in the config file: greenroom serve does not start with it.'
  return { name, status: 'error', found: `${path} can't be written: ${problem}`, advice }
}

function findWorkingFolder(path: string): Finding {
  const name = 'folder'
  const problem = tryToWrite(path)
  if (problem === undefined) return { name, status: 'ok', found: `${path} can be written` }
  const advice = 'Write reports and recordings to another folder, by their full path.'
  return { name, status: 'warning', found: `${path} can't be written: ${problem}`, advice }
}

/** @returns why files can't be written there; undefined if they can. Leaves no files behind. */
function tryToWrite(folder: string): string | undefined {
  const isNew = !existsSync(folder)
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, '.greenroom-doctor-')))
    if (isNew) rmdirSync(folder)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function describeSize(folder: string): string {
  if (!existsSync(folder)) return 'new'
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.isFile() ? found.size : 0
  })
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  return `${megabytes.toFixed(1)} MB`
}
