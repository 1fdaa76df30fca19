import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isInside } from '../../media/served-file.ts'
import type { CommandOutcome } from '../../judge/index.ts'

/** Larger files are neither hashed nor compared. */
const maxFileBytes = 512 * 1024 * 1024

/** Larger files are hashed, but not compared as text. */
const maxTextBytes = 1_000_000

/**
 * Records the state of an expected file before the run, so that a file of an earlier run does not count.
 *
 * @param folders the file must be inside one of these folders. The first that contains it counts.
 * @returns a function that reads the file after the run.
 */
export async function watchExpectedFile(
  path: string,
  folders: readonly string[],
): Promise<() => Promise<NonNullable<CommandOutcome['file']>>> {
  const before = await Promise.all(folders.map((folder) => stampOf(resolve(folder, path))))
  return async () => {
    const after = await Promise.all(folders.map((folder) => stampOf(resolve(folder, path))))
    const isWritten = after.map((stamp, index) => stamp !== undefined && stamp !== before[index])
    const index = isWritten.includes(true) ? isWritten.indexOf(true) : after.findIndex((stamp) => stamp)
    if (index === -1) return { problem: `there is no file ${path}` }
    if (!isWritten[index]) {
      return { problem: `${path} was there before the run, and the command did not write it` }
    }
    return readExpectedFile(path, resolve(folders[index]!, path), folders).catch(({ message }: Error) => ({
      problem: `${path} could not be read: ${message}`,
    }))
  }
}

/** A stamp that changes with every write, even if size and content stay the same. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
}

async function readExpectedFile(
  path: string,
  resolved: string,
  folders: readonly string[],
): Promise<NonNullable<CommandOutcome['file']>> {
  const real = await realpath(resolved)
  const roots = await Promise.all(folders.map((folder) => realpath(folder)))
  if (!roots.some((root) => isInside(root, real))) {
    return { problem: `${path} is outside of the working folder and the folder of the scenario` }
  }
  const found = await stat(real)
  if (!found.isFile()) return { problem: `${path} is not a regular file` }
  if (found.size > maxFileBytes) {
    return { problem: `${path} has ${found.size} bytes, more than the limit of ${maxFileBytes}` }
  }
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(real, { end: maxFileBytes }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (found.size <= maxTextBytes) chunks.push(chunk)
  }
  const text = found.size <= maxTextBytes ? { text: Buffer.concat(chunks).toString('utf8') } : {}
  return { sha256: hash.digest('hex'), ...text }
}
