import type { Flow } from '../../scenario/vocabulary/types.ts'
import type { StartFlow } from '../client/task-result.ts'

/** What the reference client can do with an API: follow a task from its submission to its files, or read a text. */
export interface ApiFlow {
  /** Such as `chat-stream`. Scenarios name it as `flow` of a step. */
  readonly name: Flow
  /** The request that begins it. */
  readonly summary: string
  /** The operations that it calls, by their roles. */
  readonly operations: { readonly submit: string; readonly poll?: string; readonly download?: string }
  /** Whether its response is streamed. */
  readonly isStream?: true
  /** The keys of a step that only some flows read. */
  readonly reads: readonly FlowKey[]
  /** The model of a step that names none; undefined if its requests have none. */
  readonly model?: string
  /** The header of the key, instead of `Authorization`. */
  readonly keyHeader?: string
  /** Reads a poll of a real gateway, for recordings; undefined for a status that no lifecycle has. */
  readonly observe?: (body: Readonly<Record<string, unknown>>) => ObservedState | undefined
  /** Loads its code, which few programs need. */
  readonly load: () => Promise<StartFlow>
  /** The client that `greenroom init` writes, and the variables by which such clients usually find the gateway. */
  readonly first?: {
    readonly variables: Readonly<Record<string, string>>
    /** What the source of a client contains, by which `greenroom init` finds it. */
    readonly calledBy: RegExp
    /** Undefined if the replies of an API of a user don't tell enough. */
    readonly load: () => Promise<FirstClient | undefined>
  }
}

/** The state of a task as a poll of a real gateway shows it. */
export interface ObservedState {
  /** By the name that the lifecycle gives it. */
  readonly status: string
  /** As the gateway writes it, such as `62%`. */
  readonly progress: unknown
  readonly reason: unknown
}

/** The submission of a task in a recording. */
export interface ObservedSubmission {
  readonly operation: string
  /** The fields of its body. */
  readonly sent: Readonly<Record<string, unknown>>
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>
}

/** Reads recordings of the real API, for an API that the reference client can't use. */
export interface ApiRecording {
  readonly promptOf: (submission: ObservedSubmission) => string | undefined
  /** Reads a poll; undefined for a state that tells nothing. */
  readonly observe: (
    operation: string,
    body: Readonly<Record<string, unknown>>,
    submission: ObservedSubmission,
  ) => ObservedState | undefined
}

/** What an event of a recorded stream adds to its text. Values of other kinds are ignored. */
export interface ObservedEvent {
  readonly text?: unknown
  readonly finishReason?: unknown
}

/** An event of a stream in a recording, as its API writes it. */
export type EventData = Readonly<Record<string, unknown>>

/** The first of several answers, which alternate in a stream. */
export function firstAnswer<Answer extends object>(answers: unknown): Partial<Answer> {
  const list = Array.isArray(answers) ? (answers as readonly ({ readonly index?: number } & Answer)[]) : []
  return list.find(({ index = 0 }) => index === 0) ?? {}
}

/** A key of a step that only some flows read. */
export type FlowKey = 'model' | 'seconds' | 'size' | 'pollEvery' | 'download' | 'verify' | 'actions'

/** The client of a first test. Code between ‹ and › is for TypeScript only. */
export interface FirstClient {
  /** The title of the test. */
  readonly title: string
  /** How the test calls the client, and what of the result must be above 0. */
  readonly call: string
  readonly measure: string
  /** Headers that its requests need, besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
  /** The function that is called, without `async`. */
  readonly code: string
  /** The same in Python, for pytest. */
  readonly python?: { readonly call: string; readonly code: string }
}
