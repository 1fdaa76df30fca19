import { AsyncLocalStorage } from 'node:async_hooks'
import type { ClientRequest } from 'node:http'
import https from 'node:https'
import { basename, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readStack } from './stack.ts'

// An `import` would load undici, which a program without `fetch` does not need: see `transports/http/node-http.ts`.
const http = process.getBuiltinModule('node:http')

const maxLength = 160

/** Enough for the program itself to be among the callers of an SDK. */
const maxFrames = 50

/** Enough to name the caller of a function that sends all requests, even through another that repeats them. */
const maxLines = 4

/** Such as `    at async send (file:///work/client.js:42:10)`. */
const frame = /^\s*at (?:async )?(?:(.*) )?\(?((?:file:\/\/)?[^\s(]+):(\d+):\d+\)?$/

const own = fileURLToPath(import.meta.url)
const startFolder = process.cwd() + sep

/** The place of a `fetch`, which Node sends later, when the program is not among the callers any more. */
const callers = new AsyncLocalStorage<string>()

/**
 * The lines of the program that send a request, innermost first, such as `client.js:42 from client.js:57`, for messages about the
 * request: those that belong neither to Node nor to a package; undefined if there is none.
 */
export function findCaller(): string | undefined {
  const noted = callers.getStore()
  if (noted !== undefined) return noted
  const lines: string[] = []
  let lastCalled = ''
  for (const line of readStack(maxFrames)) {
    const [, called = '', file = '', number = ''] = frame.exec(line) ?? []
    const name = shortName(file)
    // A function that calls itself to repeat a request is no caller of interest.
    if (name === undefined || (called !== '' && called === lastCalled)) continue
    lastCalled = called
    const place = `${name.slice(-maxLength)}:${number}`
    if (place !== lines.at(-1)) lines.push(place)
    if (lines.length === maxLines) break
  }
  return lines.length === 0 ? undefined : lines.join(' from ')
}

/** A file as seen from the folder in which the program started, which is the same on each machine. */
function shortName(file: string): string | undefined {
  if (file === '' || file.startsWith('node:') || /[\\/]node_modules[\\/]/.test(file)) return undefined
  const path = file.startsWith('file://') ? fileURLToPath(file) : file
  if (path === own) return undefined
  return path.startsWith(startFolder) ? path.slice(startFolder.length).replaceAll(sep, '/') : basename(path)
}

/** The places of requests of `node:http`. */
const places = new WeakMap<ClientRequest, string>()

/** The line of the program that sent a request of `node:http`; undefined if it is unknown. */
export const callerOf = (request: ClientRequest): string | undefined => places.get(request)

/** Lets all that sends a request note its caller. */
export function watchCalls(): void {
  watchFetchCalls()
  for (const module of [http, https])
    for (const name of ['request', 'get'] as const) {
      const native = module[name] as (...words: unknown[]) => ClientRequest
      const noted = (...words: unknown[]): ClientRequest => {
        const request = native(...words)
        const place = findCaller()
        if (place !== undefined) places.set(request, place)
        return request
      }
      Object.defineProperty(noted, 'name', { value: name })
      Object.assign(module, { [name]: noted })
    }
}

function watchFetchCalls(): void {
  const native = globalThis.fetch
  const noted = (...[input, init]: Parameters<typeof fetch>): ReturnType<typeof fetch> => {
    const place = findCaller()
    return place === undefined ? native(input, init) : callers.run(place, () => native(input, init))
  }
  Object.defineProperty(noted, 'name', { value: 'fetch' })
  globalThis.fetch = noted
}
