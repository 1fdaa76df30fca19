import type * as z from 'zod/v4/core'
import type { TaskShape } from '../../../engine/tasks/plan-task.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { PreparedBody, Route } from '../../../gateway/exchange.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { Drawing, Photo } from '../../../pictures/composition/drawing.ts'
import type { RequestPhoto } from '../../painting/photos.ts'
import type { JobCourse } from '../job/course.ts'
import type { Job } from '../job/job.ts'
import type { JobSettings } from '../request/settings.ts'
import type { Answer } from '../kit/answer.ts'
import type { Call, CallWords, JobRequest } from '../kit/call.ts'
import type { ApiOperation } from '../kit/definition.ts'
import type { CallOptions, SubmitOptions } from '../kit/submission.ts'
import type { Form } from '../../define/form.ts'
import type { Refused } from '../kit/refused.ts'

/** A job whose image an API of the gateway composes itself, from a prompt that it has read. */
export interface ComposedJob extends JobCourse, Pick<JobRequest, 'model' | 'prompt' | 'action'> {
  /** Drawn by default. */
  readonly seed?: number | undefined
  /** What the directives of the prompt say. */
  readonly shape?: TaskShape | undefined
  /** Of a confirmation: whether the pace is not that of the waiting job. */
  readonly isRepaced?: boolean
  /** Returns the image, and what replies repeat. */
  readonly compose: (
    seed: number,
    photos: readonly Photo[],
  ) => { readonly drawing: Drawing; readonly input: object }
}

/** A request, as operations that compose read it. */
export interface ComposeCall<Body = JsonObject, Words extends CallWords = CallWords> extends Call<
  Body,
  Words
> {
  /** What links to this simulator begin with. */
  readonly origin: string
  readonly shardTag: string
  readonly images: readonly RequestPhoto[]
  readonly settings: JobSettings
  /** Of `reply`: the ids of all jobs that the request made. */
  readonly made?: readonly string[]
}

/** How the images of a body are received. */
export interface Receiving {
  readonly media: MediaSource
  readonly settings: JobSettings
  readonly path: string
}

/** An operation that composes. */
export interface ComposeOptions<
  Schema extends z.$ZodType = z.$ZodType,
  Words extends CallWords = CallWords,
> extends Omit<SubmitOptions<Schema, Words>, 'images' | 'reads' | 'job' | 'reply'> {
  /** The directives of its prompts, and how to write one. */
  readonly directives?: Pick<Route, 'directives' | 'directiveUsage'>
  /** Reads the id of the job that it is about from the body. */
  readonly inBody?: ((body: JsonObject) => unknown) | undefined
  /** Receives the images of a body, and returns the fields of its identity. */
  readonly prepare: (body: JsonObject, how: Receiving) => MaybePromise<PreparedBody<readonly RequestPhoto[]>>
  readonly reads: (call: ComposeCall<JsonObject, Words>) => {
    readonly model: string
    readonly prompt: unknown
  }
  /** Returns the job, several, or one that exists: then none is made. */
  readonly job: (
    call: ComposeCall<z.output<Schema>, Words>,
  ) => ComposedJob | readonly ComposedJob[] | Job<Words['status']> | Answer | Refused
  readonly reply: (job: Job<Words['status']>, call: ComposeCall<z.output<Schema>, Words>) => unknown
}

/** Defines an operation that makes jobs, or confirms one, whose images an API of the gateway composes. */
export function compose<Schema extends z.$ZodType, Words extends CallWords>(
  role: 'submit' | 'confirm',
  operation: ComposeOptions<Schema, Words>,
): ApiOperation {
  return { ...operation, role } as unknown as ApiOperation
}

/** An operation without a job that receives images. */
export interface ReceiveOptions<Schema extends z.$ZodType = z.$ZodType>
  extends Omit<CallOptions, 'body' | 'reply'>, Pick<ComposeOptions, 'prepare' | 'directives'> {
  readonly body: Form<Schema>
  readonly reply: (call: ComposeCall<z.output<Schema>>) => unknown
}

/** Defines an operation without a job that receives images. */
export function receive<Schema extends z.$ZodType>(operation: ReceiveOptions<Schema>): ApiOperation {
  return { ...operation, role: 'call' } as unknown as ApiOperation
}
