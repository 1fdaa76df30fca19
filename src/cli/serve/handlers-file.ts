import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ModuleError, runModule } from '../../scenario/files/run-module.ts'
import type { CreateMiddleware, OwnHandlers, OwnMsw } from '../../server/own-handlers.ts'
import { FileError } from '../terminal/command.ts'

/** What of a handler of either major tells what it is. */
interface HandlerLike {
  readonly info?: { readonly header?: unknown; readonly path?: unknown }
  readonly run?: unknown
}

const howTo = "Write export const handlers = [http.get('*/v1/models', …)], or export the list as default."

/**
 * Runs a file that exports handlers of MSW, and finds the msw that made them: that of the file.
 *
 * @param warn told of handlers that no request can reach.
 * @throws {FileError} for a file that isn't there, can't be run or exports no handlers, and where msw is missing.
 */
export async function readHandlers(path: string, warn: (message: string) => void): Promise<OwnHandlers> {
  const text = read(path)
  const msw = await ownMsw(path)
  const list = listOf(path, await run(path, text)).filter((handler, index) => {
    const problem = problemOf(handler)
    if (problem === undefined) return true
    if (!isWebSocketHandler(handler)) throw new FileError(`${path} handlers[${index}] ${problem} ${howTo}`)
    warn(`${path} handlers[${index}] is for WebSockets, which the gateway has none of; it is left out.`)
    return false
  })
  for (const [index, handler] of list.entries()) warnOfOtherAddress(path, index, handler, warn)
  return { list, msw, createMiddleware: await createMiddlewareFor(path, msw) }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'it is not there' : code === 'EISDIR' ? 'it is a folder' : message
    throw new FileError(
      `Failed to read ${path}: ${why}. Give the path of a TypeScript or JavaScript file that exports handlers of MSW.`,
    )
  }
}

async function run(path: string, text: string): Promise<unknown> {
  try {
    return await runModule(path, text)
  } catch (error) {
    if (error instanceof ModuleError) throw new FileError(error.message)
    throw error
  }
}

function listOf(path: string, exported: unknown): unknown[] {
  const { default: usual, handlers = usual } = (exported ?? {}) as { default?: unknown; handlers?: unknown }
  if (Array.isArray(handlers) && handlers.length > 0) return handlers.flat()
  const found =
    handlers === undefined
      ? 'exports no handlers'
      : Array.isArray(handlers)
        ? 'exports an empty list'
        : `exports ${typeof handlers === 'object' ? 'an object' : `a ${typeof handlers}`} as its handlers`
  throw new FileError(`${path} ${found}. ${howTo}`)
}

function problemOf(handler: unknown): string | undefined {
  if (typeof handler !== 'object' || handler === null) return `is a ${typeof handler}: no handler of MSW.`
  const { info, run: runs } = handler as HandlerLike
  return typeof runs === 'function' && info?.header !== undefined ? undefined : 'is no handler of MSW.'
}

function isWebSocketHandler(handler: unknown): boolean {
  return typeof handler === 'object' && handler !== null && 'url' in handler && 'run' in handler
}

/** The server has an address of its own: a handler for another one is never asked. */
function warnOfOtherAddress(
  path: string,
  index: number,
  handler: unknown,
  warn: (message: string) => void,
): void {
  const { info } = handler as HandlerLike
  if (typeof info?.path !== 'string' || !/^https?:\/\//i.test(info.path)) return
  const own = info.path.replace(/^https?:\/\/[^/]*/i, '*')
  warn(
    `${path} handlers[${index}] is for ${info.path}, and this server has another address. Write "${own}" to have it asked here, too.`,
  )
}

async function ownMsw(path: string): Promise<OwnMsw> {
  const near = createRequire(path)
  try {
    const { version } = near('msw/package.json') as { version: string }
    // One after the other: Node can't require a module that is still being imported.
    const loaded = (await import(pathToFileURL(near.resolve('msw')).href)) as OwnMsw & { default?: OwnMsw }
    // Node doesn't see the names that every CommonJS module exports.
    const { http, getResponse } = loaded.http === undefined ? loaded.default! : loaded
    return { version, http, getResponse }
  } catch {
    throw new FileError(
      `${path} needs msw, which was not found beside it. Install it there: npm install --save-dev msw.`,
    )
  }
}

/** `@mswjs/http-middleware`, where it is installed and the msw that it sees is the second, as the file's is. */
async function createMiddlewareFor(path: string, { version }: OwnMsw): Promise<CreateMiddleware | undefined> {
  if (!version.startsWith('2.')) return undefined
  try {
    const place = createRequire(path).resolve('@mswjs/http-middleware')
    const seen = createRequire(place)('msw/package.json') as { version: string }
    if (!seen.version.startsWith('2.')) return undefined
    return (createRequire(place)(place) as { createMiddleware: CreateMiddleware }).createMiddleware
  } catch {
    return undefined
  }
}
