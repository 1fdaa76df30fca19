import type * as z from 'zod/v4/core'
import { Answer } from './answer.ts'
import type { ApiDefinition, ApiOperation } from './definition.ts'
import type { DownloadOptions } from './operation.ts'
import type { CancelOptions, ListOptions, PagesOptions, PollOptions, RemoveOptions } from './operation.ts'
import type { CallOptions, SubmitOptions } from './submission.ts'
import type { CallWords } from './call.ts'
import { Refused, type RefusalKind } from './refused.ts'

/**
 * Defines an operation that makes a job.
 *
 * @param operation its route, the schema of its body, the job of a body, and the reply.
 *
 * @example
 * const create = submit({
 *   route: 'POST /v2/jobs',
 *   status: 202,
 *   body: z.object({ text: z.string(), length: z.number().optional() }),
 *   job: ({ body }) => ({ model: 'acme-1', prompt: body.text, seconds: body.length }),
 *   reply: (job) => ({ id: job.id }),
 * })
 */
export function submit<Schema extends z.$ZodType, Sent>(
  operation: SubmitOptions<Schema, CallWords, Sent>,
): ApiOperation {
  return { ...operation, role: 'submit' }
}

/**
 * Defines an operation for which a state of `lifecycle` waits. It lets the job go on, as its `job` says.
 *
 * @example
 * const approve = confirm({
 *   route: 'POST /v2/jobs/{id}/approve',
 *   ofJob: true,
 *   body: z.object({ text: z.string().optional() }),
 *   job: ({ body, parent }) => ({ model: parent!.model, prompt: body.text ?? parent!.prompt }),
 *   reply: ({ id, status }) => ({ id, status }),
 * })
 */
export function confirm<Schema extends z.$ZodType, Sent>(
  operation: SubmitOptions<Schema, CallWords, Sent>,
): ApiOperation {
  return { ...operation, role: 'confirm' }
}

/**
 * Defines an operation that returns the state of a job.
 *
 * @example
 * const get = poll({ route: 'GET /v2/jobs/{id}', reply: ({ id, status, url }) => ({ id, status, url }) })
 */
export function poll<Sent>(operation: PollOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'poll' }
}

/**
 * Defines an operation that returns the result of a job, or anything else beyond its state.
 *
 * @example
 * const output = result({
 *   route: 'GET /v2/jobs/{id}/output',
 *   reply: (job) => (job.hasSucceeded ? { video: job.url } : answer(409, { state: job.status })),
 * })
 */
export function result<Sent>(operation: PollOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'result' }
}

/**
 * Defines an operation that ends a job early.
 *
 * @example
 * const end = cancel({
 *   route: 'DELETE /v2/jobs/{id}',
 *   reply: (job, { hasEnded }) => (hasEnded ? answer(409, { state: job.status }) : answer(204)),
 * })
 */
export function cancel<Sent>(operation: CancelOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'cancel' }
}

/**
 * Defines an operation that sends the file of a job. An API without one gets one at a path of its own.
 *
 * @example
 * const file = download({ route: 'GET HEAD /files/{id}/video.mp4', expires: '24h' })
 */
export function download(operation: DownloadOptions): ApiOperation {
  return { ...operation, role: 'download' }
}

/**
 * Defines an operation that forgets a job of the same key.
 *
 * @example
 * const forget = remove({ route: 'DELETE /v2/jobs/{id}', reply: ({ id }) => ({ id, deleted: true }) })
 */
export function remove<Sent>(operation: RemoveOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'remove' }
}

/**
 * Defines an operation that lists the jobs of a key, as its reply writes them.
 *
 * @example
 * const all = list({
 *   route: 'GET /v2/jobs',
 *   page: ({ query }) => ({ limit: Number(query.get('limit') ?? 10), after: query.get('cursor') }),
 *   reply: (jobs, { next }) => ({
 *     items: jobs.map(({ id, status }) => ({ id, status })),
 *     cursor: next ?? null,
 *   }),
 * })
 */
export function list<Sent>(operation: ListOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'list' }
}

/**
 * Defines an operation that lists the jobs of a key in pages, as OpenAI's APIs do: `limit`, `order` and `after`.
 *
 * @example
 * const all = pages({ route: 'GET /v2/jobs', reply: ({ id, status }) => ({ id, status }) })
 */
export function pages<Sent>(operation: PagesOptions<CallWords, Sent>): ApiOperation {
  return { ...operation, role: 'pages' }
}

/**
 * Defines an operation without a job, such as an upload or the registration of a webhook. Rules, faults and `explore` see its
 * requests as those of any other.
 *
 * @example
 * const upload = call({
 *   route: 'POST /v2/files',
 *   body: z.object({ name: z.string() }),
 *   reply: ({ body }) => ({ file: body.name }),
 * })
 */
export function call<Schema extends z.$ZodType, Sent>(
  operation: CallOptions<Schema, CallWords, Sent>,
): ApiOperation {
  return { ...operation, role: 'call' }
}

/** What `kitFor` reads of a definition. */
export type DefinitionWords = Pick<ApiDefinition, 'states' | 'quirks' | 'shows'>

/** The words of a definition, for the functions of its operations. */
interface WordsOf<Words extends DefinitionWords> {
  readonly status: WordIn<StatesOf<Words>[keyof StatesOf<Words>]> | OtherWords<Words>
  readonly quirks: Words extends { readonly quirks: infer Quirks }
    ? ChosenValues<Quirks>
    : CallWords['quirks']
}

type StatesOf<Words extends DefinitionWords> = NonNullable<Words['states']>

type WordIn<Word> = Word extends readonly (infer Each)[] ? Each & string : Word & string

type OtherWords<Words> = Words extends { readonly shows: (...call: never[]) => infer Result }
  ? Extract<Result, { readonly status: string }>['status']
  : never

type ChosenValues<Quirks> = {
  readonly [Name in keyof Quirks & string]: Quirks[Name] extends {
    readonly values: readonly (infer Value extends string)[]
  }
    ? Value
    : string
}

/** The functions that define operations, for a definition whose words are known. */
interface Kit<Words extends CallWords> {
  readonly submit: <Schema extends z.$ZodType, Sent>(
    operation: SubmitOptions<Schema, Words, Sent>,
  ) => ApiOperation
  readonly poll: <Sent>(operation: PollOptions<Words, Sent>) => ApiOperation
  readonly result: <Sent>(operation: PollOptions<Words, Sent>) => ApiOperation
  readonly cancel: <Sent>(operation: CancelOptions<Words, Sent>) => ApiOperation
  readonly confirm: <Schema extends z.$ZodType, Sent>(
    operation: SubmitOptions<Schema, Words, Sent>,
  ) => ApiOperation
  readonly download: (operation: DownloadOptions<Words>) => ApiOperation
  readonly remove: <Sent>(operation: RemoveOptions<Words, Sent>) => ApiOperation
  readonly list: <Sent>(operation: ListOptions<Words, Sent>) => ApiOperation
  readonly pages: <Sent>(operation: PagesOptions<Words, Sent>) => ApiOperation
  readonly call: <Schema extends z.$ZodType, Sent>(
    operation: CallOptions<Schema, Words, Sent>,
  ) => ApiOperation
}

/**
 * The same functions for a definition whose words the compiler knows: `job.status` is one of `states`, and each of
 * `call.quirks` one of its values.
 *
 * @param _words the `states` and `quirks` of the definition, and its `shows`.
 *
 * @example
 * const words = {
 *   states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
 *   quirks: { links: { values: ['plain', 'nested'], description: 'How replies have links.' } },
 * } as const
 * const get = kitFor(words).poll({
 *   route: 'GET /v2/jobs/{id}',
 *   reply: ({ status, url }, { quirks }) => (quirks.links === 'plain' ? { status, url } : { status }),
 * })
 */
export function kitFor<const Words extends DefinitionWords>(_words: Words): Kit<WordsOf<Words>> {
  const kit: Readonly<Record<keyof Kit<CallWords>, unknown>> = {
    submit,
    confirm,
    poll,
    result,
    cancel,
    download,
    remove,
    list,
    pages,
    call,
  }
  return kit as Kit<WordsOf<Words>>
}

/**
 * Makes a refusal in the envelope of the API, which functions of a definition return or throw.
 *
 * @param kind the refusal of `refusals` that it is. Default `invalidBody`.
 * @param hint what to do instead, for the hint header.
 *
 * @example
 * const noVoice = refusal('There is no such voice')
 */
export function refusal(message: string, kind?: RefusalKind, hint?: string): Refused {
  return new Refused(message, kind, hint)
}

/**
 * Makes a reply with another status than that of its operation, or with headers.
 *
 * @param status such as 202.
 * @param body a value for JSON, `job.file`, or nothing for a reply without a body.
 *
 * @example
 * const busy = answer(409, { detail: 'The job is still running' }, { 'retry-after': '5' })
 * busy.status // → 409
 */
export function answer(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return new Answer(status, body, headers)
}
