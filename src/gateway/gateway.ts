import type { Clock } from '../engine/clock/clock.ts'
import { participantName } from '../engine/clock/participants.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import type { Waiting } from '../engine/clock/waiting.ts'
import { losesRequest } from '../scenario/faults/fault.ts'
import { noDecision } from '../scenario/rules/rule.ts'
import { broken, type FaultChance } from './replies/broken.ts'
import { adjusted, replaces, retryAfterOf, scriptedReply } from './replies/scripted.ts'
import { unreadBodyHint } from './bodies/body.ts'
import { abortError, asGatewayError, GatewayError, storageUnavailable } from './replies/errors.ts'
import { noResponse, RuleEngine, staleInstant } from './rule-engine.ts'
import { DirectiveAdvice } from './directive-advice.ts'
import { headersOf, preflightReply } from './replies/headers.ts'
import type { JsonObject } from './bodies/json.ts'
import { headerOf, isSafeMethod, type Incoming } from './incoming.ts'
import { noteSettlement, type JournalEntry } from './journal.ts'
import { labelKey, allowsModel, type KeyLabel } from './accounts/keys.ts'
import { openedEntry } from './opened-entry.ts'
import type { Exchange, GatewayParts } from './parts.ts'
import { bodyOf, type Asked, type Said } from './asked.ts'
import { Reception, sentRequest, type Arrival } from './reception.ts'
import { isOwnedBy } from './accounts/task-owner.ts'
import { Remembered } from '../engine/remembered.ts'
import { headerList, type Reply } from './replies/reply.ts'
import { requestIds } from './replies/request-id.ts'
import type { Context, NamedTask, RequestFacts, Route } from './route.ts'
import { unknownPath, unserved } from './unserved.ts'

/** Says which participant of the clock makes a request. */
const participantHeader = 'x-greenroom-as'

/**
 * What every request passes: an async `prepare` that reads and decodes, then a synchronous `admit` that
 * decides. The order of admissions is the order of everything.
 */
export class Gateway {
  readonly #parts: GatewayParts
  readonly #reception: Reception
  readonly #script: RuleEngine
  readonly #directiveAdvice: DirectiveAdvice
  readonly #requestId: ReturnType<typeof requestIds>
  readonly #keyLabels: Remembered<KeyLabel>

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#reception = new Reception(parts)
    this.#script = new RuleEngine(parts)
    this.#directiveAdvice = new DirectiveAdvice(parts.routes, parts.onWarning)
    this.#requestId = requestIds(parts.draws)
    this.#keyLabels = new Remembered((credential) => labelKey(credential, parts.draws))
  }

  /** A request without a body is admitted in the same turn. */
  handle(incoming: Incoming): Exchange | Promise<Exchange> {
    if (incoming.method === 'OPTIONS') return this.#preflight(incoming)
    // Rules may want what is only loaded when it is wanted.
    const { loading } = this.#script
    return loading ? loading.then(() => this.#receive(incoming)) : this.#receive(incoming)
  }

  #receive(incoming: Incoming): Exchange | Promise<Exchange> {
    const arrival = this.#reception.arrive(incoming)
    if (!arrival.found?.route.prepare || arrival.refused) return this.#admit(arrival)
    return this.#read(arrival)
  }

  /** A request with a body is admitted when that was read; meanwhile a clock that moves by itself stands. */
  async #read(arrival: Arrival): Promise<Exchange> {
    const release = arrival.namespace.clock.auto.whileReading()
    this.#parts.activity.begin()
    try {
      await this.#reception.prepare(arrival)
      return this.#admit(arrival)
    } finally {
      release()
      this.#parts.activity.end()
    }
  }

  /** Browsers ask before they call. That is no exchange of the client's, so it isn't in the journal. */
  #preflight(incoming: Incoming): Exchange {
    const { clock } = this.#parts.namespaces.get('default')
    const id = this.#requestId(clock.now(), `OPTIONS ${incoming.target}`, 0)
    const headers = ['X-Oneapi-Request-Id', id, ...headerList(preflightReply.headers)]
    return { reply: preflightReply, headers, clock, admittedAt: clock.now(), settle: () => {} }
  }

  /** One step, without an `await`: clock, gate, rules, effect, reply, journal. */
  #admit(request: Arrival): Exchange {
    const { namespace, identity, incoming } = request
    const { clock } = namespace
    clock.catchUp()
    this.#parts.expireTasks(namespace.name, clock.now())
    const task = this.#taskOf(request)
    const assumed = this.#assumeWait(request, task)
    const now = clock.now()
    // A task counts its own requests. Who has none, or makes another, is counted by what was asked.
    const own = request.found?.route.task?.inBody ? undefined : task
    const attempt = own ? own.requests++ : namespace.attempts.next(identity)
    const subject = own
      ? `${request.found!.route.operation}/${own.record.id}`
      : `${namespace.name}/${identity}`
    const id = this.#requestId(now, subject, attempt)
    const said = saidBy(request, task)
    const entry = openedEntry(request, { at: now, id, key: this.#keyLabels.of(request.credential), said })
    entry.assumed = assumed

    let reply: Reply
    try {
      // What can't be kept must not be promised; who only looks is answered all the same.
      const problem = isSafeMethod(incoming) ? undefined : this.#parts.keeping.obstacle()
      if (problem !== undefined) throw storageUnavailable(problem)
      reply = this.#decide(request, task, now, attempt, entry, said)
    } catch (error) {
      reply = this.#refuse(asGatewayError(error, this.#parts.onBug), request, id)
    }
    const problem = this.#keep(namespace.name, task)
    if (problem !== undefined && !isSafeMethod(incoming))
      reply = this.#refuse(storageUnavailable(problem), request, id)

    // A request that got lost was never answered.
    entry.status = reply.status
    entry.delayMs = reply.delayMs
    entry.retryAfterMs = retryAfterOf(reply, now)
    if (task) entry.final = this.#parts.tasks.view(task, now).final
    namespace.journal.append(entry, () => sentRequest(request))
    this.#parts.activity.begin()
    if (entry.retryAfterMs !== null && clock.auto.assumes('retry-after')) {
      namespace.comebacks.note(sameRequest(request), now + entry.retryAfterMs)
    }
    return {
      waiting: this.#waiting(request, entry.number),
      clock,
      admittedAt: now,
      reply,
      entry,
      headers: headersOf(reply, incoming, entry),
      settle: (outcome, bytes, more) => {
        if (entry.outcome === 'open') this.#parts.activity.end()
        noteSettlement(entry, clock.now(), outcome, bytes, more)
        namespace.journal.settled(entry)
      },
    }
  }

  /** Whatever comes of a request is kept before it is answered. @returns why it couldn't be, if so. */
  #keep(namespace: string, task: Task | undefined): string | undefined {
    const { changes, keeping } = this.#parts
    changes.note('clock', namespace)
    if (task) changes.note('look', namespace, task.id)
    return keeping.keep()
  }

  /** The task that the request names; another surface's or namespace's counts as none. */
  #taskOf({ found, namespace, refused, asked, credential }: Arrival): Task | undefined {
    if (refused || !found?.route.task) return undefined
    const { parameter, inBody, lifecycle, isOwnersOnly = false } = found.route.task
    const id = parameter === undefined ? inBody?.(bodyOf(asked)) : found.params[parameter]
    const task = id === undefined ? undefined : this.#parts.tasks.find(id)
    if (task?.lifecycle.name !== lifecycle || task.record.namespace !== namespace.name) return undefined
    return isOwnersOnly && !isOwnedBy(task, credential) ? undefined : task
  }

  /**
   * In `auto` a client that doesn't sleep on the clock may be taken to have waited.
   * @returns whether it was, so that nobody knows how long it did.
   */
  #assumeWait(request: Arrival, task: Task | undefined): boolean {
    const { clock, comebacks } = request.namespace
    const due = clock.auto.assumes('retry-after') ? comebacks.take(sameRequest(request)) : undefined
    const retried = due !== undefined && clock.assumeRetryAfter(due)
    const looked = task && request.found?.route.task?.looks ? this.#look(task, clock) : false
    return retried || looked
  }

  /** In `auto`, a look at an unfinished task is taken to come a poll step after the look before. */
  #look(task: Task, clock: Clock): boolean {
    const { tasks } = this.#parts
    const assumed =
      clock.mode === 'auto' && !tasks.view(task, clock.now()).final && clock.assumePollStep(task.lastLook)
    tasks.look(task, clock.now())
    this.#parts.changes.note('look', task.record.namespace, task.id)
    return assumed
  }

  /** Who waits for the answer, where participants share the clock: a request may say whose it is. */
  #waiting({ incoming, namespace }: Arrival, number: number): Waiting {
    const { participants } = namespace.clock.auto
    const name = participants.areKnown ? headerOf(incoming, participantHeader) : ''
    if (!participantName.test(name)) return { kind: 'answer', number }
    participants.seen(name)
    return { kind: 'answer', number, name }
  }

  #decide(
    request: Arrival,
    task: Task | undefined,
    now: number,
    attempt: number,
    entry: JournalEntry,
    said: Said,
  ): Reply {
    const { found, incoming, address, namespace, asked, identity } = request
    const { tasks, draws, publicUrl } = this.#parts
    if (request.refused) throw request.refused
    if (!found) throw unknownPath(this.#reception.router, incoming.method, address.path)
    const { route, params } = found
    const body = bodyOf(asked)
    if (route.task && !task) throw explainUnreadBody(unknownTask(route.task, body), incoming, body)
    if (task) entry.task = task.id
    const rate = route.isLimited ? this.#parts.rates.take(namespace.name, request.credential, now) : undefined

    if (request.key && !allowsModel(request.key, said.model)) throw noAccess(said.model!)

    const prepared = asked?.prepared
    const { work } = request
    const facts: RequestFacts = { incoming, params, query: address.query, body, prepared, identity, work }
    const checked = this.#validate(route, facts, task, asked)
    const subject = route.task?.inBody ? identity : (task?.record.id ?? identity)
    if (route.task?.inBody) entry.parent = task?.record.id ?? null
    const { operation } = route
    const decision = this.#script.isEmpty
      ? noDecision
      : this.#script.decide(request, { operation, task, subject, attempt, now, ...said })
    entry.rules = decision.rules
    entry.reasons = decision.reasons
    const { respond, fault, delayMs } = decision
    if (fault) entry.fault = fault.type
    const chance: FaultChance | undefined = fault && {
      draws,
      rule: decision.rules.join('+'),
      subject,
      attempt,
    }
    if (chance && losesRequest(fault!)) return broken(noResponse(delayMs), fault!, chance, '')
    if (respond && replaces(respond)) {
      const answer = scriptedReply(respond, (error) => this.#refuse(error, request, entry.requestId), now)
      return { ...answer, delayMs }
    }

    const context: Context = {
      request: facts,
      namespace,
      now: fault?.type === 'stale' && task ? staleInstant(fault, task, now, chance!) : now,
      draws,
      tasks,
      task,
      billing: this.#parts.billing,
      credential: request.credential,
      key: request.key,
      attempt,
      look: (seen) => {
        if (this.#look(seen, namespace.clock)) entry.assumed = true
        return namespace.clock.now()
      },
      bodyToKeep: this.#script.bodyToKeep(request),
      decision,
      origin: (publicUrl ?? incoming.origin) + address.basePath,
      journal: entry,
    }
    const made = this.#directiveAdvice.addTo(route.respond(checked, context), route, said.prompt)
    if (entry.task !== null)
      this.#script.noteOwner(entry.task === task?.id ? task : tasks.find(entry.task), request.credential)
    const told = rate === undefined ? made : { ...made, headers: { ...made.headers, ...rate } }
    const reply = delayMs === 0 ? told : { ...told, delayMs: told.delayMs + delayMs }
    const adapted = respond ? adjusted(reply, respond, now) : reply
    return fault ? broken(adapted, fault, chance!, context.origin + address.path) : adapted
  }

  #refuse(error: GatewayError, request: Arrival, id: string): Reply {
    return request.found?.route.refuse?.(error, id, askedOf(request)) ?? error.reply(id)
  }

  /** What asks for the same was checked before, unless a task has to do with it. */
  #validate(route: Route, facts: RequestFacts, task: Task | undefined, asked: Asked | undefined): unknown {
    const { work } = facts
    if (asked?.checked !== undefined) {
      work.spend(asked.work, 'its body')
      return asked.checked
    }
    const before = work.spent
    try {
      const checked = route.validate(facts, task)
      if (asked && !route.task) [asked.checked, asked.work] = [checked, work.spent - before]
      return checked
    } catch (error) {
      throw explainUnreadBody(error, facts.incoming, facts.body)
    }
  }

  /** Why nobody serves a target, in a sentence that may be empty; undefined where somebody does. */
  unserved(method: string, target: string): string | undefined {
    return unserved(this.#reception.router, method, target)
  }
}

const nothing: Said = {}

/** The refusal of a task that doesn't exist, or of the fields that should name it. */
function unknownTask({ unknown }: NamedTask, body: JsonObject): unknown {
  try {
    return unknown(body)
  } catch (error) {
    return error
  }
}

/** A refusal for missing fields, with the advice to send another content type where that is why they are missing. */
function explainUnreadBody(error: unknown, incoming: Incoming, body: JsonObject): unknown {
  const advice = error instanceof GatewayError ? unreadBodyHint(incoming, body) : undefined
  return advice === undefined ? error : (error as GatewayError).withAdvice(advice)
}

/** What a request says of itself. */
function saidBy({ found, asked }: Arrival, task: Task | undefined): Said {
  if (asked?.said) return asked.said
  const said = found?.route.describe?.(bodyOf(asked), task, found.params) ?? nothing
  if (asked && !found?.route.task) asked.said = said
  return said
}

/** What makes two requests of a client the same one, made again. */
function sameRequest({ credential, identity }: Arrival): string {
  return `${credential} ${identity}`
}

/** What an envelope may depend on beside the error. */
function askedOf({ incoming, credential, address }: Arrival): {
  incoming: Incoming
  credential: string
  query: string
} {
  return { incoming, credential, query: address.query }
}

/** @assumed §7 the answer to a key that may not ask for a model is not shown; wire §2.2. */
function noAccess(model: string): GatewayError {
  return abortError(403, `This token has no access to model ${model.slice(0, 200)}`)
}
