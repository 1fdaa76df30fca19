import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { didYouMean } from '../engine/did-you-mean.ts'

/** Why a file could not be read or written, in a few words. */
export function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return (code !== undefined && reasons.get(code)) || message
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EEXIST', 'a part of its path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
])

/** The message for a file that could not be read, with the name of a similar file if it does not exist. */
export function readFailure(path: string, error: unknown, advice: string): string {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  // A shell leaves a pattern as it is if no file matches.
  if (isMissing && /[*?]/.test(path)) return `Failed to read ${path}: no file matches this pattern. ${advice}`
  const hint = isMissing ? didYouMean(basename(path), neighboursOf(path)) : ''
  return `Failed to read ${path}: ${describeFileError(error)}.${hint} ${advice}`
}

/** The message for a file that could not be written. It names the folder if that does not exist. */
export function writeFailure(path: string, error: unknown, advice: string): string {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  const why = isMissing ? `the folder ${dirname(path)} does not exist` : describeFileError(error)
  return `Failed to write ${path}: ${why}. ${advice}`
}

const maxNeighbours = 1_000

function neighboursOf(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path)).slice(0, maxNeighbours)
  } catch {
    return []
  }
}
