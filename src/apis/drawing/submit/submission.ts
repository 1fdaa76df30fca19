import type * as z from 'zod/mini'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import { truncate } from '../../../engine/wording.ts'
import type { Exchange, PreparedBody } from '../../../gateway/exchange.ts'
import { mapMaybePromise, type MaybePromise } from '../../../engine/maybe-promise.ts'
import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import { abortError, type GatewayError } from '../../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../../gateway/replies/reply.ts'
import type { MediaSource } from '../../../media/source.ts'
import { taskDirectives } from '../../../scenario/directives.ts'
import {
  defineOperation,
  describeRequest,
  type Behaviour,
  type SummarizedFacts,
  type Operation,
} from '../../define/operation.ts'
import type { Core } from '../../../gateway/core.ts'
import { drawingSettings, mayReport, type DrawingSettings } from '../settings.ts'
import { modeOf, type Mode } from '../lifecycle.ts'
import { submitted } from '../record.ts'
import { codeDirective, codeUsage } from '../prompt.ts'
import { DrawingRefusal, drawingError, invalidDrawing } from '../refusals.ts'
import { modelOf, type DrawingAction } from '../result.ts'
import type { CommonBody } from './form.ts'
import { createDrawing, type DrawingParams } from '../task.ts'

/** The common fields of a submission, as the settings read them. */
export interface CommonFields {
  readonly state: string
  readonly hook: string | undefined
  /** Whether variations, pans and rerolls open a dialog first. */
  readonly remix: boolean
  /** Returns the mode of the task, from the mode in the prompt. */
  readonly mode: (flagged: Mode | undefined) => Mode
}

/** The parameters of a task, without the common fields. */
export interface TaskParams extends Omit<DrawingParams, 'mode' | 'state' | 'hook'> {
  /** The mode in the prompt. */
  readonly flagged?: Mode | undefined
}

/** The parameters of the task of a submission, whose action is that of the submission by default. */
type SubmittedTask = Omit<TaskParams, 'action'> & Partial<Pick<TaskParams, 'action'>>

/** A kind of submission. Its form reads `Fields`, besides the common ones. */
export interface SubmitBehaviour<Prepared, Input, Fields> {
  /** The action for rules and keys, as far as the body determines it. */
  readonly action: DrawingAction | ((x: Exchange) => DrawingAction)
  /** For a follow-up: how to read its task. */
  readonly parent?: (body: JsonObject) => string | undefined
  readonly prepare?: (body: JsonObject, media: MediaSource) => MaybePromise<PreparedBody<Prepared>>
  readonly parse: (x: Exchange & { prepared: Prepared }, fields: Fields) => Input
  /** Carries the submission out. If it creates one task, returns its parameters. */
  readonly respond: (x: Exchange, input: Input, common: CommonFields) => Reply | SubmittedTask
}

/** The directives of tasks, and the code of a refusal. */
const drawingDirectives = [...taskDirectives, codeDirective]

/** Defines an operation of the channel that has the common fields. */
export function defineSubmission<
  const Name extends string,
  Prepared,
  Input,
  Schema extends z.ZodMiniType<CommonBody>,
>(
  facts: SummarizedFacts<Name, Schema>,
  behave: (core: Core) => SubmitBehaviour<Prepared, Input, z.output<Schema>>,
): Operation<Name> {
  return defineOperation({ schema: () => ({ answer: { texts: ['text/plain'] } }), ...facts }, (core) =>
    toBehaviour(core, behave(core)),
  )
}

function toBehaviour<Prepared, Input, Fields extends CommonBody>(
  core: Core,
  { action, parent, ...submission }: SubmitBehaviour<Prepared, Input, Fields>,
): Behaviour<Prepared, { input: Input; common: CommonFields }, Fields> {
  const { quirks } = core
  const settings = core.use(drawingSettings)
  const actionFor = typeof action === 'string' ? () => action : action
  const billingName = (x: Exchange): string => modelOf(actionFor(x))
  return {
    malformed,
    refuse: (error, x) =>
      (error instanceof DrawingRefusal ? error.withHeaders(contentType(quirks)) : error).reply(
        x.entry.requestId,
      ),
    ...(parent && { task: { inBody: parent, unknown: () => drawingError(4, 'task_not_found') } }),
    ...(settings.promptDirectives && { directives: drawingDirectives, directiveUsage: codeUsage }),
    describe: (x) => describeRequest(billingName(x), x.body['prompt']),
    prepare: (body, media, path) =>
      mapMaybePromise(submission.prepare?.(body, media), (prepared) => ({
        prepared: prepared?.prepared as Prepared,
        fields: identityFields(prepared?.fields ?? body, path),
      })),
    check: (x) => requireModel(billingName(x), settings),
    parse: (x, fields) => {
      const common = readCommon(x, fields, settings)
      return { input: submission.parse(x, fields), common }
    },
    respond: (x, { input, common }) => {
      const made = submission.respond(x, input, common)
      return 'status' in made ? made : submitTask(x, { action: actionFor(x), ...made }, common, core)
    },
  }
}

/** The fields of a submission's identity: without delivery options, but with the mode of the path. */
function identityFields(
  { notifyHook: _hook, nonce: _nonce, ...fields }: JsonObject,
  path: string,
): JsonObject {
  return { ...fields, '/mode': modeOf(path, undefined) }
}

/** Creates a task, and accepts the submission. */
export function submitTask(
  x: Exchange,
  params: TaskParams,
  common: CommonFields,
  core: Core,
  answer: Acceptance = {},
): Reply {
  const task = createTask(x, params, common, core)
  return accept(x, task.record.id, core, answer)
}

export function createTask(
  x: Exchange,
  { flagged, ...params }: TaskParams,
  { state, hook, mode }: CommonFields,
  core: Core,
): ReturnType<typeof createDrawing> {
  return createDrawing(x, { mode: mode(flagged), state, hook, ...params }, core)
}

interface Acceptance {
  readonly code?: 1 | 21
  readonly description?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

/**
 * The response to an accepted submission (§2.4). Like the gateway, it reports most tasks that wait for a dialog (code 21) as
 * accepted.
 *
 * @assumed §2.4 `properties` are undocumented; wire §7.4.
 */
export function accept(x: Exchange, id: string, { quirks }: Core, answer: Acceptance = {}): Reply {
  const { code = 1, description = submitted, properties = instanceOf(x) } = answer
  return jsonReply(200, { code, description, result: id, properties }, contentType(quirks))
}

export function contentType({ drawingContentType }: Quirks): Record<string, string> {
  const type = drawingContentType === 'json' ? 'application/json' : 'text/plain'
  return { 'Content-Type': `${type}; charset=utf-8` }
}

/** The account that draws for a namespace. */
function instanceOf({ draws, namespace }: Exchange): { discordChannelId: string; discordInstanceId: string } {
  const id = `1${draws.text('0123456789', 18, 'mj.instance', namespace.name, 0)}`
  return { discordChannelId: id, discordInstanceId: id }
}

function readCommon(
  { path }: Exchange,
  { notifyHook, enableRemix, state = '' }: CommonBody,
  settings: DrawingSettings,
): CommonFields {
  return {
    state: truncate(typeof state === 'string' ? state : JSON.stringify(state), 255),
    hook: readHook(notifyHook, settings),
    remix: enableRemix === true,
    mode: (flagged) => modeOf(path, flagged),
  }
}

function readHook(value: unknown, { notifyHook }: DrawingSettings): string | undefined {
  if (notifyHook === false || value === undefined || value === '') return undefined
  if (typeof value === 'string' && value.length <= 2000 && mayReport(value, notifyHook)) return value
  throw invalidDrawing(
    'parameter',
    `notifyHook is ${JSON.stringify(value).slice(0, 120)}: only http(s) addresses on this machine are called, ` +
      'or on hosts named in drawing.notifyHook.allow.',
  )
}

/** @assumed §7 the answer to a drawing without a model is undocumented; wire §2.4. */
function requireModel(model: string, { models }: DrawingSettings): void {
  if (!models || models.includes(model)) return
  const message = `No available channel for model ${model} under group default (distributor)`
  const hint = `The configured models are: ${models.join(', ')}.`
  throw abortError(503, message, 'model_not_found').withHint(hint)
}

/** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
function malformed(): GatewayError {
  return abortError(400, 'Invalid request: Invalid Midjourney request: invalid JSON request body')
}
