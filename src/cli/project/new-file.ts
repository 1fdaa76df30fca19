import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { replaceFile } from '../../media/cache/write-files.ts'
import { describeFileError } from '../../files/file-error.ts'
import { FileError } from '../terminal/command.ts'
import { packageFolder } from './project.ts'

/** A file that is written completely or not at all. */
interface NewFile {
  /**
   * Writes the file atomically.
   * @throws {FileError} if that fails, or if another file appeared meanwhile.
   */
  readonly put: (bytes: Uint8Array) => Promise<void>
  /** Removes the draft. */
  readonly close: () => Promise<void>
}

/**
 * Starts a file before its content is made, so that problems appear early.
 *
 * @param options.replace whether another file may be replaced.
 * @throws {FileError} if there is a file that may not be replaced, or if the folder can't be written.
 */
export async function startFile(path: string, { replace }: { replace: boolean }): Promise<NewFile> {
  checkPath(path, replace)
  // If it is a link, its target is replaced, and the link stays.
  const target = existsSync(path) ? realpathSync(path) : path
  const draft = await createDraft(target)
  return {
    async put(bytes) {
      const file = join(draft, 'draft')
      try {
        await writeFile(file, bytes)
        checkPath(path, replace)
        await replaceFile(file, target)
      } catch (error) {
        if (error instanceof FileError) throw error
        throw new FileError(
          `Failed to write ${path}: ${describeFileError(error)}. Free some room, or name another file.`,
        )
      }
    },
    close: () => rm(draft, { recursive: true, force: true }),
  }
}

/** The line by which editors find a schema in the package of the project in `folder`. */
export function schemaLine(path: string, folder: string, schema: 'config' | 'scenario'): string {
  const way = relative(dirname(path), join(packageFolder(folder), `schema/${schema}.schema.json`)).replaceAll(
    '\\',
    '/',
  )
  // On another drive of Windows.
  const isWhole = isAbsolute(way)
  return `# yaml-language-server: $schema=${isWhole || way.startsWith('.') ? way : `./${way}`}`
}

function checkPath(path: string, replace: boolean): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'not a regular file'
    throw new FileError(`Failed to write ${path}: it is ${what}. Name a file, such as clip.mp4.`)
  }
  if (!replace) throw new FileError(`Failed to write ${path}: it exists. Use --force to replace it.`)
}

/** In the same folder, and so on the same disk, because only there a rename is atomic. */
async function createDraft(path: string): Promise<string> {
  const folder = dirname(path)
  try {
    return await mkdtemp(join(folder, '.greenroom-draft-'))
  } catch (error) {
    throw new FileError(
      `Failed to write ${path}: the folder ${folder} can't be written, ${describeFileError(error)}. Create it, or name another.`,
    )
  }
}
