import type { ApiFlow } from '../../apis/define/flow.ts'
import { findFlow, findLifecycle, shippedFlows, shippedOperations } from '../../apis/index.ts'
import type { Channel, DriveStep, Flow, Rule, Scenario } from '../../scenario/vocabulary/types.ts'

/** What a draft is about: what the reference client can do. */
export const draftApis = shippedFlows.map(({ name }) => name)

/** What `greenroom init` writes a first test for. */
export const firstApis = shippedFlows.filter(({ first }) => first !== undefined).map(({ name }) => name)

/** The addition of a trouble to a scenario. */
interface Trouble {
  readonly summary: string
  /** Returns undefined for an API that can't have the trouble. */
  readonly rule: (flow: ApiFlow) => Omit<Rule, 'id'> | undefined
  readonly drive?: Partial<DriveStep>
  /** Whether the task fails. */
  readonly isFailure?: true
}

const taskRule =
  (task: Rule['task']) =>
  ({ operations: { submit, poll } }: ApiFlow): Omit<Rule, 'id'> | undefined =>
    poll === undefined ? undefined : { match: { op: submit }, task: task! }

const troubles = {
  errors: {
    summary: 'the first requests are refused with 503',
    rule: ({ operations: { submit } }) => ({ match: { op: submit }, attempts: [503, 503, 'ok'] }),
  },
  'rate-limit': {
    summary: 'the first request is refused with 429 and Retry-After',
    rule: ({ operations: { submit } }) => ({
      match: { op: submit },
      attempts: [{ respond: { status: 429, retryAfter: '10s' } }, 'ok'],
    }),
  },
  reset: {
    summary: 'a connection is reset: of a poll, or of the request for a text',
    rule: ({ operations: { submit, poll = submit } }) => ({ match: { op: poll }, attempts: ['reset', 'ok'] }),
  },
  slow: {
    summary: 'the first response takes 20 s',
    rule: ({ operations: { submit } }) => ({ match: { op: submit }, on: 1, delay: '20s' }),
  },
  failure: {
    summary: 'the task fails with a reason',
    rule: taskRule({ outcome: 'failure', failAt: '60%', reason: 'content policy: prompt rejected' }),
    isFailure: true,
  },
  stuck: {
    summary: 'the task never leaves the queue',
    rule: taskRule({ queued: 'forever', expire: { after: '8m', reason: 'timeout: no worker' } }),
    drive: { giveUpAfter: '15m' },
    isFailure: true,
  },
  download: {
    summary: 'the first download ends early',
    rule: ({ operations: { download } }) =>
      download === undefined
        ? undefined
        : { match: { op: download }, attempts: [{ fault: { type: 'truncate', at: '40%' } }, 'ok'] },
  },
  stream: {
    summary: 'the stream is reset after some words',
    rule: ({ operations: { submit }, isStream }) =>
      isStream
        ? { match: { op: submit }, on: 1, stream: { error: { afterChunk: 3, kind: 'reset' } } }
        : undefined,
  },
} as const satisfies Readonly<Record<string, Trouble>>

export type TroubleName = keyof typeof troubles

export const troubleNames = Object.keys(troubles) as readonly TroubleName[]

export const troubleSummary = (name: TroubleName): string => troubles[name].summary

/** The troubles that an API can have. */
export function troublesOf(api: Flow): TroubleName[] {
  return troubleNames.filter((name) => (troubles[name] as Trouble).rule(findFlow(api)) !== undefined)
}

/** Writes a scenario that a good client passes. */
export function draftScenario(name: string, api: Flow, trouble: TroubleName): Scenario {
  const flow = findFlow(api)
  const { submit } = flow.operations
  const { rule, drive = {}, isFailure }: Trouble = troubles[trouble]
  const kind = shippedOperations.find(submit)?.tasks
  const { success, failure } = kind === undefined ? {} : findLifecycle(kind).roles
  const hasSize = flow.reads.includes('size')
  return {
    version: 1,
    name,
    rules: [{ id: trouble, ...rule(flow)! }],
    drive: [
      {
        flow: api,
        prompt: 'a paper boat in the rain',
        ...(hasSize && { seconds: 1, size: '128x96' }),
        ...drive,
      },
    ],
    expect: {
      ...(kind === undefined
        ? { requests: [{ op: submit, status: 200, outcome: 'completed', count: { min: 1 } }] }
        : { tasks: [{ channel: kind as Channel, count: 1, status: (isFailure ? failure : success)! }] }),
      always: [
        'auth-on-every-call',
        ...(kind === undefined ? [] : (['no-poll-after-terminal', 'no-duplicate-submit'] as const)),
      ],
    },
  }
}
