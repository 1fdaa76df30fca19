import { basename, resolve } from 'node:path'
import type { Interceptor } from '../../server/interceptor.ts'
import type { OwnHandlers } from '../../server/own-handlers.ts'
import { FileError } from '../terminal/command.ts'
import { textOf } from '../terminal/flags.ts'

/** A user's own handlers, as `serve` has them. */
export interface ServedHandlers {
  readonly path: string
  readonly inFront: Interceptor
  /** What they are and how they are served, for the banner. */
  readonly summary: string
  /** Reads the file again; one that can't be used changes nothing. Never throws. */
  readonly reload: () => Promise<void>
}

/**
 * Reads the file of `--handlers` and makes a way to its handlers. msw and Express are loaded here, and nowhere else.
 *
 * @param flag what was said on the command line, if anything was.
 * @throws {FileError} for a file that can't be used.
 */
export async function servedHandlers(
  flag: unknown,
  {
    folder,
    bodyLimitBytes,
    warn,
  }: { folder: string; bodyLimitBytes: number; warn: (message: string) => void },
): Promise<ServedHandlers | undefined> {
  if (flag === undefined) return undefined
  const path = resolve(folder, textOf('handlers', flag))
  const { readHandlers } = await import('./handlers-file.ts')
  const { handlersInFront } = await import('../../server/handlers-in-front.ts')
  const mount = async (own: OwnHandlers): Promise<Interceptor> =>
    handlersInFront(own, { bodyLimitBytes, onWarning: warn })
  const first = await readHandlers(path, warn)
  let current = await mount(first)
  return {
    path,
    summary: `${basename(path)}: ${count(first)}, ${wayOf(first)}`,
    inFront: (request, response, gateway) => current(request, response, gateway),
    reload: async () => {
      try {
        const own = await readHandlers(path, warn)
        current = await mount(own)
        warn(`${basename(path)} was read again: ${count(own)} from now on.`)
      } catch (error) {
        const message = error instanceof FileError ? error.message : `${path} ${(error as Error).message}`
        warn(`${message}\ngreenroom goes on with the handlers of before.`)
      }
    },
  }
}

function count({ list }: OwnHandlers): string {
  return list.length === 1 ? '1 handler' : `${list.length} handlers`
}

function wayOf({ msw, createMiddleware }: OwnHandlers): string {
  return createMiddleware
    ? `of msw ${msw.version}, by @mswjs/http-middleware on Express`
    : `of msw ${msw.version}, by its getResponse`
}
