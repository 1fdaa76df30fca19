import type { DriveStep, Flow, Rule, Scenario } from '../../scenario/vocabulary/types.ts'

/** The operations of an API that a trouble can affect. */
interface ApiOperations {
  /** The operation that creates a task or writes a text. */
  readonly submit: string
  /** Missing for APIs without tasks. */
  readonly poll?: string
  readonly download?: string
}

const apis: Readonly<Record<Flow, ApiOperations>> = {
  video: { submit: 'video.submit', poll: 'video.poll', download: 'video.content' },
  'openai-video': { submit: 'videos.create', poll: 'videos.retrieve', download: 'video.content' },
  drawing: { submit: 'mj.imagine', poll: 'mj.fetch', download: 'mj.image' },
  chat: { submit: 'chat.complete' },
  'chat-stream': { submit: 'chat.complete' },
  text: { submit: 'text.generate' },
  'text-stream': { submit: 'text.stream' },
}

/** The APIs of drafts: the flows of the reference client. */
export const draftApis = Object.keys(apis) as readonly Flow[]

/** The addition of a trouble to a scenario. */
interface Trouble {
  readonly summary: string
  /** Returns undefined for an API that can't have the trouble. */
  readonly rule: (api: ApiOperations, flow: Flow) => Omit<Rule, 'id'> | undefined
  readonly drive?: Partial<DriveStep>
  /** The status in which the task ends. */
  readonly status?: string
}

const taskRule =
  (task: Rule['task']) =>
  ({ submit, poll }: ApiOperations): Omit<Rule, 'id'> | undefined =>
    poll === undefined ? undefined : { match: { op: submit }, task: task! }

const troubles = {
  errors: {
    summary: 'the first requests are refused with 503',
    rule: ({ submit }) => ({ match: { op: submit }, attempts: [503, 503, 'ok'] }),
  },
  'rate-limit': {
    summary: 'the first request is refused with 429 and Retry-After',
    rule: ({ submit }) => ({
      match: { op: submit },
      attempts: [{ respond: { status: 429, retryAfter: '10s' } }, 'ok'],
    }),
  },
  reset: {
    summary: 'a connection is reset: of a poll, or of the request for a text',
    rule: ({ submit, poll = submit }) => ({ match: { op: poll }, attempts: ['reset', 'ok'] }),
  },
  slow: {
    summary: 'the first response takes 20 s',
    rule: ({ submit }) => ({ match: { op: submit }, on: 1, delay: '20s' }),
  },
  failure: {
    summary: 'the task fails with a reason',
    rule: taskRule({ outcome: 'failure', failAt: '60%', reason: 'content policy: prompt rejected' }),
    status: 'FAILURE',
  },
  stuck: {
    summary: 'the task never leaves the queue',
    rule: taskRule({ queued: 'forever', expire: { after: '8m', reason: 'timeout: no worker' } }),
    drive: { giveUpAfter: '15m' },
    status: 'FAILURE',
  },
  download: {
    summary: 'the first download ends early',
    rule: ({ download }) =>
      download === undefined
        ? undefined
        : { match: { op: download }, attempts: [{ fault: { type: 'truncate', at: '40%' } }, 'ok'] },
  },
  stream: {
    summary: 'the stream is reset after some words',
    rule: ({ submit }, flow) =>
      flow.endsWith('-stream')
        ? { match: { op: submit }, on: 1, stream: { error: { afterChunk: 3, kind: 'reset' } } }
        : undefined,
  },
} as const satisfies Readonly<Record<string, Trouble>>

export type TroubleName = keyof typeof troubles

export const troubleNames = Object.keys(troubles) as readonly TroubleName[]

export const troubleSummary = (name: TroubleName): string => troubles[name].summary

/** The troubles that an API can have. */
export function troublesOf(api: Flow): TroubleName[] {
  return troubleNames.filter((name) => (troubles[name] as Trouble).rule(apis[api], api) !== undefined)
}

/** Writes a scenario that a good client passes. */
export function draftScenario(name: string, api: Flow, trouble: TroubleName): Scenario {
  const { submit, poll } = apis[api]
  const { rule, drive = {}, status = 'SUCCESS' }: Trouble = troubles[trouble]
  const channel = api === 'drawing' ? 'drawing' : 'video'
  const isVideo = poll !== undefined && channel === 'video'
  return {
    version: 1,
    name,
    rules: [{ id: trouble, ...rule(apis[api], api)! }],
    drive: [
      {
        flow: api,
        prompt: 'a paper boat in the rain',
        ...(isVideo && { seconds: 1, size: '128x96' }),
        ...drive,
      },
    ],
    expect: {
      ...(poll === undefined
        ? { requests: [{ op: submit, status: 200, outcome: 'completed', count: { min: 1 } }] }
        : { tasks: [{ channel, count: 1, status }] }),
      always: [
        'auth-on-every-call',
        ...(poll === undefined ? [] : (['no-poll-after-terminal', 'no-duplicate-submit'] as const)),
      ],
    },
  }
}
