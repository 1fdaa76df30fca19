import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { replaceFile } from '../../media/cache/write-files.ts'
import { ServerError } from '../server.ts'
import { reserveBytes } from './state-store.ts'
import type { Copied } from './copy-state.js'

/** Folders in which files are written before they are renamed into place. */
const draftPrefix = 'draft-'
/** The signals by which LMDB ends a process because of damaged pages. Other signals come from outside. */
const crashes: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGABRT', 'SIGILL', 'SIGTRAP'])
/** A large state takes seconds to read. */
const maxReadMs = 600_000

/**
 * Reads every value of a state in a child process, and replaces the file by a new one with the same values. So the server
 * uses no page that another program wrote, and the file is as small as its content.
 *
 * @param checkHead throws for a header that the present greenroom can't read.
 * @throws {ServerError} for a damaged file; {Error} of LMDB or the system if there is no room for the copy.
 */
export async function replaceByVerifiedCopy(path: string, checkHead: (head: unknown) => void): Promise<void> {
  const problem = checkMetaPages(path)
  if (problem === 'foreign') throw notOurs(path)
  if (problem !== undefined) throw damageError(path, problem)
  const { head, stored, sum, error } = await withDraft(path, async (draft) => {
    checkRoom(path)
    // The lock file describes readers whose process has ended, and may be damaged too.
    rmSync(`${path}-lock`, { force: true })
    const copied = await runCopy(path, draft)
    if (copied.sum === undefined) throw readError(path)
    if (copied.stored === copied.sum && !copied.error) await putInPlace(draft, path)
    return { ...copied, sum: copied.sum }
  })
  const isEmpty = stored === undefined && (JSON.parse(sum) as [number])[0] === 0
  if (head === undefined && !isEmpty) throw damageError(path, describeLoss(stored, sum))
  // Other formats have other sums.
  checkHead(parse(head))
  if (error) throw Object.assign(new Error(error.message), error)
  if (stored !== sum) throw damageError(path, describeLoss(stored, sum))
}

/**
 * Creates a file. It gets its name when it is complete, so an incomplete file under that name is always damage.
 * @param fill writes the file at the given path.
 */
export async function createFile(path: string, fill: (draft: string) => Promise<void>): Promise<void> {
  await withDraft(path, async (draft) => {
    await fill(draft)
    await putInPlace(draft, path)
  })
}

async function withDraft<Result>(path: string, work: (draft: string) => Promise<Result>): Promise<Result> {
  const folder = dirname(path)
  // A killed start has left these.
  for (const name of readdirSync(folder))
    if (name.startsWith(draftPrefix)) rmSync(join(folder, name), { recursive: true, force: true })
  const draft = mkdtempSync(join(folder, draftPrefix))
  try {
    return await work(join(draft, 'state.mdb'))
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function putInPlace(draft: string, path: string): Promise<void> {
  chmodSync(draft, 0o600)
  await replaceFile(draft, path)
}

/** Checks the free space, since LMDB may end its process by a signal on a full disk. */
function checkRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize > statSync(path).size + reserveBytes) return
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
}

/** @throws {ServerError} if the child process ends before it has read everything. */
async function runCopy(from: string, to: string): Promise<Copied> {
  const program = fileURLToPath(new URL('./copy-state.js', import.meta.url))
  // Loaders, inspectors and coverage of an embedding test runner must not run in this process.
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...env } = process.env
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
    windowsHide: true,
  })
  const watchdog = hostTimers.setTimeout(() => child.kill('SIGKILL'), maxReadMs)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  // The pipe breaks when the process ends. Its exit code says more.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ from, to }))
  try {
    const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (status === 0) return JSON.parse(output) as Copied
    // Windows has no signals, but exit codes of its own.
    if (crashes.has(signal ?? '') || (status ?? 0) > 1) throw readError(from)
    throw new ServerError(
      `Failed to verify the state in ${from}: the process that reads it ended with ${signal ?? `status ${status}`}. Try again.`,
    )
  } finally {
    hostTimers.clearTimeout(watchdog)
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

function describeLoss(stored: string | undefined, sum: string): string {
  const [expected] = (parse(stored) ?? []) as unknown[]
  const [found] = JSON.parse(sum) as [number]
  return Number.isInteger(expected) && expected !== found
    ? `${found} of ${String(expected)} values can be read`
    : 'its values do not match their digest'
}

export function notOurs(path: string): ServerError {
  return new ServerError(
    `${dirname(path)} has no state of greenroom in ${basename(path)}, or a damaged one. ` +
      'Restore a copy of that file, or give another folder.',
  )
}

function readError(path: string): ServerError {
  return damageError(path, 'LMDB fails to read it')
}

function damageError(path: string, what: string): ServerError {
  return new ServerError(
    `The state in ${path} is damaged: ${what}. Restore a copy of that file, or move it away to start without its tasks.`,
  )
}

/** The magic number in the first two pages of an LMDB file. */
const magic = 0xbeefc0de
const dataVersion = 2

/** Offsets in a page, in the format of LMDB 0.9.90, which the package lmdb contains. */
const at = { flags: 18, magic: 24, version: 28, pageSize: 48, roots: [88, 136], transaction: 152 } as const
const metaFlag = 8
const noRoot = 0xffff_ffff_ffff_ffffn
const metaBytes = 160

/**
 * Compares the two meta pages of an LMDB file with each other and with its size, because LMDB trusts them. Without this
 * check, a truncated file would end the process by a signal. A damaged page would make LMDB continue from the previous
 * transaction.
 *
 * @returns what is wrong, or `foreign` for a file of another format; undefined if nothing is wrong.
 */
function checkMetaPages(path: string): string | undefined {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size === 0) return 'it is empty'
    const first = readAt(file, 0)
    if (first.readUInt32LE(at.magic) !== magic) return 'foreign'
    const pageSize = first.readUInt32LE(at.pageSize)
    if (size < metaBytes) return `it ends after ${size} bytes`
    const isPageSize = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0
    if (!isPageSize) return 'page 0 does not describe it'
    if (size < 2 * pageSize) return `it ends after ${size} bytes`
    const second = readAt(file, pageSize)
    const pages = [first, second]
    for (const [index, page] of pages.entries()) {
      const isMeta =
        page.readBigUInt64LE(0) === BigInt(index) &&
        (page.readUInt16LE(at.flags) & metaFlag) !== 0 &&
        page.readUInt32LE(at.magic) === magic &&
        page.readUInt32LE(at.version) === dataVersion &&
        page.readUInt32LE(at.pageSize) === pageSize
      if (!isMeta) return `page ${index} does not describe it`
    }
    const [one, other] = pages.map((page) => page.readBigUInt64LE(at.transaction)) as [bigint, bigint]
    // Transactions write the two pages alternately.
    const isSequence = one === other ? one === 0n : one - other === 1n || other - one === 1n
    if (!isSequence) return 'its first two pages are not from successive transactions'
    const latest = one > other ? first : second
    for (const offset of at.roots) {
      const root = latest.readBigUInt64LE(offset)
      if (root !== noRoot && (root + 1n) * BigInt(pageSize) > BigInt(size))
        return `it ends after ${size} bytes`
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

/** Bytes beyond the end of the file read as zeros. */
function readAt(file: number, position: number): Buffer {
  const page = Buffer.alloc(metaBytes)
  readSync(file, page, 0, metaBytes, position)
  return page
}
