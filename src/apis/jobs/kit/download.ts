import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { JobMedium } from '../job/stored-job.ts'
import type { Job } from '../job/job.ts'
import type { Call, CallWords } from './call.ts'
import type { JobOperation } from './operation.ts'

/**
 * An operation that sends the file of a job.
 *
 * @example
 * const options: DownloadOptions = { route: 'GET HEAD /v2/files/{id}', makes: 'image', isPublic: false }
 */
export interface DownloadOptions<Words extends CallWords = CallWords> extends JobOperation<Words> {
  /** The media that it is for, if an API has several downloads: `{n}` then counts the files of this medium. Default: all. */
  readonly makes?: JobMedium
  /** Which of `aliases` its links have as `{id}`, such as `clip`: that of the file. Default: the id of the job. */
  readonly alias?: string
  /** How long after its end the file of a job can be downloaded, on the virtual clock. Default: without a limit. */
  readonly expires?: string
  /**
   * How long a link works after the reply that gave it, on the virtual clock. A later poll gives a new one.
   * `resultExpiresAfter` of the config overrides it. Default: as long as the file.
   */
  readonly linkExpires?: string
  /** Headers of the file. `call.made` is what is sent: `video`, `image`, or a still. */
  readonly headers?: (
    job: Job<Words['status']>,
    call: Call<JsonObject, Words> & { readonly made: string },
  ) => Readonly<Record<string, string>>
  /** Whether it sends images of unfinished jobs, too. Default: no. */
  readonly previews?: boolean
  /** Parameters of the query with a longest side in pixels, for a smaller image. */
  readonly sides?: readonly string[]
  /** The parameter of the query that selects a still of a video: `thumbnail` or `spritesheet`. */
  readonly stills?: { readonly parameter: string }
  /** Whether it redirects to a signed link, which works for 15 minutes and without a key. Default: never. */
  readonly redirects?: (call: Call<JsonObject, Words>) => boolean
  /** Whether it needs no key at present. Default: `isPublic`. */
  readonly isOpen?: (call: Pick<Call<JsonObject, Words>, 'quirks'>) => boolean
  /** The body of the response if the file can't be made. */
  readonly failed?: unknown
}
