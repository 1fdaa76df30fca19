import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

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
export function checkMetaPages(path: string): string | undefined {
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
