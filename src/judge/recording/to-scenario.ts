import {
  closedInBody,
  closedUnanswered,
  resetInBody,
  resetUnanswered,
  type ConnectionEnd,
} from '../../engine/connection-end.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { ObservedSubmission } from '../../apis/define/flow.ts'
import type { FaultDefinition } from '../../scenario/faults/fault.ts'
import { faults, type Fault, type FaultType } from '../../scenario/faults/index.ts'
import type { DriveStep, Respond, Rule, Scenario, StreamShape } from '../../scenario/vocabulary/types.ts'
import { charactersOf, tokenize } from '../../text/tokens.ts'
import { bodyJson, bodyText, isStream, readStream, submittedTask, type ObservedExchange } from './observed.ts'
import { ObservedApis } from './observed-apis.ts'
import { removeKeys, toTemplate, withoutSplitKeys, type KnownValues } from './to-template.ts'

interface ScenarioOptions {
  readonly name: string
  /** Whether the scenario contains the prompts. */
  readonly prompts: boolean
  /** Default: those of greenroom. */
  readonly apis?: ObservedApis
  /** The `config` of the scenario, which names further APIs. */
  readonly config?: Scenario['config']
}

/** A task, as its submission and polls reported it. */
interface ObservedTask {
  readonly kind: string
  readonly nth: number
  readonly submission: ObservedExchange
  readonly submitted: ObservedSubmission
  readonly polls: { readonly operation: string; readonly exchange: ObservedExchange }[]
}

/** Shorter delays come from the machine, not from the gateway. */
const minDelayMs = 50
/** The maximum number of recorded rules. A scenario may have 1,000. */
const maxRecordedRules = 900
/** Longer responses are not recorded. The simulator generates them. */
const maxBodyCharacters = 64 * 1024
const maxDriveSteps = 20

/**
 * Converts exchanges with a gateway to a scenario: a client that sends the same requests sees the same timeline. It
 * contains neither keys nor media.
 */
export function scenarioOfRecording(
  exchanges: readonly ObservedExchange[],
  { apis = new ObservedApis(), ...options }: ScenarioOptions,
): Scenario {
  const tasks = findTasks(exchanges, apis)
  const counts = new Map<string, number>()
  const rules: Rule[] = []
  const drive: DriveStep[] = []
  for (const exchange of exchanges) {
    const found =
      exchange.broken === 'client' && exchange.status === undefined ? undefined : apis.find(exchange)
    if (!found) continue
    const { operation } = found
    const about = found.task === undefined ? undefined : tasks.get(found.task)
    const scope = about ? `${operation} ${about.nth}` : operation
    const on = (counts.get(scope) ?? 0) + 1
    counts.set(scope, on)
    const made = [...tasks.entries()].find(([, task]) => task.submission === exchange)
    const prompt = apis.promptOf({ ...found, sent: exchange.sent })
    const known = knownValues(exchange, found.task ?? made?.[0], { prompt, isHidden: !options.prompts })
    const effect = effectOf(operation, exchange, { apis, known, task: made?.[1] })
    if (exchange.status === 200 && drive.length < maxDriveSteps)
      drive.push(...driveStep(apis, operation, exchange, options.prompts ? prompt : undefined))
    if (Object.keys(effect).length === 0) continue
    rules.push({
      id: `${scope.replace(' ', '-')}-${on}`,
      optional: true,
      match: { op: operation, ...(about && { task: { nth: about.nth } }) },
      on,
      ...effect,
    })
  }
  return {
    version: 1,
    name: options.name,
    ...(options.config && { config: options.config }),
    ...(rules.length > 0 && { rules: rules.slice(0, maxRecordedRules) }),
    ...(drive.length > 0 && { drive }),
  }
}

/** The tasks by id, numbered in the order in which they were accepted. */
function findTasks(
  exchanges: readonly ObservedExchange[],
  apis: ObservedApis,
): ReadonlyMap<string, ObservedTask> {
  const found = exchanges.flatMap((exchange) => {
    const operation = apis.find(exchange)
    return operation ? [{ exchange, ...operation }] : []
  })
  const named = new Set(found.flatMap(({ task }) => task ?? []))
  const tasks = new Map<string, ObservedTask>()
  const counts = new Map<string, number>()
  for (const { exchange, operation, task, params } of found) {
    const { role, tasks: kind } = apis.operations.find(operation)!
    if (!isOk(exchange)) continue
    const id = role === 'submit' ? (mentionedTask(exchange, named) ?? submittedTask(exchange)) : undefined
    if (id !== undefined && kind && !tasks.has(id)) {
      const nth = (counts.get(kind) ?? 0) + 1
      counts.set(kind, nth)
      const submitted = { operation, sent: exchange.sent, params }
      tasks.set(id, { kind, nth, submission: exchange, submitted, polls: [] })
    }
    if (role === 'poll' && task !== undefined) tasks.get(task)?.polls.push({ operation, exchange })
  }
  return tasks
}

/** The task in a response that other requests name. Where a vendor writes it is not known. */
function mentionedTask(exchange: ObservedExchange, named: ReadonlySet<string>): string | undefined {
  const words = new Set(bodyText(exchange).match(/[\w-]+/g))
  return [...named].find((id) => words.has(id))
}

const isOk = ({ status = 0 }: ObservedExchange): boolean => status >= 200 && status < 300

function knownValues(
  { sent, headers, key }: ObservedExchange,
  task: string | undefined,
  { prompt, isHidden }: { readonly prompt: string | undefined; readonly isHidden: boolean },
): KnownValues {
  return {
    texts: [
      [task, '${task.id}'],
      [headers['x-request-id'], '${request.id}'],
      [prompt === sent['prompt'] ? prompt : undefined, '${prompt}'],
      [sent['model'], '${model}'],
    ],
    secrets: [key],
    hidden: isHidden ? [prompt] : [],
  }
}

type RecordedEffect = Partial<Pick<Rule, 'respond' | 'fault' | 'delay' | 'task' | 'stream'>>

function effectOf(
  operation: string,
  exchange: ObservedExchange,
  { apis, known, task }: { apis: ObservedApis; known: KnownValues; task: ObservedTask | undefined },
): RecordedEffect {
  const { status, headersAtMs, atMs, broken } = exchange
  const waitMs = (headersAtMs ?? atMs) - atMs
  const delay = waitMs >= minDelayMs ? { delay: formatMs(waitMs) } : {}
  if (status === undefined)
    return { ...delay, fault: faultThatEnds(broken === 'close' ? closedUnanswered : resetUnanswered) }
  if (isStream(exchange) && isOk(exchange))
    return { ...delay, stream: streamOf(exchange, known, (event) => apis.readEvent(operation, event)) }
  if (!isOk(exchange)) return { ...delay, respond: refusalOf(exchange, known) }
  const timeline = task && timelineOf(task, apis, known)
  const fault = broken === 'reset' || broken === 'close' ? { fault: breakOf(exchange, broken) } : {}
  const { role } = apis.operations.find(operation)!
  const respond =
    writesText({ role }) || role === 'read' || role === 'list' ? answerOf(exchange, known) : undefined
  return { ...delay, ...(timeline && { task: timeline }), ...(respond && !broken && { respond }), ...fault }
}

/** Where a response broke off, as a share of its announced length. */
function breakOf(
  { bytes, headers }: ObservedExchange,
  broken: 'reset' | 'close',
): NonNullable<Rule['fault']> {
  const length = Number(headers['content-length'])
  const at = length > 0 ? Math.min(0.99, Math.max(0.01, Math.round((bytes / length) * 100) / 100)) : 0.5
  return { type: faultThatEnds(broken === 'close' ? closedInBody : resetInBody), at } as Fault
}

/** The fault that ends a connection as the target did. */
function faultThatEnds(end: ConnectionEnd): FaultType {
  return faults.find((fault: FaultDefinition) => fault.ends?.includes(end))!.name
}

function refusalOf(exchange: ObservedExchange, known: KnownValues): Respond {
  const { status, headers } = exchange
  const retryAfter = headers['retry-after']
  const json = bodyJson(exchange)
  const text = bodyText(exchange)
  const body = json === undefined ? text : json
  return {
    status: status!,
    ...(typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter) && { retryAfter: `${retryAfter}s` }),
    ...(json === undefined && text !== '' && { headers: contentType(exchange) }),
    ...(text.length <= maxBodyCharacters && body !== '' && { body: toTemplate(body, known) }),
  }
}

function answerOf(exchange: ObservedExchange, known: KnownValues): Respond | undefined {
  const body = bodyJson(exchange)
  if (typeof body !== 'object' || body === null || bodyText(exchange).length > maxBodyCharacters)
    return undefined
  const whole = Array.isArray(body) ? withoutSplitKeys(body, known.secrets) : body
  return { ...(exchange.status !== 200 && { status: exchange.status! }), body: toTemplate(whole, known) }
}

function contentType({ headers }: ObservedExchange): Record<string, string> {
  return { 'content-type': String(headers['content-type'] ?? 'text/plain').replaceAll(/[^\x20-\x7e]/g, '') }
}

/**
 * The states that polls reported. A change happened between two polls. The middle is the best estimate, because the polls
 * of a replay come slightly sooner or later.
 */
function timelineOf(
  { kind, submission, submitted, polls }: ObservedTask,
  apis: ObservedApis,
  known: KnownValues,
): Rule['task'] | undefined {
  const timeline: { after: string; status?: string; progress?: string }[] = []
  let [beforeMs, reason] = [0, '']
  let last: { status: string; progress: number | undefined } | undefined
  const { initial, roles } = apis.operations.lifecycleOf(kind)!
  const { work, success, failure } = roles
  const isEnd = (status: string): boolean => status === success || status === failure
  for (const { operation, exchange } of polls) {
    const state = apis.readState(operation, exchange, submitted)
    if (!state) continue
    const atMs = exchange.atMs - submission.atMs
    const after = last || state.status !== initial ? (beforeMs + atMs) / 2 : 0
    const progress = state.progress === undefined ? {} : { progress: `${state.progress}%` }
    const isNew = state.status !== last?.status
    if (isNew && isEnd(state.status) && last?.status !== work)
      timeline.push({ after: formatMs((beforeMs + after) / 2), status: work })
    if (isNew)
      timeline.push({
        after: formatMs(after),
        status: state.status,
        ...(isEnd(state.status) ? {} : progress),
      })
    else if (state.progress !== last?.progress) timeline.push({ after: formatMs(after), ...progress })
    last = state
    beforeMs = atMs
    reason = state.reason
    if (isEnd(state.status)) break
  }
  if (timeline.length === 0) return undefined
  const isFailure = last?.status === failure
  return {
    timeline: timeline.slice(0, 100),
    ...(isFailure && { reason: String(toTemplate(reason, known, false)) }),
  }
}

function streamOf(
  exchange: ObservedExchange,
  known: KnownValues,
  readEvent: Parameters<typeof readStream>[1],
): StreamShape {
  const { pieces, isFinished, finishReason, error } = readStream(exchange, readEvent)
  const text = String(toTemplate(pieces.map((piece) => piece.text).join(''), known, false))
  if (text === '') return { firstToken: 0 }
  const { chunk, count } = chunkKind(text, pieces.length)
  const gaps = pieces.slice(1).map(({ atMs }, index) => atMs - pieces[index]!.atMs)
  const medianMs = gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? 0
  const longestMs = Math.max(0, ...gaps)
  const isStall = longestMs > Math.max(250, medianMs * 5)
  const totalMs = pieces.at(-1)!.atMs - pieces[0]!.atMs - (isStall ? longestMs - medianMs : 0)
  const stalledAt = gaps.indexOf(longestMs) + 1
  const toChunk = (piece: number): number => Math.max(1, Math.round((piece / pieces.length) * count))
  const { broken } = exchange
  const isBroken = (broken !== undefined && broken !== 'client') || error !== undefined
  // The words after the break are never sent. Without any, the last chunk would announce the end of the text.
  const unsent = isBroken || !isFinished ? ' and so on' : ''
  return {
    text: text + unsent,
    chunk,
    firstToken: formatMs(pieces[0]!.atMs - (exchange.headersAtMs ?? exchange.atMs)),
    gap: formatMs(count > 1 ? totalMs / (count - 1) : 0),
    ...(isStall && { stall: { afterChunk: toChunk(stalledAt), for: formatMs(longestMs - medianMs) } }),
    ...(broken && broken !== 'client' && { error: { afterChunk: count, kind: broken } }),
    ...(error && {
      error: {
        afterChunk: count,
        kind: 'event' as const,
        ...(error.status !== undefined && { status: error.status }),
        ...(error.message !== '' && { message: String(toTemplate(error.message, known, false)) }),
      },
    }),
    ...(!isFinished && !broken && !error && { cut: count }),
    ...(finishReason !== undefined && !/^stop$/i.test(finishReason) && { finishReason }),
  }
}

/** The chunk setting whose number of chunks is nearest to that of the pieces. */
function chunkKind(text: string, pieces: number): { chunk: 'token' | 'word' | 'character'; count: number } {
  const kinds = [
    { chunk: 'token' as const, count: tokenize(text).length },
    { chunk: 'word' as const, count: text.match(/\s*\S+/g)?.length ?? 1 },
    { chunk: 'character' as const, count: charactersOf(text).length },
  ]
  const distance = ({ count }: { count: number }): number => Math.abs(count - pieces)
  return kinds.toSorted((one, other) => distance(one) - distance(other))[0]!
}

/** The step by which the reference client does the same. */
function driveStep(
  apis: ObservedApis,
  operation: string,
  { sent, key }: ObservedExchange,
  prompt: string | undefined,
): DriveStep[] {
  const flows = apis.flows.filter(({ operations: { submit } }) => submit === operation)
  const flow = flows.find(({ isStream = false }) => isStream === (sent['stream'] === true)) ?? flows[0]
  if (!flow) return []
  return [
    {
      flow: flow.name,
      ...(prompt !== undefined && { prompt: removeKeys(prompt, [key]).slice(0, 10_000) }),
    },
  ]
}

function formatMs(durationMs: number): string {
  const rounded = Math.max(0, Math.round(durationMs))
  return rounded >= 10_000 && rounded % 1_000 === 0 ? `${rounded / 1_000}s` : `${rounded}ms`
}
