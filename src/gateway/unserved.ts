import { editDistance } from '../engine/did-you-mean.ts'
import { otherApiHint, unknownActionHint } from './other-apis.ts'
import { readAddress } from './bodies/address.ts'
import { invalidUrl, notImplemented, type GatewayError } from './replies/errors.ts'
import type { Route } from './exchange.ts'
import type { Router } from './router.ts'

/** Longer paths than any route's say nothing more. */
const maxCharacters = 300

/**
 * Why no route serves a path: the option that adds it, the methods it takes, or the operation that was probably meant.
 *
 * @returns a sentence; empty when no route is near.
 */
export function unservedHint(router: Router<Route>, method: string, path: string): string {
  if (path.startsWith(openaiFolder))
    return servedOrNot(router, method, `/v1/${path.slice(openaiFolder.length)}`)
  const option = router.withheld?.find(method, path)?.route.broughtBy
  if (option !== undefined) return `The gateway doesn't offer it. The option ${option} brings it.`
  const { routes } = router
  const asked = path.slice(0, maxCharacters)
  const similar = otherApiHint(asked) ?? unknownActionHint(routes, method, asked)
  if (similar !== undefined) return similar
  const taken = router.methodsOf(path)
  const misspelt = misspeltRoute(routes, method, asked, taken.length === 0)
  if (taken.length > 0 && !misspelt) {
    const ways = taken.map((each) => `${each} (${router.find(each, path)!.route.operation})`)
    return `This path takes ${ways.join(', ')}.`
  }
  const meant =
    misspelt ??
    (rerooted(router, method, asked) ||
      beginsLike(routes, method, asked) ||
      nearestRoute(routes, method, asked) ||
      endsLike(routes, method, asked))
  return meant === undefined ? '' : `Did you mean ${meant}?`
}

/** Below it some clients call the OpenAI-compatible API; the gateway serves only models there. */
const openaiFolder = '/v1beta/openai/'

function servedOrNot(router: Router<Route>, method: string, path: string): string {
  const found = router.find(method, path)
  return found ? `Did you mean ${routeName(method, found.route)}?` : unservedHint(router, method, path)
}

function routeName(method: string, { path, operation }: Route): string {
  return `${method} ${path} (${operation})`
}

/**
 * A route without parameters whose path is one or two edits away.
 *
 * @param isOtherMethod whether a route for another method counts when there is none for this one.
 */
function misspeltRoute(
  routes: readonly Route[],
  method: string,
  path: string,
  isOtherMethod: boolean,
): string | undefined {
  const near = routes.filter(
    (route) => !route.path.includes('{') && route.path !== path && editDistance(path, route.path, 3) < 3,
  )
  const meant = near.find(({ methods }) => methods.includes(method))
  if (meant) return routeName(method, meant)
  return isOtherMethod && near[0] ? routeName(near[0].methods[0]!, near[0]) : undefined
}

/** The served path that remains without a slash at the end, with its version, or below a base path that came twice. */
function rerooted(router: Router<Route>, method: string, path: string): string | undefined {
  const bare = path.replace(/\/+$/, '')
  const parts = bare.split('/').slice(1, 20)
  const shorter = parts.map((_, index) => `/${parts.slice(index).join('/')}`)
  for (const candidate of [...shorter, `/v1${bare}`, `/v1beta${bare}`, `/mj${bare}`]) {
    const found = router.find(method, candidate)
    if (found) return routeName(method, found.route)
  }
  return undefined
}

/** One or two routes that go on where the path ends, such as `/mj/task/{id}/fetch`. */
function beginsLike(routes: readonly Route[], method: string, path: string): string | undefined {
  const asked = path.split('/')
  const longer = routes.filter((route) => {
    const known = route.path.split('/')
    return (
      route.methods.includes(method) &&
      known.length === asked.length + 1 &&
      asked.every((part, index) => part === known[index] || (part !== '' && known[index] === '{id}'))
    )
  })
  if (longer.length === 0 || longer.length > 2) return undefined
  return longer.map((route) => routeName(method, route)).join(' or ')
}

/** The one route of the same first and last part, such as `/mj/submit/imagine` for `/mj/imagine`. */
function endsLike(routes: readonly Route[], method: string, path: string): string | undefined {
  const [, first = '', ...rest] = path.split('/')
  const last = rest.at(-1)
  if (last === undefined || last === '') return undefined
  const alike = routes.filter(
    (route) =>
      route.methods.includes(method) &&
      route.path.startsWith(`/${first}/`) &&
      route.path.endsWith(`/${last}`),
  )
  return alike.length === 1 ? routeName(method, alike[0]!) : undefined
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

const whereTheApiIs =
  'Check the path: the API is below /v1, /v1beta and /mj, such as POST /v1/video/generations (video.submit).'

/** The refusal of a path that nobody serves. */
export function unknownPath(router: Router<Route>, method: string, path: string): GatewayError {
  const hint = unservedHint(router, method, path)
  if (!unimplemented.test(`${method} ${path}`)) {
    return invalidUrl(method, path).withAdvice(hint === '' ? whereTheApiIs : hint)
  }
  return hint === '' ? notImplemented() : notImplemented().withAdvice(hint)
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
