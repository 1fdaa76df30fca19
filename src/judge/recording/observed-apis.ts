import { tableOf, type Api } from '../../apis/define/api.ts'
import type {
  ApiFlow,
  ApiRecording,
  EventData,
  ObservedEvent,
  ObservedSubmission,
} from '../../apis/define/flow.ts'
import type { KeyPlace } from '../../apis/define/operation-schema.ts'
import { apisWith } from '../../apis/index.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { Router, type Routable } from '../../gateway/router.ts'
import { bodyJson, type ObservedExchange } from './observed.ts'

/** The task state in the response to a poll, by the names of its lifecycle. */
interface RecordedState {
  readonly status: string
  /** In percent. */
  readonly progress: number | undefined
  readonly reason: string
}

/** An operation in a recording. */
interface ObservedOperation {
  readonly operation: string
  /** The task that its path or its query names. */
  readonly task: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** The APIs that a recording may be of. */
export class ObservedApis {
  readonly operations: OperationTable
  readonly flows: readonly ApiFlow[]
  readonly #apis: readonly Api[]
  readonly #router: Router<Routable & { readonly operation: string }>

  /**
   * @param own the value of the option `apis`.
   * @throws {RouteTaken} for two operations at one path.
   */
  constructor(own?: unknown) {
    this.#apis = apisWith(own)
    this.operations = tableOf(this.#apis)
    this.flows = this.#apis.flatMap(({ flows = [] }) => flows)
    const routes = this.operations.names.map((operation) => {
      const { route, aliases = [], match } = this.operations.find(operation)!
      const parts = route.split(' ')
      return { operation, methods: parts.slice(0, -1), path: parts.at(-1)!, aliases, ...(match && { match }) }
    })
    this.#router = new Router(routes)
  }

  /** Where clients send keys, besides `Authorization`. */
  get keyPlaces(): readonly KeyPlace[] {
    return this.#apis.flatMap(({ keys = [] }) => keys)
  }

  /** The operation of an exchange; undefined for a path that greenroom doesn't know. */
  find({ method, path, query }: ObservedExchange): ObservedOperation | undefined {
    // Recordings have no headers of requests.
    const found = this.#router.find(method, path, { query: query ?? '', header: () => '' })
    if (!found) return undefined
    const { params, route } = found
    const { task, taskInQuery } = this.operations.find(route.operation)!
    const inQuery = taskInQuery === undefined ? null : new URLSearchParams(query).get(taskInQuery)
    return { operation: route.operation, params, task: inQuery ?? params[task ?? ''] }
  }

  /** Reads the state in a poll; undefined for a state that greenroom does not know. */
  readState(
    operation: string,
    exchange: ObservedExchange,
    submission: ObservedSubmission,
  ): RecordedState | undefined {
    const body = (bodyJson(exchange) ?? {}) as Record<string, unknown>
    const flow = this.flows.find(({ operations: { poll } }) => poll === operation)
    const found = flow?.observe?.(body) ?? this.#recordingOf(operation)?.observe(operation, body, submission)
    if (!found) return undefined
    const { status, progress, reason } = found
    const percent = Number.parseFloat(String(progress))
    return {
      status,
      progress: percent >= 0 && percent <= 100 ? percent : undefined,
      reason: typeof reason === 'string' ? reason : '',
    }
  }

  /** The prompt of a request: by the definition of its API, or in one of the usual places. */
  promptOf(submission: ObservedSubmission): string | undefined {
    return this.#recordingOf(submission.operation)?.promptOf(submission) ?? findPrompt(submission.sent)
  }

  /** Reads an event of a stream. */
  readEvent(operation: string, event: EventData): ObservedEvent {
    return this.#apiOf(operation)?.readEvent?.(event) ?? {}
  }

  #recordingOf(operation: string): ApiRecording | undefined {
    return this.#apiOf(operation)?.recording
  }

  #apiOf(operation: string): Api | undefined {
    return this.#apis.find(({ operations }) => operations.some(({ name }) => name === operation))
  }
}

/** The prompt, or the last text of a conversation. */
function findPrompt({
  prompt,
  messages,
  contents,
  input,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof prompt === 'string') return prompt
  if (typeof input === 'string') return input
  const last = [messages, contents].find(Array.isArray)?.at(-1) as
    | { content?: unknown; parts?: readonly { text?: unknown }[] }
    | undefined
  const text = last?.content ?? last?.parts?.[0]?.text
  return typeof text === 'string' ? text : undefined
}
