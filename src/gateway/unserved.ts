import { editDistance } from '../engine/did-you-mean.ts'
import { readTarget } from './request.ts'
import { invalidUrl, notImplemented, type GatewayError } from './replies/errors.ts'
import type { GatewayCore, Route } from './exchange.ts'
import type { LazyRouter } from './lazy-router.ts'

/** More characters than any route has. */
const maxCharacters = 300

/** The operations that a client may have meant. */
type Offer = Pick<GatewayCore, 'router' | 'unserved'>

/**
 * Explains why no route serves a path: an option that enables it, the methods that it accepts, or the operation that was
 * probably meant.
 *
 * @param related the route of the API that was probably meant. An API of a user may offer what the gateway does not.
 * @returns a sentence; empty if no route resembles the path.
 */
function unservedHint(
  { router, unserved }: Offer,
  method: string,
  requested: string,
  related = relatedRoute(router, method, requested),
): string {
  const folder = unserved.folders.find(([sought]) => requested.startsWith(sought))
  const path = folder ? folder[1] + requested.slice(folder[0].length) : requested
  if (path.length > maxCharacters || wordsOf(path).length === 0) return ''
  const option = router.findOption(method, path)?.replace('.', ': { ')
  if (option !== undefined) return `The gateway doesn't offer it. The option ${option}: true } brings it.`
  const isUsers = related !== undefined && isOfUser(related)
  const other = isUsers ? undefined : unserved.instead.find(([pattern]) => pattern.test(path))?.[1]
  if (other !== undefined) return other
  // The last word of a POST may be another operation. For other methods, it is what has this id.
  if (method !== 'POST' && !router.find(method, path)) {
    const ways = router.methodsOf(path).map((way) => `${way} (${router.find(way, path)!.route.operation})`)
    if (ways.length > 0) return `This path takes ${ways.join(', ')}.`
  }
  const near = nearRoutes(router.routes, method, path)
  const [best, second] = near
  if (best === undefined) return ''
  if (best.cost === 0 && !best.takesMethod) {
    const ways = near.filter(({ cost }) => cost === 0).flatMap(({ route }) => route.methods.map((way) => `${way} (${route.operation})`)) // prettier-ignore
    return `This path takes ${ways.join(', ')}.`
  }
  const isUnclear = second !== undefined && best.cost > 0.2 && weightOf(second) === weightOf(best)
  if (isUnclear && second.route.operation !== best.route.operation) return ''
  return `Did you mean ${best.takesMethod ? method : best.route.methods[0]} ${best.pattern} (${best.route.operation})?`
}

interface NearRoute {
  readonly route: Route
  readonly pattern: string
  readonly cost: number
  readonly takesMethod: boolean
}

function weightOf({ cost, takesMethod }: NearRoute): number {
  return cost + (takesMethod ? 0 : 0.3)
}

/** The routes that a path becomes if a few words change, the nearest first. */
function nearRoutes(routes: readonly Route[], method: string, path: string): NearRoute[] {
  return routes
    .flatMap((route) => [route.path, ...(route.aliases ?? [])].map((pattern) => ({ route, pattern })))
    .map(({ route, pattern }) => ({
      route,
      pattern,
      cost: pathCost(path, pattern),
      takesMethod: route.methods.includes(method),
    })) // prettier-ignore
    .filter(({ cost, takesMethod }) => cost < (takesMethod ? 0.8 : 0.5))
    .toSorted((one, other) => weightOf(one) - weightOf(other))
}

/** The words of a path, between slashes and colons. */
function wordsOf(path: string): string[] {
  return path.replaceAll(/%3a/gi, ':').replace(/\/+$/, '').split(/[/:]/).slice(1)
}

/** An id contains digits or underscores. */
function isId(word: string): boolean {
  return /[^a-z-]/i.test(word)
}

/** The cost of taking one word for another: 0 to 1. */
function wordCost(word: string, known: string): number {
  if (known.startsWith('{')) return known === '{model}' || isId(word) ? 0 : 0.7
  if (word === known) return 0
  const length = Math.max(word.length, known.length)
  const share = editDistance(word.toLowerCase(), known.toLowerCase(), length) / length
  return share <= 0.4 ? 0.1 + share : 1
}

/** The cost of changing a path into a route. Words may be missing or too many at the front, as behind a proxy. */
function pathCost(path: string, pattern: string): number {
  const [words, known] = [wordsOf(path), wordsOf(pattern)]
  const bare = (text: string): string => text.replaceAll(/\/|\{\w+\}/g, '')
  if (!pattern.includes('{') && words.length !== known.length && bare(path) === bare(pattern)) return 0.2
  let row = [0, ...known.map((_, index) => 0.3 + index * 0.6)]
  for (const [place, word] of words.slice(0, 12).entries()) {
    const next = [0.3 + place * 0.3]
    for (const [index, each] of known.entries())
      next.push(Math.min(row[index]! + wordCost(word, each), row[index + 1]! + 0.9, next[index]! + 0.7))
    row = next
  }
  return row[known.length]!
}

function routeName(method: string, { path, operation }: Route): string {
  return `${method} ${path} (${operation})`
}

/** Explains why no route serves a target; undefined if one does. The sentence may be empty. */
export function explainUnserved(offer: Offer, method: string, target: string): string | undefined {
  const { router } = offer
  const { path } = readTarget(target)
  const isServed = method === 'OPTIONS' ? router.methodsOf(path).length > 0 : router.find(method, path)
  return isServed ? undefined : unservedHint(offer, method, path)
}

/** Says which folders the API has, with its first route. */
function whereTheApiIs({ router, unserved }: Offer): string {
  const [first] = router.routes
  const folders = new Intl.ListFormat('en-GB').format(unserved.roots)
  return `Check the path: the API is below ${folders}, such as ${routeName(first!.methods[0]!, first!)}.`
}

/** More routes than a refusal lists. */
const maxListedRoutes = 8

/** The routes of the API of a user. */
function listRoutes(routes: readonly Route[], { operation }: Route): string {
  const name = operation.slice(0, operation.indexOf('.'))
  const own = routes.filter((route) => route.operation.startsWith(`${name}.`))
  const listed = own.slice(0, maxListedRoutes).map((route) => routeName(route.methods.join(' '), route))
  const rest = own.length - listed.length
  return `The operations of ${name} are ${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`
}

/**
 * The refusal of a path that no route serves.
 * @param related the route of the API that was probably meant.
 */
export function unknownPath(
  offer: Offer,
  method: string,
  path: string,
  related: Route | undefined,
): GatewayError {
  const hint = unservedHint(offer, method, path, related)
  const isUsers = related !== undefined && isOfUser(related)
  if (isUsers || !offer.unserved.unimplemented.some((pattern) => pattern.test(`${method} ${path}`))) {
    const where = isUsers ? listRoutes(offer.router.routes, related) : whereTheApiIs(offer)
    return invalidUrl(method, path).withAdvice(hint === '' ? where : hint)
  }
  return hint === '' ? notImplemented() : notImplemented().withAdvice(hint)
}

/** Whether a route belongs to an API of a user. */
function isOfUser({ prefixes }: Route): boolean {
  return prefixes !== undefined
}

/**
 * The route whose envelope and key location clients of an unserved path expect: the one with the most leading parts in
 * common. Upload paths have a prefix part.
 */
export function relatedRoute(router: LazyRouter<Route>, method: string, path: string): Route | undefined {
  const { routes } = router
  const start = path.slice(0, maxCharacters)
  const shipped = routes.filter((route) => route.refuse !== undefined && !isOfUser(route))
  return (
    findAtPath(router, path) ??
    findByPrefix(routes, start) ??
    findOfUser(routes, method, start) ??
    findClosest(shipped, start) ??
    findClosest(shipped, start.replace(/^\/[^/]*/, ''))
  )
}

/** The route of a user's API at a path, whose methods don't include that of the request. */
function findAtPath(router: LazyRouter<Route>, path: string): Route | undefined {
  return router
    .methodsOf(path)
    .map((method) => router.find(method, path)!.route)
    .find(isOfUser)
}

/** The route of a user's API that a path resembles more than any route of another API. */
function findOfUser(routes: readonly Route[], method: string, path: string): Route | undefined {
  if (!routes.some(isOfUser)) return undefined
  const similar = [nearRoutes(routes, method, path)[0]?.route, findClosest(routes, path)]
  return similar.find((route) => route && isOfUser(route))
}

/** The route of the API whose prefix the path has: the longest one. */
function findByPrefix(routes: readonly Route[], path: string): Route | undefined {
  let found: Route | undefined
  let longest = 0
  for (const route of routes) {
    for (const prefix of route.prefixes ?? []) {
      const isUnder = path === prefix || path.startsWith(`${prefix}/`)
      if (isUnder && prefix.length > longest) [found, longest] = [route, prefix.length]
    }
  }
  return found
}

function findClosest(routes: readonly Route[], path: string): Route | undefined {
  const parts = path.split('/')
  let best: Route | undefined
  let most = 1
  for (const route of routes) {
    for (const pattern of [route.path, ...(route.aliases ?? [])]) {
      const known = pattern.split('/')
      const differs = known.findIndex((part, index) => part !== parts[index])
      // Between equals, a path that is not an alias wins.
      const shared = (differs < 0 ? known.length : differs) + (pattern === route.path ? 0.5 : 0)
      if (shared >= 2 && shared > most) [best, most] = [route, shared]
    }
  }
  return best
}
