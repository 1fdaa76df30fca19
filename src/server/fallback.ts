import type { Simulator } from '../simulator/simulator.ts'
import { createForward, describeFailure } from './forward.ts'
import type { Interceptor } from './user-handlers.ts'

/**
 * Forwards requests that no operation serves to another gateway.
 *
 * @param simulator returns the simulator once it has started.
 */
export function createFallback(target: URL, simulator: () => Simulator): Interceptor {
  const forward = createForward({
    target,
    onFailure: (error, _request, response) => {
      const status = error.code === 'ELOOP' ? 508 : 502
      const message = describeFailure(error, target)
      const body = JSON.stringify({ error: { code: 'fallback_failed', message, type: 'new_api_error' } })
      response.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      })
      response.end(body)
    },
  })
  return (request, response, pass) => {
    const { method = '', url = '', headers } = request
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    const wanted = isPreflight ? String(headers['access-control-request-method']) : method
    if (url === '/' || simulator().unserved(wanted, url) === undefined) return pass(request)
    // The target has no namespaces.
    request.url = url.replace(/^\/ns\/[^/?]+(?=\/)/, '')
    forward(request, response)
  }
}
