import type { Task } from '../../engine/tasks/tasks.ts'
import { drawFor, type Draw } from '../../scenario/faults/fault.ts'
import {
  applyFault,
  isProvenLate,
  losesRequest,
  showsEarlierState,
  viewedAt,
  type Fault,
} from '../../scenario/faults/index.ts'
import { noDecision, type RuleDecision, type Matchable } from '../../scenario/rules/rule.ts'
import type { ThrottleDecision } from '../../scenario/throttles/throttles.ts'
import { allowsModel } from '../accounts/keys.ts'
import { unreadBodyHint } from '../bodies/json.ts'
import { refuse, type Exchange, type NamedTask } from '../exchange.ts'
import { expireTasks, recordPoll } from '../core.ts'
import { isSafeMethod } from '../request.ts'
import { findAccepted, labelIdempotencyKey, rememberAccepted } from '../accounts/idempotency.ts'
import { createEntry } from '../journal.ts'
import { abortError, asGatewayError, GatewayError, storageUnavailable } from '../replies/errors.ts'
import { hintHeader, type Reply } from '../replies/reply.ts'
import { fillTemplates, fillVariables } from '../replies/template-values.ts'
import { editsFields } from '../replies/edit-fields.ts'
import { adjustReply, replaces, scriptedReply } from '../replies/scripted.ts'
import { submittedBody, taskSubject } from '../matchable.ts'
import type { Respond } from '../../scenario/vocabulary/types.ts'
import { unknownPath } from '../unserved.ts'
import { withdrawRules } from './withdraw.ts'

/** Begins the turn: brings the clock up to date, finds the task and sets the instant of admission. */
export function tick(x: Exchange): void {
  const { clock, name } = x.namespace
  x.now = clock.catchUp()
  expireTasks(x.core, name, x.now)
  x.task = findTask(x)
  assumeWaits(x)
  x.viewedAt = x.now
  x.view = x.task && x.tasks.view(x.task, x.now)
}

/** Finds the task that the request names: of several, the first. */
function findTask(x: Exchange): Task | undefined {
  const { route, refusal, params, query, body } = x
  if (refusal || !route?.task) return undefined
  const { parameter, inQuery, inBody, namedBy } = route.task
  if (namedBy) return findTasks(x, namedBy)
  const inPathOrQuery =
    parameter === undefined ? inQuery && new URLSearchParams(query).get(inQuery) : params[parameter]
  x.namedAs = inPathOrQuery ?? inBody?.(body) ?? ''
  return x.namedAs === '' ? undefined : findNamed(x, x.namedAs)
}

/** Finds all tasks that a function of a definition names, which may throw. */
function findTasks(x: Exchange, namedBy: NonNullable<NamedTask['namedBy']>): Task | undefined {
  try {
    const ids = [...new Set(namedBy(x))]
    x.namedAs = ids[0] ?? ''
    const [first, ...others] = ids.flatMap((id) => findNamed(x, id) ?? [])
    x.others = others
    return first
  } catch (error) {
    x.refusal = asGatewayError(error)
    return undefined
  }
}

/** A task by its id or a second name. One of another API or namespace counts as unknown. */
function findNamed({ route, namespace, caller, tasks }: Exchange, id: string): Task | undefined {
  const { lifecycle, isOwnersOnly = false } = route!.task!
  const task = tasks.find(id)
  if (task?.lifecycle.name !== lifecycle || task.record.namespace !== namespace.name) return undefined
  return isOwnersOnly && !task.isOwnedBy(caller.account) ? undefined : task
}

/** In `auto`, assumes that a client that doesn't sleep on the clock has waited. @returns whether that advanced time. */
function assumeWaits(x: Exchange): void {
  const { clock, retries } = x.namespace
  const advanceIf = (isAssumed: boolean): void => {
    if (!isAssumed) return
    x.assumed = true
    x.now = clock.now()
  }
  if (retries.size > 0 && clock.auto.assumes('retry-after')) {
    const due = retries.get(retryKey(x))
    retries.delete(retryKey(x))
    if (due !== undefined) advanceIf(clock.assumeRetryAfter(due))
  }
  if (!x.task || !x.route!.task!.looks) return
  for (const task of [x.task, ...x.others]) advanceIf(recordPoll(task, x, x.core))
}

/** Equal for a request and its retries by the same client. */
export function retryKey({ caller, identity }: Exchange): string {
  return `${caller.account} ${identity}`
}

/** Gives the exchange its attempt number, request id and journal entry. */
export function open(x: Exchange): void {
  const { namespace, route, task, core, caller } = x
  const { model, prompt } = route?.describe?.(x) ?? {}
  x.model = model
  x.prompt = prompt
  // A task counts its own requests. All others are counted by identity.
  const counted = task && !route!.task!.inBody && !route!.callback ? task : undefined
  x.attempt = counted ? counted.requests++ : namespace.attempts.next(x.identity)
  const subject = counted ? `${route!.operation}/${counted.record.id}` : `${namespace.name}/${x.identity}`
  x.entry = createEntry({
    number: namespace.journal.nextNumber,
    at: x.now,
    transport: x.request.transport,
    operation: route?.operation ?? null,
    role: route?.role ?? null,
    kind: route?.tasks ?? null,
    method: x.request.method,
    path: x.path,
    namespace: namespace.name,
    key: caller.label.masked,
    keyHash: caller.label.hash,
    requestId: core.requestId(x.now, subject, x.attempt),
    model: model ?? null,
    prompt: prompt ?? null,
    identity: x.identity,
    authorized: caller.key !== undefined,
    assumed: x.assumed,
    assumedMs: namespace.clock.auto.assumedMs,
    timing: namespace.clock.timing,
    ...(x.place !== undefined && { place: x.place }),
  })
  const idempotencyKey = labelIdempotencyKey(x)
  if (idempotencyKey !== undefined) x.entry.idempotencyKey = idempotencyKey
}

/** Refuses requests that are not allowed. The order of the checks is visible on the wire. */
export function admit(x: Exchange): void {
  const { core, route, request, task, key } = x
  // If changes can't be persisted, nothing is accepted; reads continue.
  const problem = isSafeMethod(request) ? undefined : core.keeping.obstacle()
  if (problem !== undefined) throw storageUnavailable(problem)
  if (x.refusal) throw x.refusal
  if (!route) throw unknownPath(core, request.method, x.path, x.related)
  route.before?.(x)
  if (route.task && !task && !route.task.mayMiss?.(x))
    adviseOnBody(x, () => refuseUnknownTask(x, route.task!))
  if (task) x.entry.task = task.id
  if (x.others.length > 0) x.entry.others = x.others.map(({ id }) => id)
  // Counted before the request is parsed, because a bad request counts too.
  if (core.throttles.hasRates) countInRates(x)
  if (key && !allowsModel(key, x.model)) throw noAccess(x.model!)
}

/**
 * Counts the request in the rates that match it.
 * @assumed §8 rate limits are not documented; wire §2.3: none is configured by default.
 * @throws {GatewayError} 429 if one is exceeded.
 */
function countInRates(x: Exchange): void {
  const { headers, refusal } = x.core.throttles.takeRates(toMatchable(x), x.core.rules.variables)
  x.rateHeaders = headers
  if (!refusal) return
  const { throttle, message, waitMs } = refusal
  x.entry.rules = [throttle]
  x.entry.reasons = () => [{ rule: throttle, fired: true, why: message }]
  if (waitMs === undefined) throw new GatewayError(429, message, () => null, headers)
  const seconds = String(Math.ceil(waitMs / 1000))
  throw abortError(429, message).withHeaders({ ...headers, 'Retry-After': seconds })
}

/** @assumed §7 the answer to a key that may not ask for a model is not documented; wire §2.2. */
function noAccess(model: string): GatewayError {
  return abortError(403, `This token has no access to model ${model.slice(0, 200)}`)
}

/** Checks the request. Has no effects: a rule may respond instead. */
export function parse(x: Exchange): void {
  const { route, task } = x
  x.input = adviseOnBody(x, () => route!.parse?.(x))
  if (route!.task?.inBody) x.entry.parent = task?.record.id ?? null
}

/** Tasks of other namespaces count as unknown: a client that changes its key can no longer see its tasks. */
function refuseUnknownTask({ namespace, body }: Exchange, { unknown, parameter }: NamedTask): never {
  const error = unknown(body)
  if (parameter === undefined || Object.keys(error.headers).length > 0) throw error
  throw error.withHint(
    `There is no such task in namespace "${namespace.name}". Check the id, the path, and that the key is that of the submission.`,
  )
}

/** Runs a check. Adds advice to its refusal for missing fields, if they are missing because of the content type. */
function adviseOnBody<Result>({ request, body, route }: Exchange, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    const takesOther = route?.prefixes !== undefined
    const advice = error instanceof GatewayError ? unreadBodyHint(request, body, takesOther) : undefined
    throw advice === undefined ? error : (error as GatewayError).withAdvice(advice)
  }
}

/** Applies throttles, then rules. Either may respond in the gateway's place or lose the request. Then no later stage runs. */
export function script(x: Exchange): Reply | undefined {
  const { rules, throttles } = x.core
  if (rules.isEmpty && throttles.isEmpty) return undefined
  x.decision = decide(x)
  const { respond, fault, delayMs } = x.decision
  x.entry.rules = x.decision.rules
  x.entry.reasons = x.decision.reasons
  if (fault) x.entry.fault = fault.type
  if (fault && losesRequest(fault)) {
    fillVariables(x)
    return applyFault({ status: 0, headers: {}, body: null, delayMs }, fault, { draw: drawOf(x), url: '' })
  }
  if (respond && replaces(respond)) {
    fillVariables(x)
    return { ...scriptedReply(fillTemplates(respond, x), (error) => refuse(x, error), x.now), delayMs }
  }
  return undefined
}

function decide(x: Exchange): RuleDecision {
  const { rules, throttles, open } = x.core
  const matchable = toMatchable(x)
  // Throttles limit what clients send.
  if (x.route!.callback) return rules.decide(matchable)
  const limited = throttles.take(
    matchable,
    (per) => open.count(x.namespace.name, x.now, per === 'key' ? x.caller.account : undefined),
    rules.variables,
  )
  const { respond } = limited
  const decision = respond ? { ...noDecision, rules: limited.throttles, respond } : rules.decide(matchable)
  return { ...decision, reasons: joinReasons(limited, decision) }
}

/**
 * Joins reasons outside of `decide`. The journal retains the result, and a closure retains every variable that any closure
 * of its scope uses: there it would retain the exchange, its response and the socket.
 */
function joinReasons(limited: ThrottleDecision, decision: RuleDecision): RuleDecision['reasons'] {
  return () => [...limited.reasons, ...decision.reasons()]
}

/** The request as rules and throttles match it. */
function toMatchable(x: Exchange): Matchable {
  const { task, view, namespace, core, now } = x
  const { operation, role, tasks: kind, prepare } = x.route!
  const made = task && taskSubject(task)
  const model = x.model ?? made?.model
  const prompt = x.prompt ?? made?.prompt
  const named = { ...(model !== undefined && { model }), ...(prompt !== undefined && { prompt }) }
  const about = role === 'submit' ? { nth: core.tasks.nextNth(namespace.name, kind!), ...named } : made
  return {
    operationName: operation,
    role,
    namespaceName: namespace.name,
    keyName: x.credential,
    accountName: x.caller.account,
    subject: x.subject,
    attempt: x.attempt,
    now,
    elapsedMs: now - namespace.beganAt,
    ...named,
    ...(about && { task: about }),
    body: task && !prepare ? submittedBody(task) : x.body,
    header: (name) => x.header(name),
    query: x.query,
    ...(view && { state: view.state }),
  }
}

/** Carries the operation out: creates tasks, charges accounts. */
export function perform(x: Exchange): void {
  const { route, now, task, entry, core } = x
  const { fault } = x.decision
  if (fault && task) x.viewedAt = viewedAt(fault, { submittedAt: task.record.submittedAt, now }, drawOf(x))
  const known = findAccepted(x)
  const reply = known ?? route!.respond(x, x.input)
  if (!known) rememberAccepted(x, reply)
  const hinted = x.hint === '' ? reply : { ...reply, headers: { ...hintHeader(x.hint), ...reply.headers } }
  x.reply = withOtherId(
    x,
    route!.directives && x.prompt !== undefined
      ? core.directiveAdvice.addTo(hinted, route!, x.prompt)
      : hinted,
  )
  if (entry.task === null) return
  const about = entry.task === task?.id ? task : core.tasks.find(entry.task)
  if (about) about.key ??= x.caller.account
}

/** Applies a fault that returns the id of another task: the new task exists, but its client never learns of it. */
function withOtherId({ decision, entry, core, namespace }: Exchange, reply: Reply): Reply {
  const { sameIdAs } = decision.task
  const own = entry.task === null || sameIdAs === undefined ? undefined : core.tasks.find(entry.task)
  if (!own || typeof reply.body !== 'string') return reply
  const { lifecycle } = own.record
  const other = core.tasks
    .list(namespace.name)
    .find(({ record }) => record.lifecycle === lifecycle && record.nth === sameIdAs)
  if (other && other !== own) return { ...reply, body: reply.body.replaceAll(own.id, other.id) }
  const hint = `A rule wants the ID of ${lifecycle} ${sameIdAs}, which does not exist yet: this task has its own.`
  return { ...reply, headers: { ...reply.headers, ...hintHeader(hint) } }
}

/** Applies the effects of rules on the gateway's own reply: headers, delay, fault. */
export function distort(x: Exchange): Reply {
  const { respond, stream, fault, delayMs } = x.decision
  let { reply } = x
  fillVariables(x)
  if (x.rateHeaders) reply = { ...reply, headers: { ...reply.headers, ...x.rateHeaders } }
  if (delayMs !== 0) reply = { ...reply, delayMs: reply.delayMs + delayMs }
  const isStream = reply.body !== null && typeof reply.body === 'object' && 'pieces' in reply.body
  if (stream && !isStream) withdrawRules(x, 'stream')
  if (respond) reply = adjustOwn(x, reply, respond, isStream)
  if (x.encode) reply = x.encode(reply)
  return fault ? breakReply(x, reply, fault) : reply
}

/** Only the sending of a stream shows if a field changes. With a fault, it may never be sent. */
function adjustOwn(x: Exchange, reply: Reply, respond: Respond, isStream: boolean): Reply {
  if (editsFields(respond)) x.withdrawRules = () => withdrawRules(x, 'fields')
  const adjusted = adjustReply(reply, fillTemplates(respond, x), x.now, () => (x.withdrawRules = undefined))
  if (isStream && !x.decision.fault) return adjusted
  if (!isStream) x.withdrawRules?.()
  x.withdrawRules = undefined
  return adjusted
}

/** A response that a fault can't break, such as a video by invalid JSON, is delivered intact. */
function breakReply(x: Exchange, reply: Reply, fault: Fault): Reply {
  const onEffect = (): void => void (x.withdrawRules = undefined)
  const broken = applyFault(reply, fault, { draw: drawOf(x), url: x.origin + x.path, onEffect })
  if (broken === reply && !showsEarlierState(fault)) withdrawRules(x, 'fault')
  else if (isProvenLate(fault)) x.withdrawRules = () => withdrawRules(x, 'fault')
  return broken
}

/** The random draws of the rules that decided. */
function drawOf({ draws, decision, subject, attempt }: Exchange): Draw {
  return drawFor(draws, decision.rules, subject, attempt)
}
