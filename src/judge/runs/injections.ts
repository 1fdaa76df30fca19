import { explorationOf, fullQueues } from '../../apis/index.ts'
import type { Role } from '../../engine/operations/facts.ts'
import type { FaultDefinition } from '../../scenario/faults/fault.ts'
import { brokenBytes, callbacks, slowness, unexpectedState } from '../../scenario/faults/good-clients.ts'
import { faults, type Fault } from '../../scenario/faults/index.ts'
import type { InjectionPlace, PlaceKind } from './places.ts'
import type { InjectedEffect, Injection } from './injection.ts'
import { slowStreams, textInjections } from './text-injections.ts'

const every: readonly PlaceKind[] = ['submit', 'poll', 'download', 'text', 'stream', 'read', 'change']
const json = every.filter((kind) => kind !== 'download' && kind !== 'stream')
const paid: readonly PlaceKind[] = ['submit', 'text', 'stream']

const definitions: readonly FaultDefinition[] = faults

/** The faults of `scenario/faults`, as each describes itself. */
const wireInjections: readonly Injection[] = definitions.flatMap((definition) => {
  const { name, description, hits, goodClient, explored = {} } = definition
  if (explored === false) return []
  const at = explored.at ?? (hits === 'any' ? every : hits)
  const fault = (explored.fields ? { type: name, ...explored.fields } : name) as Fault
  const { isOnlyNamed, needsSignature } = explored
  const fits = needsSignature && { fits: ({ isSigned }: InjectionPlace) => isSigned }
  return [
    {
      ...goodClient,
      id: name,
      description,
      at: withStreams(at),
      isOnlyNamed,
      ...fits,
      effect: () => ({ fault }),
    },
  ]
})

/** Adds streams, which are texts. */
function withStreams(at: readonly Role[]): readonly Role[] {
  return at.includes('text') ? [...new Set<Role>([...at, 'stream'])] : at
}

const retry = { reaction: 'retry-with-backoff', expected: 'survive' } as const
const report = { reaction: 'report-and-stop', expected: 'report' } as const

/** A refusal by a status, and optionally more. */
function refusal(
  id: string,
  rank: number,
  respond: NonNullable<InjectedEffect['respond']>,
  description = `Status ${id}.`,
): Injection {
  const family = id.startsWith('429') ? 'rate limit' : 'server error'
  return { id, description, family, rank, at: every, ...retry, effect: () => ({ respond }) }
}

const page = {
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>502 Bad Gateway</h1></html>',
}

const refusals: readonly Injection[] = [
  refusal('429 seconds', 1, { status: 429, retryAfter: '20s' }, 'Status 429, with Retry-After in seconds.'),
  refusal(
    '429 date',
    2,
    { status: 429, retryAfter: '20s', retryAfterFormat: 'date' },
    'Status 429, with Retry-After as a date.',
  ),
  refusal('429', 3, { status: 429 }, 'Status 429, without Retry-After.'),
  ...fullQueues.map(({ id, description, respond }): Injection => ({
    ...refusal('429', 1, respond),
    id,
    description,
    at: ['submit'],
    fits: ({ operation }) => explorationOf(operation).fullQueue?.id === id,
  })),
  refusal('503', 1, { status: 503 }),
  { ...refusal('500', 2, { status: 500 }), mayHaveBegun: true },
  {
    ...refusal('502 page', 3, { status: 502, ...page }, 'Status 502, with an HTML page.'),
    mayHaveBegun: true,
  },
  { ...refusal('503 thrice', 5, { status: 503 }, 'Status 503, three times in a row.'), requests: 3 },
  {
    ...refusal('503 for good', 6, { status: 503 }, 'Status 503, from here on.'),
    ...report,
    family: 'outage',
    requests: 'all',
  },
  {
    id: 'login page',
    description: 'Status 200, with an HTML page in place of the response.',
    ...brokenBytes,
    reaction: 'verify-and-repeat',
    rank: 3,
    at: [...json, 'download'],
    effect: () => ({
      respond: { headers: { 'content-type': 'text/html' }, body: '<html>please log in</html>', broken: true },
    }),
  },
]

const otherFile: Injection = {
  id: 'no media',
  description: 'Status 200, with a few bytes that are no video and no image.',
  ...brokenBytes,
  reaction: 'verify-and-repeat',
  rank: 2,
  at: ['download'],
  effect: () => ({
    respond: {
      headers: { 'content-type': 'application/octet-stream' },
      body: 'upstream connect error or disconnect before headers',
      broken: true,
    },
  }),
}

function refusalForGood(
  id: string,
  rank: number,
  at: readonly PlaceKind[],
  [status, code, message]: readonly [number, string, string],
): Injection {
  const family = { 401: 'key revoked', 404: 'gone' }[status] ?? 'refused for good'
  const effect = (): InjectedEffect => ({ respond: { status, error: { code, message } } })
  const description = `Status ${status} from here on: ${message}.`
  return { id, description, family, rank, at, ...report, requests: 'all', isFinal: true, effect }
}

const finalRefusals: readonly Injection[] = [
  refusalForGood('401', 1, every, [401, 'invalid_token', 'Invalid token']),
  refusalForGood('400', 1, paid, [400, 'invalid_request', 'The prompt was rejected']),
  refusalForGood('403 quota', 2, paid, [403, 'insufficient_quota', 'The quota is used up']),
  refusalForGood('404 task', 1, ['poll'], [404, 'not_found', 'There is no such task']),
  refusalForGood('404 result', 1, ['download'], [404, 'not_found', 'The result has expired']),
]

/** Faults after which the client does not know that its request was accepted, the mildest first. */
const lostAnswers: readonly Injection[] = definitions
  .flatMap(({ name, lostAnswer }): Injection[] => {
    const fault = { type: name, lost: 'answer' } as Fault
    return lostAnswer ? [{ ...lostAnswer, at: ['submit'], effect: () => ({ fault }) }] : []
  })
  .toSorted((one, other) => one.rank - other.rank)

/** For clients that send idempotency keys: the gateway honours them, and the response to a submission is lost. */
const honouredKeys: Injection = {
  id: 'honoured key',
  description: 'The gateway honours idempotency keys, and the answer to the submission is lost.',
  family: 'idempotency key',
  rank: 1,
  at: ['submit'],
  reaction: 'retry-with-backoff',
  expected: 'either',
  fits: ({ hasIdempotencyKey }) => hasIdempotencyKey,
  config: { idempotencyKeys: true },
  effect: (place) => lostAnswers[0]!.effect(place),
}

const slowInjections: readonly Injection[] = [
  {
    id: 'slow 40s',
    description: 'The response comes after 40 s.',
    rank: 2,
    at: every,
    ...slowness,
    effect: () => ({ delay: '40s' }),
  },
  {
    id: 'queue 4m',
    description: 'The task is queued for four minutes.',
    rank: 4,
    at: ['submit'],
    ...slowness,
    effect: () => ({ task: { queued: '4m', render: '20s' } }),
  },
]

const failing = { queued: '5s', render: '20s', outcome: 'failure', failAt: '60%' } as const

function failure(
  id: string,
  description: string,
  rank: number,
  task: NonNullable<InjectedEffect['task']>,
): Injection {
  return {
    id,
    description,
    family: 'task fails',
    rank,
    at: ['submit'],
    ...report,
    isFinal: true,
    effect: () => ({ task }),
  }
}

const taskFailures: readonly Injection[] = [
  {
    ...failure('fails', 'The task fails, with a reason.', 1, {
      ...failing,
      reason: 'content policy: prompt rejected',
    }),
    reason: 'content policy',
  },
  failure('no reason', 'The task fails, with an empty reason.', 2, { ...failing, reason: '' }),
  {
    ...failure('fails at 100%', 'The task fails at 100 %.', 3, failing),
    fits: ({ states }) => states !== undefined,
    effect: ({ states }) => {
      const { work, failure: failed } = states!
      const timeline = [
        { after: '5s', status: work, progress: '50%' },
        { after: '20s', status: failed, progress: '100%' },
      ]
      return { task: { timeline, reason: 'upload failed' } }
    },
  },
  {
    ...failure('reason absent', 'The task fails, and its record has no reason.', 4, {
      ...failing,
      reason: '',
    }),
    fits: ({ operation }) => explorationOf(operation).absentReason !== undefined,
    also: ({ operation }) => explorationOf(operation).absentReason!,
  },
  {
    ...failure('cancelled', 'Someone else cancels the task.', 5, {
      queued: '5s',
      render: '20s',
      outcome: 'cancelled',
      failAt: '60%',
    }),
    // Without a state for cancelled tasks, this is the failure above.
    fits: ({ states }) => states?.cancelled !== undefined,
  },
  { ...failure('stuck', 'The task stays queued forever.', 6, { queued: 'forever' }), family: 'task stuck' },
]

const newStatus: Injection = {
  id: 'new status',
  description: 'The task has a status that the client does not know.',
  ...unexpectedState,
  rank: 3,
  at: ['poll'],
  fits: ({ operation, isFinal }) => explorationOf(operation).unknownStatus !== undefined && !isFinal,
  effect: ({ operation }) => ({ respond: explorationOf(operation).unknownStatus! }),
}

/** The task is short, and its submission slow. */
const earlyCallbacks: Injection = {
  id: 'early',
  description: 'All callbacks of the task arrive before the response to its submission.',
  ...callbacks,
  family: 'order of callbacks',
  rank: 4,
  at: ['submit'],
  fits: ({ hasCallbacks }) => hasCallbacks,
  effect: () => ({ task: { queued: '1s', render: '2s' }, delay: '10s' }),
}

/** All injections, in the order of the matrix: temporary failures first, then permanent ones. */
export const injections: readonly Injection[] = [
  ...refusals,
  otherFile,
  ...wireInjections,
  ...slowInjections,
  ...slowStreams,
  ...textInjections,
  newStatus,
  earlyCallbacks,
  ...lostAnswers,
  honouredKeys,
  ...finalRefusals,
  ...taskFailures,
]

function crash(id: string, rank: number, kind: 'before' | 'accepted', description: string): Injection {
  return {
    id,
    description,
    family: 'crash',
    rank,
    at: every,
    reaction: 'ignore',
    expected: 'survive',
    crash: kind,
    effect: () => ({}),
  }
}

/** Crashes of a client that can be started again, and must then go on. */
export const crashInjections: readonly Injection[] = [
  crash('crash', 1, 'before', 'The client crashes when it sends the request, which never arrives.'),
  crash('crash after', 2, 'accepted', 'The client crashes after the gateway has accepted the request.'),
]
