import { editDistance } from '../engine/did-you-mean.ts'
import { readAddress } from './address.ts'
import { invalidUrl, notImplemented, type GatewayError } from './errors.ts'
import type { Route } from './route.ts'
import type { Router } from './router.ts'

/** Longer paths than any route's say nothing more. */
const mostCharacters = 300

/**
 * Why nobody serves a path, for whoever mistyped it: the option that brings it, the methods that it does take, or the
 * operation that was probably meant.
 *
 * @returns a sentence; empty where nothing is near.
 */
export function unservedHint(router: Router<Route>, method: string, path: string): string {
  const option = router.withheld?.find(method, path)?.route.broughtBy
  if (option !== undefined) return `The gateway doesn't offer it. The option ${option} brings it.`
  const taken = router.methodsOf(path)
  if (taken.length > 0) {
    const ways = taken.map((each) => `${each} (${router.find(each, path)!.route.operation})`)
    return `This path takes ${ways.join(', ')}.`
  }
  const meant = nearestRoute(router.routes, method, path.slice(0, mostCharacters))
  return meant === undefined ? '' : `Did you mean ${meant}?`
}

/** Why nobody serves a target, in a sentence that may be empty; undefined where somebody does. */
export function unserved(router: Router<Route>, method: string, target: string): string | undefined {
  const { path } = readAddress(target)
  const isServed = method === 'OPTIONS' ? router.methodsOf(path).length > 0 : router.find(method, path)
  return isServed ? undefined : unservedHint(router, method, path)
}

/** Calls of OpenAI's that the gateway knows of and does nothing for. */
const unimplemented =
  /^(?:(?:GET|POST|DELETE) \/v1\/files(?:\/[^/]+){0,2}|(?:GET|POST) \/v1\/fine-tunes(?:\/[^/]+){0,2}|POST \/v1\/images\/variations|DELETE \/v1\/models\/[^/]+)$/

/** The refusal of a path that nobody serves. */
export function unknownPath(router: Router<Route>, method: string, path: string): GatewayError {
  const error = unimplemented.test(`${method} ${path}`) ? notImplemented() : invalidUrl(method, path)
  const hint = unservedHint(router, method, path)
  return hint === '' ? error : error.withHint(hint)
}

/** Among equally near paths, one that takes the method. */
function nearestRoute(routes: readonly Route[], method: string, path: string): string | undefined {
  let best: string | undefined
  let bestDistance = Infinity
  for (const route of routes) {
    const takesMethod = route.methods.includes(method)
    for (const pattern of [route.path, ...(route.aliases ?? [])]) {
      const [asked, known] = withoutParameters(path, pattern)
      const limit = Math.max(2, Math.floor(asked.length / 3)) + 1
      const distance = editDistance(asked, known, limit)
      if (distance >= limit) continue
      const weighed = takesMethod ? distance : distance + 0.5
      if (weighed >= bestDistance) continue
      best = `${takesMethod ? method : route.methods[0]} ${pattern} (${route.operation})`
      bestDistance = weighed
    }
  }
  return best
}

/**
 * Both paths without what stands for a parameter, so that a long id neither hides a likeness nor makes one up. Parts are
 * compared from the end: what is missing or doubled is mostly at the beginning, such as the version.
 */
function withoutParameters(path: string, pattern: string): [string, string] {
  const asked = path.split('/')
  const known = pattern.split('/')
  for (let back = 1; back < known.length; back++) {
    const part = known[known.length - back]!
    const at = asked.length - back
    if (!part.startsWith('{') || at < 1) continue
    const verb = part.slice(part.indexOf('}') + 1)
    const colon = verb === '' ? -1 : asked[at]!.lastIndexOf(':')
    known[known.length - back] = verb
    asked[at] = colon < 0 ? '' : asked[at]!.slice(colon)
  }
  return [asked.join('/'), known.join('/')]
}
