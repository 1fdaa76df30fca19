import { submissions, taskKindOf, type Operation } from '../engine/operations/operations.ts'
import type { TaskRecord } from '../engine/tasks/plan.ts'
import type { Task } from '../engine/tasks/tasks.ts'
import type { LimitDecision } from '../scenario/throttles/throttles.ts'
import { noDecision, type RuleDecision, type Matchable } from '../scenario/rules/rule.ts'
import { bodyOf } from './asked.ts'
import { headerOf } from './incoming.ts'
import type { GatewayParts } from './parts.ts'
import type { Arrival } from './reception.ts'
import { Remembered } from '../engine/remembered.ts'
import type { Reply } from './replies/reply.ts'
import { bodyForRecord, submittedBody, taskSubject } from './task-subject.ts'

/** A request that passed the gate, as the script is asked about it. */
export interface Passed {
  readonly operation: Operation
  readonly task: Task | undefined
  /** The task it concerns; before there is one, the identity of the request. */
  readonly subject: string
  readonly attempt: number
  readonly now: number
  readonly model?: string
  readonly prompt?: string
}

/** What is scripted for requests: limits first, then rules. */
export class RuleEngine {
  readonly #parts: Pick<GatewayParts, 'tasks' | 'open' | 'rules' | 'throttles'>

  /** A key makes many tasks, and each request brings it as a text of its own. */
  readonly #owners = new Remembered((credential) => credential)

  constructor(parts: Pick<GatewayParts, 'tasks' | 'open' | 'rules' | 'throttles'>) {
    this.#parts = parts
  }

  /** What must be awaited before the next request is decided; undefined when nothing is missing. */
  get loading(): Promise<void> | undefined {
    return this.#parts.rules.loading ?? this.#parts.throttles.loading
  }

  /** Whether nothing is scripted at all. */
  get isEmpty(): boolean {
    return this.#parts.rules.isEmpty && this.#parts.throttles.isEmpty
  }

  /** The body of a submission as its task's record keeps it; undefined where no rule matches on it later. */
  bodyToKeep(arrival: Arrival): TaskRecord['body'] {
    const { rules, throttles } = this.#parts
    const makesTask = isSubmission(arrival.found?.route.operation)
    if (!makesTask || !(rules.needsTaskBodies || throttles.needsTaskBodies)) return undefined
    return bodyForRecord(bodyOf(arrival.asked))
  }

  decide(arrival: Arrival, { task, ...passed }: Passed): RuleDecision {
    const { rules, throttles, tasks, open } = this.#parts
    const { namespace, credential, incoming, address } = arrival
    const made = task && taskSubject(task)
    const model = passed.model ?? made?.model
    const prompt = passed.prompt ?? made?.prompt
    const named = { ...(model !== undefined && { model }), ...(prompt !== undefined && { prompt }) }
    const nth = this.#nextNth(passed.operation, namespace.name)
    const about = nth === undefined ? made : { nth, ...named }
    const asked: Matchable = {
      ...named,
      subject: passed.subject,
      attempt: passed.attempt,
      now: passed.now,
      operationName: passed.operation,
      ...(about && { task: about }),
      namespaceName: namespace.name,
      keyName: credential,
      elapsedMs: passed.now - namespace.beganAt,
      body: task && !arrival.asked ? submittedBody(task) : bodyOf(arrival.asked),
      header: (name: string) => headerOf(incoming, name),
      query: address.query,
      ...(task && { state: tasks.view(task, passed.now).state }),
    }
    const limited = throttles.take(asked, (per) =>
      open.count(namespace.name, passed.now, per === 'key' ? credential : undefined),
    )
    const decision = limited.respond ? refused(limited) : rules.decide(asked)
    return { ...decision, reasons: joinReasons(limited, decision) }
  }

  /** The place of the task that a request is to make; undefined for one that makes none. */
  #nextNth(operation: Operation, namespace: string): number | undefined {
    if (!isSubmission(operation)) return undefined
    return this.#parts.tasks.nextNth(namespace, taskKindOf(operation)!)
  }

  /** Whose task it is, for limits by key. */
  noteOwner(task: Task | undefined, credential: string): void {
    if (task && task.key === undefined) task.key = this.#owners.of(credential)
  }
}

/**
 * Joins the reasons of limits and rules. The journal retains the result, and a closure retains every variable that
 * any closure of its scope uses: in `decide` that would be the request, its response and the socket.
 */
function joinReasons(limited: LimitDecision, decision: RuleDecision): RuleDecision['reasons'] {
  return () => [...limited.reasons, ...decision.reasons()]
}

function isSubmission(operation: Operation | undefined): boolean {
  return operation !== undefined && submissions.includes(operation)
}

/** What a limit that is used up decides. */
function refused({ respond, limits }: LimitDecision): RuleDecision {
  return { ...noDecision, rules: limits, ...(respond && { respond }) }
}

/** Nothing happened, and nothing is said; the door carries out how. */
export function noResponse(delayMs: number): Reply {
  return { status: 0, headers: {}, body: null, delayMs }
}
