import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @type {string | undefined} */
let all

/** A new folder, which is there until the process ends. */
export function ownFolder() {
  all ??= begun()
  return mkdtempSync(join(all, 'part-'))
}

function begun() {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
