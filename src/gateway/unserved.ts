import { editDistance, nearest } from '../engine/did-you-mean.ts'
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
  offer: Offer,
  method: string,
  path: string,
  related = relatedRoute(offer.router, method, path),
): string {
  const { router, unserved } = offer
  const folder = unserved.folders.find(([sought]) => path.startsWith(sought))
  if (folder) return servedOrNot(offer, method, folder[1] + path.slice(folder[0].length))
  const option = router.findOption(method, path)?.replace('.', ': { ')
  if (option !== undefined) return `The gateway doesn't offer it. The option ${option}: true } brings it.`
  const { routes } = router
  const start = path.slice(0, maxCharacters)
  const isUsers = related !== undefined && isOfUser(related)
  const other = isUsers ? undefined : unserved.instead.find(([pattern]) => pattern.test(start))?.[1]
  const similar = other ?? unknownActionHint(routes, method, start)
  if (similar !== undefined) return similar
  const taken = router.methodsOf(path).filter((each) => {
    const { route, params } = router.find(each, path)!
    return isOfUser(route) || hasIds(params)
  })
  const misspelt = misspeltRoute(routes, method, start, taken.length === 0)
  if (taken.length > 0 && !misspelt) {
    const ways = taken.map((each) => `${each} (${router.find(each, path)!.route.operation})`)
    return `This path takes ${ways.join(', ')}.`
  }
  const meant =
    misspelt ??
    (findRerooted(offer, method, start) ||
      findLongerRoutes(routes, method, start) ||
      nearestRoute(routes, method, start)?.name ||
      findSimilarRoute(routes, method, start))
  return meant === undefined ? '' : `Did you mean ${meant}?`
}

function servedOrNot(offer: Offer, method: string, path: string): string {
  const found = offer.router.find(method, path)
  return found ? `Did you mean ${routeName(method, found.route)}?` : unservedHint(offer, method, path)
}

/** Whether the parameters of a path look like ids: `edits` is the name of an operation, not the id of a video. */
function hasIds(params: Readonly<Record<string, string>>): boolean {
  return Object.entries(params).every(([name, value]) => name === 'model' || isId(value))
}

/** An id contains digits or underscores. */
function isId(part: string): boolean {
  return /[^a-z-]/i.test(part)
}

function routeName(method: string, { path, operation }: Route): string {
  return `${method} ${path} (${operation})`
}

/**
 * A route without parameters whose path is one or two edits away.
 *
 * @param isOtherMethod whether a route for another method counts if there is none for this method.
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

/** Finds a served path by removing slashes at the end or leading parts, or by adding the first folder of an API. */
function findRerooted({ router, unserved }: Offer, method: string, path: string): string | undefined {
  const bare = path.replace(/\/+$/, '')
  const parts = bare.split('/').slice(1, 20)
  const shorter = parts.map((_, index) => `/${parts.slice(index).join('/')}`)
  for (const candidate of [...shorter, ...unserved.roots.map((root) => root + bare)]) {
    const found = router.find(method, candidate)
    if (found) return routeName(method, found.route)
  }
  return undefined
}

/** Finds one or two routes that extend the path, such as `/mj/task/{id}/fetch`. */
function findLongerRoutes(routes: readonly Route[], method: string, path: string): string | undefined {
  const requested = path.split('/')
  const longer = routes.filter((route) => {
    const known = route.path.split('/')
    return (
      route.methods.includes(method) &&
      known.length === requested.length + 1 &&
      requested.every((part, index) => part === known[index] || (known[index] === '{id}' && isId(part)))
    )
  })
  if (longer.length === 0 || longer.length > 2) return undefined
  return longer.map((route) => routeName(method, route)).join(' or ')
}

/** Finds the only route with the same first and last part, such as `/mj/submit/imagine` for `/mj/imagine`. */
function findSimilarRoute(routes: readonly Route[], method: string, path: string): string | undefined {
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

/** The nearest path. Of equally near paths, one that accepts the method. */
function nearestRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; name: string } | undefined {
  let best: { route: Route; name: string } | undefined
  let bestDistance = Infinity
  for (const route of routes) {
    const takesMethod = route.methods.includes(method)
    for (const pattern of [route.path, ...(route.aliases ?? [])]) {
      if (path.split('/').length !== pattern.split('/').length) continue
      // A parameter matches anything, so without the method too little is left in common.
      if (!takesMethod && pattern.includes('{')) continue
      const [requested, known] = withoutParameters(path, pattern)
      const limit = Math.max(2, Math.floor(requested.length / 3)) + 1
      const distance = editDistance(requested, known, limit)
      if (distance >= limit) continue
      const weighed = takesMethod ? distance : distance + 0.5
      if (weighed >= bestDistance) continue
      best = { route, name: `${takesMethod ? method : route.methods[0]} ${pattern} (${route.operation})` }
      bestDistance = weighed
    }
  }
  return best
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
  const similar = [nearestRoute(routes, method, path)?.route, findClosest(routes, path)]
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

/**
 * Both paths without their parameters, so that a long id does not affect the distance. Parts are compared from the end:
 * most missing or doubled parts are at the beginning, such as the version.
 */
function withoutParameters(path: string, pattern: string): [string, string] {
  const requested = path.split('/')
  const known = pattern.split('/')
  for (let back = 1; back < known.length; back++) {
    const part = known[known.length - back]!
    const at = requested.length - back
    if (!part.startsWith('{') || at < 1) continue
    const verb = part.slice(part.indexOf('}') + 1)
    if (!part.startsWith('{model}') && !isId(requested[at]!)) continue
    const colon = verb === '' ? -1 : requested[at]!.lastIndexOf(':')
    known[known.length - back] = verb
    requested[at] = colon < 0 ? '' : requested[at]!.slice(colon)
  }
  return [requested.join('/'), known.join('/')]
}

/** A path that ends in an action on what it names, such as `/v1beta/models/{model}:generateContent`. */
const actionPattern = /^(.*\/(\w+)\/\{\w+\}):(\w+)$/

/** The actions on what a path names, if its own action is unknown; undefined for all other paths. */
function unknownActionHint(routes: readonly Route[], method: string, path: string): string | undefined {
  // Only a POST acts: the part after the name in the path of a GET is no action.
  if (method !== 'POST') return undefined
  const acting = routes.filter(({ path, methods }) => methods.includes(method) && actionPattern.test(path))
  for (const { path: known, aliases = [] } of acting) {
    const action = [known, ...aliases].map((pattern) => actionOf(path, pattern)).find(Boolean)
    if (action === undefined) continue
    const [, subject = '', folder = ''] = actionPattern.exec(known)!
    const alike = acting.filter((route) => route.path.startsWith(`${subject}:`))
    const byAction = new Map(alike.map((route) => [route.path.slice(subject.length + 1), route]))
    const meant = byAction.get(nearest(action, [...byAction.keys()]) ?? '')
    if (meant) return `Did you mean ${routeName(method, meant)}?`
    const name = folder[0]!.toUpperCase() + folder.slice(1)
    return `${name} have no action "${action.slice(0, 60)}". Known are ${[...byAction.keys()].join(', ')}.`
  }
  return undefined
}

/** The action of a path that is otherwise like the path of a route. A slash may stand for the colon before it. */
function actionOf(path: string, pattern: string): string | undefined {
  const [, subject = ''] = actionPattern.exec(pattern) ?? []
  const rest = subject.split('/').map((part) => (part.startsWith('{') ? '[^/:]+' : part))
  return new RegExp(`^${rest.join('/')}(?::|%3A|/)([A-Za-z]\\w*)/?$`, 'i').exec(path)?.[1]
}
