import { editDistance, nearest } from '../engine/did-you-mean.ts'
import { readTarget } from './request.ts'
import { invalidUrl, notImplemented, type GatewayError } from './replies/errors.ts'
import type { Route } from './exchange.ts'
import type { Router } from './router.ts'

/** Longer than any route. */
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
  const start = path.slice(0, maxCharacters)
  const similar = otherApiHint(start) ?? unknownActionHint(routes, method, start)
  if (similar !== undefined) return similar
  const taken = router.methodsOf(path)
  const misspelt = misspeltRoute(routes, method, start, taken.length === 0)
  if (taken.length > 0 && !misspelt) {
    const ways = taken.map((each) => `${each} (${router.find(each, path)!.route.operation})`)
    return `This path takes ${ways.join(', ')}.`
  }
  const meant =
    misspelt ??
    (rerooted(router, method, start) ||
      beginsLike(routes, method, start) ||
      nearestRoute(routes, method, start) ||
      endsLike(routes, method, start))
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

/** One or two routes that extend the path, such as `/mj/task/{id}/fetch`. */
function beginsLike(routes: readonly Route[], method: string, path: string): string | undefined {
  const requested = path.split('/')
  const longer = routes.filter((route) => {
    const known = route.path.split('/')
    return (
      route.methods.includes(method) &&
      known.length === requested.length + 1 &&
      requested.every((part, index) => part === known[index] || (part !== '' && known[index] === '{id}'))
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

/** Why no route serves a target, in a sentence that may be empty; undefined if one does. */
export function unserved(router: Router<Route>, method: string, target: string): string | undefined {
  const { path } = readTarget(target)
  const isServed = method === 'OPTIONS' ? router.methodsOf(path).length > 0 : router.find(method, path)
  return isServed ? undefined : unservedHint(router, method, path)
}

/** Calls of the OpenAI API that the gateway knows and does not implement. */
const unimplemented =
  /^(?:(?:GET|POST|DELETE) \/v1\/files(?:\/[^/]+){0,2}|(?:GET|POST) \/v1\/fine-tunes(?:\/[^/]+){0,2}|POST \/v1\/images\/variations|DELETE \/v1\/models\/[^/]+)$/

const whereTheApiIs =
  'Check the path: the API is below /v1, /v1beta and /mj, such as POST /v1/video/generations (video.submit).'

/** The refusal of a path that no route serves. */
export function unknownPath(router: Router<Route>, method: string, path: string): GatewayError {
  const hint = unservedHint(router, method, path)
  if (!unimplemented.test(`${method} ${path}`)) {
    return invalidUrl(method, path).withAdvice(hint === '' ? whereTheApiIs : hint)
  }
  return hint === '' ? notImplemented() : notImplemented().withAdvice(hint)
}

/** The nearest path; of equally near ones, one that takes the method. */
function nearestRoute(routes: readonly Route[], method: string, path: string): string | undefined {
  let best: string | undefined
  let bestDistance = Infinity
  for (const route of routes) {
    const takesMethod = route.methods.includes(method)
    for (const pattern of [route.path, ...(route.aliases ?? [])]) {
      const [requested, known] = withoutParameters(path, pattern)
      const limit = Math.max(2, Math.floor(requested.length / 3)) + 1
      const distance = editDistance(requested, known, limit)
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
 * Both paths without their parameters, so that a long id has no influence on the distance. Parts are matched from the end:
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
    const colon = verb === '' ? -1 : requested[at]!.lastIndexOf(':')
    known[known.length - back] = verb
    requested[at] = colon < 0 ? '' : requested[at]!.slice(colon)
  }
  return [requested.join('/'), known.join('/')]
}

const videos = 'Videos are made by POST /v1/video/generations (video.submit).'
const images = 'Images are made by POST /mj/submit/imagine (mj.imagine).'
const texts = 'Texts are written by POST /v1/chat/completions (chat.complete).'
const videoPolls = 'Videos are polled by GET /v1/video/generations/{task_id} (video.poll).'
const responses = 'Pass previous_response_id to POST /v1/responses (responses.create).'
const plainResponses = 'Responses are written by POST /v1/responses (responses.create).'
const handlers = 'Add a handler of your own: serve --handlers, or MSW in a test.'

/** Paths of APIs that clients expect and the gateway lacks: why, and what to do instead. */
export const otherApis: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^\/v1\/images\/(?:generations|edits|variations)\/?$/, `OpenAI's image API is not offered. ${images}`],
  [/^\/v1\/(?:completions|messages)(?:\/|$)/, `This text API is not offered. ${texts}`],
  [
    /^\/v1\/(?:conversations|assistants|threads)(?:\/|$)/,
    `Stored conversations are not offered. ${responses}`,
  ],
  [
    /^\/v1\/responses\/(?:[^/]+\/cancel|compact|input_tokens)$/,
    `Background responses, compaction and counting are not offered. ${plainResponses}`,
  ],
  [/^\/v1\/audio(?:\/|$)/, `Audio is not offered. ${handlers}`],
  [/^\/v1\/realtime(?:\/|$)/, `Realtime sessions are not offered. ${texts}`],
  [/^\/v1\/moderations\/?$/, `Moderations are not offered. ${handlers}`],
  [
    /^\/v1\/(?:files|uploads)(?:\/|$)/,
    `Files are not offered. Send images in the request, as data URLs or base64. ${handlers}`,
  ],
  [
    /^\/v1\/(?:batches|fine[-_]tun\w*|vector_stores|evals|containers)(?:\/|$)/,
    `This API is not offered. ${handlers}`,
  ],
  [
    /^\/(?:upload\/)?v1beta\/(?:files|cachedContents|batches)(?:\/|$)/,
    `Files and caches are not offered. Send images in the request, as inlineData. ${handlers}`,
  ],
  [
    /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)predictLongRunning$/i,
    `predictLongRunning is not offered. ${videos}`,
  ],
  [
    /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)(?:predict|generateImages?)$/i,
    `Image models are not offered here. ${images}`,
  ],
  [/^\/v1(?:beta)?\/(?:models\/[^/]+\/)?operations\/[^/]+$/, `Operations are not offered. ${videoPolls}`],
]

/** What to call in place of a path of another API; undefined for all other paths. */
export function otherApiHint(path: string): string | undefined {
  return otherApis.find(([pattern]) => pattern.test(path))?.[1]
}

const actionOfModel = /^\/v1(?:beta)?\/(?:models\/){1,2}[^/:]+(?::|%3A|\/)([A-Za-z]\w*)\/?$/i
const actionPattern = /^\/v1beta\/models\/\{model\}:(\w+)$/

/** Which actions models have, where a path names another one; undefined for all other paths. */
export function unknownActionHint(
  routes: readonly Route[],
  method: string,
  path: string,
): string | undefined {
  const [, action] = (method === 'POST' && actionOfModel.exec(path)) || []
  if (action === undefined) return undefined
  const byAction = new Map(
    routes.flatMap((route): [string, Route][] => {
      const [, known] = actionPattern.exec(route.path) ?? []
      return known === undefined ? [] : [[known, route]]
    }),
  )
  const meant = byAction.get(nearest(action, [...byAction.keys()]) ?? '')
  if (meant) return `Did you mean ${method} ${meant.path} (${meant.operation})?`
  return `Models have no action "${action.slice(0, 60)}". Known are ${[...byAction.keys()].join(', ')}.`
}
