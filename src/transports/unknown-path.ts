import { networkError } from './fetch/connection-errors.ts'

/**
 * What becomes of a request that the gateway doesn't serve, in MSW's words. `warn` and `error` print what was meant, once for
 * each path; with `warn` the gateway answers, with `error` the request fails. `bypass` leaves it to the handlers behind, and
 * then to the network. Of a function's own, `print` has both.
 *
 * @example
 * import { getResponse, http, HttpResponse } from 'msw'
 * const onUnknownPath: UnknownPathStrategy = 'bypass'
 * const own = http.get('https://gateway.example/hello', () => HttpResponse.text('hello'))
 * const handlers = [...sim.handlers({ baseUrl: 'https://gateway.example', onUnknownPath }), own]
 * const response = await getResponse(handlers, new Request('https://gateway.example/hello'))
 * await response?.text() // → 'hello'
 */
export type UnknownPathStrategy = 'warn' | 'error' | 'bypass' | UnknownPathCallback

/**
 * Says what becomes of a request that the gateway doesn't serve: unless it prints something, the gateway answers with an error.
 *
 * @example
 * const onUnknownPath: UnknownPathCallback = ({ url }, print) => {
 *   if (!url.endsWith('/favicon.ico')) print.error()
 * }
 * const handlers = sim.handlers({ baseUrl: 'https://gateway.example', onUnknownPath })
 */
export type UnknownPathCallback = (
  request: Request,
  print: { warning: () => void; error: () => void },
) => void

/** So many different paths are told of; a client that makes them up would fill memory. */
const maxListed = 1_000

/**
 * Makes what is called for every request that nobody serves.
 *
 * @returns a function that gives the response with which the request fails, or undefined where the gateway is to answer.
 */
export function unknownPathReport(
  strategy: Exclude<UnknownPathStrategy, 'bypass'>,
): (request: Request, hint: string) => Response | undefined {
  const told = new Set<string>()
  return (request, hint) => {
    const { origin, pathname } = new URL(request.url)
    const what = `${request.method} ${origin}${pathname}`
    const isNew = !told.has(what) && told.size < maxListed
    let failed: Response | undefined
    const print = {
      warning: () => {
        if (isNew) console.warn(`[greenroom] Warning: ${sentences(what, hint, 'It answered with an error.')}`)
      },
      error: () => {
        if (isNew) console.error(`[greenroom] Error: ${sentences(what, hint, 'The request fails.')}`)
        const message = `greenroom: the gateway doesn't serve ${what}.${hint === '' ? '' : ` ${hint}`}`
        failed = networkError(new TypeError('fetch failed', { cause: new Error(message) }))
      },
    }
    if (typeof strategy === 'function') strategy(request, print)
    else if (strategy === 'warn') print.warning()
    else print.error()
    told.add(what)
    return failed
  }
}

function sentences(what: string, hint: string, outcome: string): string {
  return (
    `the gateway doesn't serve this path:\n\n  \u2022 ${what}\n\n` +
    `${outcome}${hint === '' ? '' : ` ${hint}`}\nTo answer it yourself, put a handler of your own in front: server.use(…).`
  )
}
