import type { Simulator } from '../../simulator/simulator.ts'
import { answerRequest } from './fetch-door.ts'
import { askedOf, followed } from './redirects.ts'

/** Where a request goes that names no host. */
export const directOrigin = 'http://greenroom.localhost'

/**
 * A `fetch` that needs no port: pass it wherever a client takes one.
 *
 * Every host is answered, so a client keeps the base address it has; a path alone works too. What names no host at all,
 * such as a `data:` address, is no request to a gateway: the usual `fetch` answers it. Redirects are followed by the Fetch
 * standard, whatever host they lead to.
 *
 * @example
 * const fetch = createFetch(sim.core)
 * const response = await fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
 * response.status // → 200
 */
export function createFetch(simulator: Simulator): typeof fetch {
  return async (input, init) => {
    const target = typeof input === 'string' && input.startsWith('/') ? directOrigin + input : input
    const asked = askedOf(target, init)
    const { protocol } = new URL(asked.request.url)
    if (protocol !== 'http:' && protocol !== 'https:') return fetch(asked.request)
    return followed(asked, async (request) => {
      const { origin } = new URL(request.url)
      const answer = await answerRequest(simulator, request, { door: 'direct', origin, prefix: '' })
      if (answer instanceof Error) throw answer
      return answer
    })
  }
}
