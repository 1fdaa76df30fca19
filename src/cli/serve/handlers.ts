import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readUserText } from '../../files/read-file.ts'
import { runModule } from '../../files/code/run-module.ts'
import { handlersInFront } from '../../server/handlers-in-front.ts'
import type { Interceptor, OwnMsw, UserHandlers } from '../../server/user-handlers.ts'
import { FileError } from '../terminal/command.ts'
import { describeReloadFailure } from './config-reload.ts'

/** The user's own handlers, which run before a server. */
export interface ServedHandlers {
  readonly path: string
  readonly inFront: Interceptor
  /** Their number and how they are served, for the banner. */
  readonly summary: string
  /** Reads the file again. An invalid file changes nothing. Never rejects. */
  readonly reload: () => Promise<void>
}

/**
 * Serves the handlers of a file. Only this loads MSW and Express.
 * @throws {FileError} for a file that can't be used.
 */
export async function serveHandlers(
  path: string,
  { bodyLimitBytes, warn }: { bodyLimitBytes: number; warn: (message: string) => void },
): Promise<ServedHandlers> {
  const name = basename(path)
  const onWarning = (message: string): void => warn(`warning: ${message}`)
  const mount = async (own: UserHandlers): Promise<Interceptor> =>
    handlersInFront(own, { bodyLimitBytes, onWarning })
  const first = await readHandlers(path, onWarning)
  let current = await mount(first)
  return {
    path,
    summary: `${name}: ${countHandlers(first)}, of msw ${first.msw.version}`,
    inFront: (request, response, gateway) => current(request, response, gateway),
    reload: async () => {
      try {
        const own = await readHandlers(path, onWarning)
        current = await mount(own)
        warn(`${name} reloaded: ${countHandlers(own)}.`)
      } catch (error) {
        warn(`${describeReloadFailure(path, error)}\nhint: The previous handlers stay in use.`)
      }
    },
  }
}

function countHandlers({ list }: UserHandlers): string {
  return list.length === 1 ? '1 handler' : `${list.length} handlers`
}

const use = {
  advice: 'Name a TypeScript or JavaScript file that exports MSW handlers.',
  largeAdvice: 'Split it.',
}
const advice = "Write export const handlers = [http.get('*/your/path', …)], or export the list as default."

/**
 * Runs a file that exports MSW handlers, and finds the packages that serve them.
 * @param warn called for handlers that no request can reach.
 * @throws {FileError} for a file that is missing, can't be run or exports no handlers, and if a package is missing.
 */
async function readHandlers(path: string, warn: (message: string) => void): Promise<UserHandlers> {
  const text = readUserText(path, use)
  const packages = await importPackages(path)
  const exported = await runModule(path, text)
  const list = findList(path, exported).filter((handler, index) => {
    const problem = findProblem(handler)
    if (problem === undefined) return true
    if (!isWebSocketHandler(handler)) throw new FileError(`${path}: handlers[${index}] ${problem} ${advice}`)
    warn(`${path}: handlers[${index}] is for WebSockets, which the gateway does not have. It is ignored.`)
    return false
  })
  for (const [index, handler] of list.entries()) warnOfOtherOrigin(path, index, handler, warn)
  return { list, ...packages }
}

function findList(path: string, exported: unknown): unknown[] {
  const { default: main, handlers = main } = (exported ?? {}) as { default?: unknown; handlers?: unknown }
  if (Array.isArray(handlers) && handlers.length > 0) return handlers.flat()
  const found =
    handlers === undefined
      ? 'exports no handlers'
      : Array.isArray(handlers)
        ? 'exports an empty list'
        : `exports ${typeof handlers === 'object' ? 'an object' : `a ${typeof handlers}`} as its handlers`
  throw new FileError(`${path}: ${found}. ${advice}`)
}

/** The properties of a handler, in either major version of msw. */
interface HandlerLike {
  readonly info?: { readonly header?: unknown; readonly path?: unknown }
  readonly run?: unknown
}

function findProblem(handler: unknown): string | undefined {
  if (typeof handler !== 'object' || handler === null) return `is a ${typeof handler}, not an MSW handler.`
  const { info, run } = handler as HandlerLike
  return typeof run === 'function' && info?.header !== undefined ? undefined : 'is not an MSW handler.'
}

function isWebSocketHandler(handler: unknown): boolean {
  return typeof handler === 'object' && handler !== null && 'url' in handler && 'run' in handler
}

/** Warns of a handler for another origin. It never matches, because the server has a URL of its own. */
function warnOfOtherOrigin(
  path: string,
  index: number,
  handler: unknown,
  warn: (message: string) => void,
): void {
  const { info } = handler as HandlerLike
  if (typeof info?.path !== 'string' || !/^https?:\/\//i.test(info.path)) return
  const pattern = info.path.replace(/^https?:\/\/[^/]*/i, '*')
  warn(
    `${path}: handlers[${index}] is for ${info.path}, but this server has another URL. Write "${pattern}".`,
  )
}

async function importPackages(path: string): Promise<Pick<UserHandlers, 'msw' | 'createMiddleware'>> {
  const requireNear = createRequire(path)
  try {
    const { version } = requireNear('msw/package.json') as { version: string }
    if (!version.startsWith('2.')) throw new Error('another major version')
    // Node can't require a module that is still being imported, so this waits.
    const loaded = (await import(pathToFileURL(requireNear.resolve('msw')).href)) as OwnMsw & {
      default?: OwnMsw
    }
    // Node doesn't detect every export of CommonJS modules.
    const { http, getResponse } = loaded.http === undefined ? loaded.default! : loaded
    const { createMiddleware } = requireNear('@mswjs/http-middleware') as Pick<
      UserHandlers,
      'createMiddleware'
    >
    return { msw: { version, http, getResponse }, createMiddleware }
  } catch {
    throw new FileError(
      `${path}: needs msw 2 and @mswjs/http-middleware, which were not found. ` +
        'Install them: npm install --save-dev msw@2 @mswjs/http-middleware.',
    )
  }
}
