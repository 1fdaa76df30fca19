import { taskDirectives } from '../../../scenario/magic.ts'
import type { Operation } from '../../../engine/operations/operations.ts'
import { mapMaybePromise, type MaybePromise } from '../../../engine/maybe-promise.ts'
import { truncate } from '../../../engine/truncate.ts'
import { abortError, GatewayError } from '../../../gateway/replies/errors.ts'
import type { JsonObject, JsonValue } from '../../../gateway/bodies/json.ts'
import { jsonReply, type Reply } from '../../../gateway/replies/reply.ts'
import type { Context, PreparedBody, RequestFacts, Route } from '../../../gateway/route.ts'
import { defineOperation } from '../../operation.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { isHookAllowed } from '../hooks/hook-target.ts'
import { modeOf, type Mode } from '../pace.ts'
import { DrawingRefusal, drawingError, invalidDrawing } from '../refusals.ts'
import type { DrawingSettings } from '../settings.ts'
import { modelOf, submitted, type DrawingAction } from '../words.ts'

/** What every submission may say beside what it is for (wire §7.2). */
export interface CommonFields {
  readonly state: string
  readonly hook: string | undefined
  /** Whether variations, pans and rerolls ask for a prompt first. */
  readonly remix: boolean
  readonly mode: (flagged: Mode | undefined) => Mode
}

/** One way to submit, as its file describes it. */
export interface Submission<Prepared, Wanted> {
  readonly operation: Operation
  /** What rules and keys take it for, as far as the body tells. */
  readonly action: (body: JsonObject, task: Task | undefined) => DrawingAction
  /** Which task a follow-up is about. */
  readonly parent?: {
    readonly inBody: (body: JsonObject) => string | undefined
    readonly missing: (body: JsonObject) => void
  }
  readonly prepare?: (body: JsonObject, media: MediaSource) => MaybePromise<PreparedBody<Prepared>>
  readonly validate: (body: JsonObject, prepared: Prepared, facts: RequestFacts<Prepared>) => Wanted
  readonly respond: (wanted: Wanted, common: CommonFields, context: Context) => Reply
}

/** Those of tasks, and the code of a refusal. */
const drawingDirectives = [...taskDirectives, 'code']

/** Fields that say how a request is accompanied, not what it asks for. */
const accompanying = ['notifyHook', 'nonce']

/** Makes a route of a way to submit: its paths with and without a mode, and what all of them share. */
export function submitRoute<Prepared, Wanted>(
  submission: Submission<Prepared, Wanted>,
  settings: DrawingSettings,
): Route {
  const { operation, parent } = submission
  return defineOperation<Prepared, { wanted: Wanted; common: CommonFields }>(operation, {
    malformed,
    ...(parent && {
      task: {
        inBody: parent.inBody,
        unknown: (body) => {
          parent.missing(body)
          return drawingError(4, 'task_not_found')
        },
      },
    }),
    ...(settings.promptDirectives && { directives: drawingDirectives }),
    describe: (body, task) => ({
      model: modelOf(submission.action(body, task)),
      ...(typeof body['prompt'] === 'string' ? { prompt: body['prompt'] } : {}),
    }),
    prepare: (body, media, target) =>
      mapMaybePromise(submission.prepare?.(body, media), (prepared) => ({
        prepared: prepared?.prepared as Prepared,
        fields: meant(prepared?.fields ?? body, target),
      })),
    validate: (facts, task) => {
      requireOffered(modelOf(submission.action(facts.body, task)), settings)
      const common = readCommon(facts, settings)
      return inStyle(settings, () => ({
        wanted: submission.validate(facts.body, facts.prepared, facts),
        common,
      }))
    },
    respond: ({ wanted, common }, context) =>
      inStyle(settings, () => submission.respond(wanted, common, context)),
  })
}

/** What a submission asks for, and how fast: the mode stands in its path. */
function meant(body: JsonObject, target: string): JsonObject {
  const fields = Object.entries(body).filter(([name]) => !accompanying.includes(name))
  return { ...Object.fromEntries(fields), '/mode': modeOf(target, undefined, undefined) }
}

/**
 * The answer to an accepted submission (§2.4). A queued task (code 22) and most that wait for a dialog (21) are
 * reported as accepted, as the gateway rewrites them.
 *
 * @assumed §2.4 `properties` are not shown; wire §7.4.
 */
export function accepted(
  id: string,
  context: Context,
  settings: DrawingSettings,
  said: { code?: 1 | 21; description?: string; properties?: Readonly<Record<string, unknown>> } = {},
): Reply {
  const { code = 1, description = submitted, properties = instanceOf(context) } = said
  return jsonReply(200, { code, description, result: id, properties }, contentType(settings))
}

/** What is said of a task that was accepted behind others. */
export function queuedWords(
  ahead: number,
  context: Context,
): { description: string; properties: Readonly<Record<string, unknown>> } {
  const { discordInstanceId } = instanceOf(context)
  return {
    description: `排队中，前面还有${ahead}个任务`,
    properties: { numberOfQueues: ahead, discordInstanceId },
  }
}

export function contentType({ quirks }: DrawingSettings): Record<string, string> {
  const type = quirks.drawingContentType === 'json' ? 'application/json' : 'text/plain'
  return { 'Content-Type': `${type}; charset=utf-8` }
}

/** The account that a namespace's drawings are made with. */
function instanceOf({ draws, namespace }: Context): { discordChannelId: string; discordInstanceId: string } {
  const id = `1${draws.text('0123456789', 18, 'mj.instance', namespace.name, 0)}`
  return { discordChannelId: id, discordInstanceId: id }
}

/** Refusals by what stands behind the gateway are passed on in the same style as its other answers. */
function inStyle<Result>(settings: DrawingSettings, decide: () => Result): Result {
  try {
    return decide()
  } catch (error) {
    throw error instanceof DrawingRefusal ? error.withHeaders(contentType(settings)) : error
  }
}

function readCommon({ incoming, body }: RequestFacts, settings: DrawingSettings): CommonFields {
  const { target } = incoming
  const filter = settings.accountFilter ? objectOf(body['accountFilter']) : {}
  const modes = filter['modes']
  const { state = '' } = body
  return {
    state:
      typeof state === 'string'
        ? truncate(state, 255)
        : state === null
          ? ''
          : JSON.stringify(state).slice(0, 255),
    hook: readHook(body['notifyHook'], settings),
    remix: body['enableRemix'] === true || filter['remix'] === true,
    mode: (flagged) => modeOf(target, Array.isArray(modes) ? modes[0] : undefined, flagged),
  }
}

function readHook(value: JsonValue | undefined, { notifyHook }: DrawingSettings): string | undefined {
  if (notifyHook === false || value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && value.length <= 2000 && isHookAllowed(value, notifyHook.allow))
    return value
  throw invalidDrawing(
    'parameter',
    `notifyHook is ${JSON.stringify(value).slice(0, 120)}: only http(s) addresses on this machine are called, ` +
      'or on hosts named in drawing.notifyHook.allow.',
  )
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** @assumed §7 the answer to a drawing that isn't offered is not shown; wire §2.4. */
function requireOffered(model: string, { models }: DrawingSettings): void {
  if (!models || models.includes(model)) return
  const message = `No available channel for model ${model} under group default (distributor)`
  throw abortError(503, message, 'model_not_found').withHint(
    `The configured models are: ${models.join(', ')}.`,
  )
}

/** @assumed §7 the error for malformed JSON is not shown; wire §2.4. */
function malformed(): GatewayError {
  return abortError(400, 'Invalid request: Invalid Midjourney request: invalid JSON request body')
}
