import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import { truncate } from '../../../engine/wording.ts'
import { mapMaybePromise, type MaybePromise } from '../../../engine/maybe-promise.ts'
import type { TaskShape } from '../../../engine/tasks/plan-task.ts'
import { abortError, type GatewayError } from '../../../gateway/replies/errors.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { taskDirectives } from '../../../scenario/directives.ts'
import type { Form } from '../../define/form.ts'
import type { Job } from '../../jobs/job/job.ts'
import type { ApiOperation } from '../../jobs/kit/definition.ts'
import type { CallWords } from '../../jobs/kit/call.ts'
import { compose, type ComposeCall, type ComposedJob, type Receiving } from '../../jobs/compose/composed.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import { modeOf, paceOf, routeOf, type Mode } from '../lifecycle.ts'
import { codeDirective, codeUsage } from '../prompt.ts'
import { submitted } from '../record.ts'
import { inputOf, modelOf, type DrawingAction, type DrawingInput, type DrawingResult } from '../result.ts'
import type * as z from 'zod/mini'
import type { CommonBody } from './form.ts'

/** A drawing that a submission makes. */
export interface NewDrawing extends Pick<ComposedJob, 'seed' | 'shape' | 'once' | 'isRepaced'> {
  /** Default: that of the submission. */
  readonly action?: DrawingAction
  readonly prompt: string
  readonly version: string
  /** The mode in the prompt. The mode in the path takes precedence. */
  readonly flagged?: Mode | undefined
  /** Why it will fail. */
  readonly problem?: string | undefined
  /** The button whose dialog comes first. */
  readonly dialog?: string | undefined
  /** For a task that continues: the parts of its record that don't change. */
  readonly keeps?: Omit<DrawingInput, 'kind' | 'prompts'>
  readonly result: (seed: number, photos: readonly Photo[]) => DrawingResult
}

type SubmitCall<Body> = ComposeCall<Body>

/** What differs between submissions. */
interface Submission<Body> {
  /** The last part of its path. */
  readonly path: string
  readonly summary: string
  readonly form: Form<z.ZodMiniType<Body>>
  /** The action for rules and keys, as far as the body determines it. */
  readonly action: (call: SubmitCall<JsonObject>) => DrawingAction
  /** Reads the id of the task that it is about. */
  readonly ofJob?: (body: JsonObject) => unknown
  /** Receives the images of a body. Default: there are none. */
  readonly prepare?: (body: JsonObject, how: Receiving) => MaybePromise<PreparedBody<readonly RequestPhoto[]>>
  /** Returns what it makes; or the task that the answer is about. */
  readonly make: (call: SubmitCall<Body>) => NewDrawing | readonly NewDrawing[] | Job
  readonly reply?: (job: Job, call: SubmitCall<Body>) => unknown
}

/** The parts of an operation that submissions and uploads have in common. */
export const commonParts = {
  /** @assumed §7 the error for malformed JSON is undocumented; wire §2.4. */
  malformed: (): GatewayError =>
    abortError(400, 'Invalid request: Invalid Midjourney request: invalid JSON request body'),
  goldens: true as const,
  directives: { directives: [...taskDirectives, codeDirective], directiveUsage: codeUsage },
}

/** Defines an operation that makes drawings, or lets one go on. */
export function submission<Body extends CommonBody>(
  role: 'submit' | 'confirm',
  { path, summary, form, action, ofJob, prepare, make, reply = accepted }: Submission<Body>,
): ApiOperation {
  return compose<z.ZodMiniType<Body>, CallWords>(role, {
    ...routeOf(`POST /mj/submit/${path}`),
    ...commonParts,
    summary,
    body: form as never,
    ...(ofJob && {
      ofJob: true,
      inBody: ofJob,
      refusals: { unknownJob: { status: 400, message: 'task_not_found' } },
    }),
    reads: (call) => ({ model: modelOf(action(call)), prompt: call.body['prompt'] }),
    prepare: (body, how) =>
      mapMaybePromise(prepare?.(body, how) ?? { prepared: [], fields: body }, ({ prepared, fields }) => ({
        prepared,
        fields: identityFields(fields, how.path),
      })),
    job: (call) => {
      const made = make(call as SubmitCall<Body>)
      if ('token' in made) return made as never
      const toJob = (drawing: NewDrawing): ComposedJob =>
        toComposed(call, { action: action(call as never), ...drawing })
      return Array.isArray(made) ? made.map(toJob) : toJob(made as NewDrawing)
    },
    reply: (job, call) => reply(job, call as SubmitCall<Body>),
  })
}

/** The fields of a submission's identity: without delivery options, but with the mode of the path. */
export function identityFields(
  { notifyHook: _hook, nonce: _nonce, ...fields }: JsonObject,
  path: string,
): JsonObject {
  return { ...fields, '/mode': modeOf(path, undefined) }
}

function toComposed(
  { path, body }: Pick<SubmitCall<CommonBody>, 'path' | 'body'>,
  drawing: NewDrawing & { readonly action: DrawingAction },
): ComposedJob {
  const { action, prompt, version, flagged, problem, dialog, keeps, result, shape, ...rest } = drawing
  const model = modelOf(action)
  const mode = keeps?.mode ?? modeOf(path, flagged)
  const { state = '' } = body
  const text = truncate(typeof state === 'string' ? state : JSON.stringify(state), 255)
  return {
    ...rest,
    model,
    action,
    prompt,
    shape: shape as TaskShape | undefined,
    fails: problem,
    pace: paceOf(mode, model),
    ...(dialog !== undefined && { begins: 'MODAL' }),
    compose: (seed, photos) => {
      const { drawing, kind, prompts } = result(seed, photos)
      const input = {
        kind,
        ...(prompts && { prompts }),
        version,
        mode,
        state: text,
        ...(dialog !== undefined && { dialog }),
        ...keeps,
      }
      return { drawing, input }
    },
  }
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
export function accept(job: Job, answer: Acceptance = {}): object {
  const { code = 1, description = submitted, properties = instanceOf(job) } = answer
  return { code, description, result: job.id, properties }
}

function accepted(job: Job): object {
  return accept(job)
}

/**
 * The response to a press, which may open a dialog. The gateway reports 21 if the dialog is required, and otherwise 1. The
 * image of a grid is taken once: then the response names that task.
 *
 * @assumed §4.6 dialogs are only mentioned; wire §7.4 and §7.8. §2.4 a button that was used is undocumented; wire §7.4, code 21,
 * which the gateway rewrites to 1.
 */
export function acceptPress(job: Job, { isOld = false, parent, made = [] }: ComposeCall<unknown>): object {
  if (isOld && job.id !== parent!.id) {
    const imageUrl = job.hasSucceeded ? `${job.origin}/mj/image/${job.id}` : ''
    return accept(job, { description: '任务已存在', properties: { status: job.status, imageUrl } })
  }
  if (made.length > 1) return accept(job, { properties: { tasks: made } })
  if (isOld || inputOf(job).dialog === undefined) return accept(job)
  const code = ['INPAINT', 'CUSTOM_ZOOM'].includes(job.action) ? 21 : 1
  // Clients look for the word `confirm` (wire §7.8).
  const properties = { finalPrompt: job.prompt, remix: true }
  return accept(job, { code, description: 'Waiting for window confirm', properties })
}

/** The account that draws for a namespace. */
function instanceOf(job: Job): { discordChannelId: string; discordInstanceId: string } {
  const id = `1${job.token('instance', 18, '0123456789', 'namespace')}`
  return { discordChannelId: id, discordInstanceId: id }
}
