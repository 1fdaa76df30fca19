import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { ApiRecording, ObservedState, ObservedSubmission } from '../../define/flow.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import type { Call, JobRequest } from '../kit/call.ts'
import type { Job } from '../job/job.ts'
import { allWords, firstWords } from '../job/state-words.ts'
import { Answer } from '../kit/answer.ts'
import { dropPromises } from '../kit/call-defined.ts'
import { runWatched } from '../../define/watched-functions.ts'
import { Refused } from '../kit/refused.ts'

/** Stand for the id and the link of a job in a reply. */
export const imaginedId = 'the-job'
export const imaginedUrl = 'https://vendor.example/result'

/** Stand for the progress and the reason of a job in a reply. */
const imaginedProgress = 37
export const imaginedReason = 'the reason of the failure'

/**
 * The states that polls tell apart. A recording contains the request that cancels a job, so polls need not tell that state.
 */
const roles = ['queue', 'work', 'success', 'failure', 'cancelled'] as const
type StateRole = (typeof roles)[number]

/** Reads recordings of the API that a definition describes. */
export function readRecordings(definition: ApiDefinition): ApiRecording {
  const operationOf = (name: string): ApiOperation | undefined =>
    definition.operations[name.slice(name.indexOf('.') + 1)]
  const jobOf = ({ operation, sent, params }: ObservedSubmission): JobRequest | undefined => {
    const submit = operationOf(operation)
    return submit?.role === 'submit' ? readJob(submit, sent as JsonObject, params) : undefined
  }
  return {
    promptOf: (submission) => jobOf(submission)?.prompt,
    observe: (name, body, submission) => {
      const operation = operationOf(name)
      const request = jobOf(submission) ?? { model: '', prompt: '' }
      if (operation?.role !== 'poll') return undefined
      const job = observeJob(definition, operation, body, request)
      return job?.role === 'cancelled' ? undefined : job
    },
  }
}

/** The job that a submission describes; undefined for a body that is refused. */
export function readJob(
  submit: Extract<ApiOperation, { role: 'submit' }>,
  sent: JsonObject,
  params: Readonly<Record<string, string>>,
): JobRequest | undefined {
  try {
    const body = 'read' in submit.body ? submit.body.read(sent) : parse(submit.body, sent)
    const job = submit.job({ ...emptyCall, body: body as never, params })
    const isRefused = dropPromises(job) || job instanceof Answer || job instanceof Refused
    return isRefused ? undefined : (job as JobRequest)
  } catch {
    return undefined
  }
}

/** An operation whose replies tell the state of a job. */
export type PollOperation = Extract<ApiOperation, { role: 'poll' | 'result' }>

/** A job as a reply of the vendor shows it. */
export interface ObservedJob extends ObservedState {
  readonly role: StateRole
}

/** Reads the state of a job in a reply of the vendor: that of the reply of the definition which resembles it most. */
export function observeJob(
  definition: ApiDefinition,
  operation: PollOperation,
  body: Readonly<Record<string, unknown>>,
  request: JobRequest,
): ObservedJob | undefined {
  const found = flatten(body)
  const replies = roles.flatMap((role) => {
    const reply = replyFor(definition, operation, imagineJob(definition, role, request))
    return reply === undefined ? [] : [{ role, leaves: flatten(reply) }]
  })
  const paths = new Set(replies.flatMap(({ leaves }) => [...leaves.keys()]))
  const telling = [...paths].filter(
    (path) => new Set(replies.map(({ leaves }) => JSON.stringify(leaves.get(path)))).size > 1,
  )
  const words = new Set<unknown>(allWords(definition.states))
  const scoreOf = (leaves: Leaves): number =>
    telling.reduce((sum, path) => sum + likeness(found.get(path), leaves.get(path), words), 0)
  const [best] = replies
    .map((reply) => ({ ...reply, score: scoreOf(reply.leaves) }))
    .toSorted((one, other) => other.score - one.score)
  const status = best && firstWords(definition.states)[best.role]
  if (status === undefined) return undefined
  const valueAt = (mark: RegExp): unknown =>
    found.get([...best!.leaves].find(([, leaf]) => mark.test(String(leaf)))?.[0] ?? '')
  return {
    role: best!.role,
    status,
    progress: valueAt(/^37%?$/),
    reason: valueAt(new RegExp(`^${imaginedReason}$`)),
  }
}

/** How like two values at one place are. A word for a state decides. */
function likeness(found: unknown, expected: unknown, words: ReadonlySet<unknown>): number {
  if (kindOf(found) !== kindOf(expected)) return 0
  if (found !== expected) return 1
  return words.has(found) ? 100 : 3
}

/** An empty text stands for a missing reason, as null does. */
const kindOf = (value: unknown): string => (value === null ? 'null' : value === '' ? 'empty' : typeof value)

type Leaves = ReadonlyMap<string, unknown>

/** The values of a reply by their paths. The elements of a list share a path. */
function flatten(value: unknown): Leaves {
  return new Map([...findLeaves(value, '')].map(([keys, leaf]) => [keys.join('/'), leaf]))
}

/** The values of a reply with the keys that lead to them. @param index replaces the places in lists, if it is given. */
export function* findLeaves(
  value: unknown,
  index?: string,
  keys: readonly string[] = [],
): Generator<readonly [keys: readonly string[], value: unknown]> {
  if (typeof value !== 'object' || value === null) return yield [keys, value]
  const isList = Array.isArray(value)
  for (const [key, each] of Object.entries(value))
    yield* findLeaves(each, index, [...keys, (isList ? index : undefined) ?? key])
}

const emptyCall: Call = {
  body: {},
  path: '',
  params: {},
  query: new URLSearchParams(),
  header: () => '',
  now: 0,
  requestId: '',
  quirks: {},
  file: () => undefined,
  files: [],
}

/** The reply for a job; undefined if the function throws, or sends a file. */
export function replyFor(
  { name }: ApiDefinition,
  { reply }: Pick<PollOperation, 'reply'>,
  job: Job,
  call: Call = emptyCall,
): JsonObject | undefined {
  try {
    const made = runWatched(name, 'reply', () => reply(job, { ...call, jobs: [job], index: 0 }))
    if (dropPromises(made)) return undefined
    return JSON.parse(JSON.stringify(made instanceof Answer ? made.body : made)) as JsonObject
  } catch {
    return undefined
  }
}

/** A job in some state, as replies read it. */
export function imagineJob(definition: ApiDefinition, role: StateRole, request: JobRequest): Job {
  const { makes = 'video' } = definition
  const states = firstWords(definition.states)
  const hasSucceeded = role === 'success'
  const isDone = !['queue', 'work'].includes(role)
  const url = hasSucceeded ? imaginedUrl : null
  const job: Pick<Job, keyof Job> = {
    id: imaginedId,
    alias: (name, index = 0) => `${name}-${index}`,
    status: states[role] ?? states.failure,
    isQueued: role === 'queue',
    isCancelling: false,
    isDone,
    hasSucceeded,
    hasFailed: role === 'failure',
    wasCancelled: role === 'cancelled',
    progress: { queue: 0, work: imaginedProgress }[role as string] ?? 100,
    share: 0.5,
    row: 1,
    quota: 1,
    tokens: 1,
    action: 'generate',
    parent: undefined,
    changedAt: 0,
    expiresAt: undefined,
    reason: role === 'failure' ? imaginedReason : '',
    model: request.model,
    prompt: request.prompt,
    makes: request.makes ?? makes,
    seconds: Number(request.seconds ?? 5),
    width: 1280,
    height: 720,
    seed: String(request.seed ?? 1),
    input: (request.input ?? {}) as JsonObject,
    submittedAt: 0,
    startedAt: role === 'queue' ? undefined : 1_000,
    endedAt: isDone ? 2_000 : undefined,
    position: 0,
    count: request.count ?? 1,
    url,
    urls: url === null ? [] : [url],
    origin: 'https://vendor.example',
    seenAt: 3_000,
    reachedAt: () => undefined,
    hasPreview: role === 'work',
    token: () => '0123456789abcdef',
    drawing: undefined,
    file: undefined as never,
    files: [],
  }
  return job as Job
}

/** The bodies of an operation for a job in each state, with each value of each quirk, and as the child of another job. */
export function imagineReplies(
  definition: ApiDefinition,
  { role, reply }: Exclude<ApiOperation, { role: 'download' | 'call' | 'list' }>,
): readonly unknown[] {
  const request = { model: 'model-1', prompt: 'a paper boat in the rain' }
  const states = role === 'submit' || role === 'confirm' ? (['queue'] as const) : roles
  const jobs = states.flatMap((state) => {
    const job = imagineJob(definition, state, request)
    return [job, { ...job, parent: 'another-job', expiresAt: 3_000 } as unknown as Job]
  })
  return quirksOfCalls(definition).flatMap((quirks) =>
    jobs.flatMap((job): readonly unknown[] => {
      const made = replyFor(definition, { reply: reply as PollOperation['reply'] }, job, {
        ...emptyCall,
        quirks,
      })
      return made === undefined ? [] : [made]
    }),
  )
}

/** The first values of all quirks, and then those with one other value. */
function quirksOfCalls({ quirks = {} }: ApiDefinition): readonly Call['quirks'][] {
  const entries = Object.entries(quirks)
  const first = Object.fromEntries(entries.map(([name, { values }]) => [name, values[0]]))
  const others = entries.flatMap(
    ([
      name,
      {
        values: [, ...more],
      },
    ]) => more.map((value) => ({ ...first, [name]: value })),
  )
  return [first, ...others]
}

function parse(schema: object, sent: unknown): unknown {
  return (schema as { parse: (value: unknown) => unknown }).parse(sent)
}
