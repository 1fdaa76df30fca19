import { withFakeTimersPaused } from '../../engine/clock/timers/fake-timers.ts'
import { invalidNamespace, namespaceName, NamespacesFull } from '../../engine/namespace.ts'
import { adviseOnScheme, credentialOf, hasExpired, type Caller } from '../accounts/keys.ts'
import { truncate } from '../../engine/wording.ts'
import { readTarget } from '../request.ts'
import { relatedRoute } from '../unserved.ts'
import { readBody } from '../bodies/body.ts'
import { readForm } from '../bodies/form.ts'
import { isJson, isOtherJson, parseJson, type JsonObject } from '../bodies/json.ts'
import type { Exchange, PreparedBody } from '../exchange.ts'
import { identityOf } from '../identity.ts'
import { isPromise, mapMaybePromise, type MaybePromise } from '../../engine/maybe-promise.ts'
import { abortError, asGatewayError, type GatewayError } from '../replies/errors.ts'

/** Finds the destination of the request: path, query, operation. */
export function locate(x: Exchange): void {
  const { method, target } = x.request
  const { path, query, basePath, namespace } = readTarget(target)
  x.path = path
  x.query = query
  const found = x.core.router.find(method, path, x)
  x.basePath = basePath
  x.pathNamespace = namespace
  x.route = found?.route
  if (found) x.params = found.params
  else x.related = relatedRoute(x.core.router, method, path)
  x.identity = `${method} ${truncate(path, 300)}`
}

/** Finds the sender of the request and its namespace. Only a valid key may create a new namespace. */
export function identify(x: Exchange): void {
  const { request, route, core } = x
  const { namespaces } = core
  const credential = route?.isPublic ? '' : ((route ?? x.related)?.credential?.(x) ?? credentialOf(request))
  x.caller = findCaller(x, credential)
  const { key } = x.caller
  if (key && route && !route.credential && !route.keys) x.hint = adviseOnScheme(request)
  const guestNamespace = guestNamespaceOf(x)
  // A request with a bad key still belongs to the namespace in its path, so a verdict counts it there.
  const named = x.pathNamespace ?? (x.header('x-greenroom-namespace') || x.caller.namespace)
  const isValid = named === undefined || namespaceName.test(named)
  if (request.problem !== undefined) x.refusal = abortError(400, `Invalid request: ${request.problem}`)
  else if (!isValid) x.refusal = badNamespace(x, named)
  else if (route && !key && guestNamespace === undefined) x.refusal ??= invalidToken(x)

  const name = isValid ? (named ?? guestNamespace ?? request.belongsTo?.() ?? 'default') : 'default'
  try {
    const mayOpen = key !== undefined && !x.refusal && !hasExpired(key, namespaces.get('default').clock)
    x.namespace = namespaces.get(mayOpen || namespaces.has(name) ? name : 'default')
  } catch (error) {
    if (!(error instanceof NamespacesFull)) throw error
    x.refusal ??= abortError(503, error.message, 'system_memory_overloaded')
    x.namespace = namespaces.get('default')
  }
  if (route && key && hasExpired(key, x.clock)) x.refusal ??= invalidToken(x)
}

/** A definition may fail to read the account of a key. Then the request is refused, as one without a key. */
function findCaller(x: Exchange, credential: string): Caller {
  const { core, route } = x
  try {
    return core.callers.get(credential, route?.keys)
  } catch (error) {
    x.refusal = asGatewayError(error)
    return core.callers.get('', route?.keys)
  }
}

/** The namespace of a request without a key, if its operation allows that: the namespace of its task. */
function guestNamespaceOf({ route, credential, query, params, core }: Exchange): string | undefined {
  if (credential !== '' || !route) return undefined
  if (!route.isPublic && !route.opensWithoutKey?.(query)) return undefined
  const id = params[route.task?.parameter ?? '']
  return (id === undefined ? undefined : core.tasks.find(id)?.record.namespace) ?? 'default'
}

/** @assumed §7 the answer to a bad key is not documented; wire §2.2. */
function invalidToken({ core, credential, route }: Exchange): GatewayError {
  return abortError(401, 'Invalid token').withAdvice(core.callers.adviceFor(credential, route?.keys))
}

function badNamespace(x: Exchange, name: string): GatewayError {
  const header = x.header('x-greenroom-namespace')
  const source = x.pathNamespace !== undefined ? 'the path' : header ? 'x-greenroom-namespace' : 'the key'
  return abortError(400, `Invalid request: ${invalidNamespace(source, name)}`)
}

/** Reads and decodes the body. The only stage that waits; it has no effects. */
export async function read(x: Exchange): Promise<void> {
  const { request, core } = x
  const held = core.bodyBudget.open()
  try {
    const bytes = await readBody(request, core.bodyLimitBytes, held)
    x.bodyText = core.messages?.readBody(bytes, x.header('content-type'))
    const decoding = decode(x, bytes)
    if (isPromise(decoding)) await withFakeTimersPaused(x.clock, decoding)
  } catch (error) {
    x.refusal = asGatewayError(error)
  } finally {
    held.release()
  }
}

/**
 * A body that is neither JSON nor a form counts as an empty object. The operation will report its missing fields.
 * @assumed §4.1 other content types are not documented; wire §1.5.
 */
function decode(x: Exchange, bytes: Uint8Array): MaybePromise<void> {
  const contentType = x.header('content-type')
  const isOther = x.route!.prefixes !== undefined && isOtherJson(contentType)
  const body =
    isJson(contentType) || isOther
      ? parseJson(bytes, x.route!.malformed)
      : (readForm(bytes, contentType) ?? {})
  return mapMaybePromise(prepare(x, body), ({ prepared, fields }) => accept(x, body, prepared, fields))
}

function prepare(x: Exchange, body: JsonObject): MaybePromise<PreparedBody<unknown>> {
  return x.route!.prepare!(body, x.core.media, x.path)
}

/** Stores what was read. The identity includes names in the path, such as a model or a task. */
function accept(x: Exchange, body: JsonObject, prepared: unknown, fields: JsonObject): void {
  const { operation, path } = x.route!
  const values = Object.values(x.params)
  const named = values.length === 0 ? undefined : { field: path, value: values.join('/') }
  x.body = body
  x.prepared = prepared
  x.identity = identityOf(operation, fields, x.core.ignoredFields, named)
}
