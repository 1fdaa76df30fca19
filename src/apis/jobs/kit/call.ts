import type { KeyUsage } from '../../../gateway/accounts/account.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Price } from '../../../scenario/vocabulary/types.ts'
import type { ListedModel } from '../../define/catalog.ts'
import type { JobCourse } from '../job/course.ts'
import type { Job } from '../job/job.ts'
import type { JobMedium } from '../job/stored-job.ts'
import type { UploadedFile } from '../job/uploaded-file.ts'

/**
 * A request, as functions of a definition read it.
 *
 * @example
 * const callOf = ({ params, query, header }: Call) => [params['id'], query.get('page'), header('accept')]
 */
export interface Call<Body = JsonObject, Words extends CallWords = CallWords> {
  /**
   * The body, as its schema parsed it. Empty for operations without a schema. The fields of a form are texts, also numbers
   * (`z.coerce.number()` reads one), and a file is a data URL.
   */
  readonly body: Body
  /** The path, such as `/v1/models`. */
  readonly path: string
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>
  /** The parameters of the query. */
  readonly query: URLSearchParams
  /** A request header; empty if it is missing. The name may be in any case. */
  readonly header: (name: string) => string
  /** The instant of the request on the virtual clock, in milliseconds since 1970: what `exp` of a token is compared with. */
  readonly now: number
  /** The id of the request, which the journal and the header `X-Oneapi-Request-Id` have. */
  readonly requestId: string
  /** The chosen values of `quirks`, by their names. */
  readonly quirks: Words['quirks']
  /** The file that the client uploaded, by its id; undefined if its key has no file with this id. */
  readonly file: FindFile
  /** The files that the client uploaded, the newest first. */
  readonly files: readonly UploadedFile[]
  /** Of an operation with `ofJob`: the job that its path or its body names. */
  readonly parent?: Job<Words['status']> | undefined
  /** Of `reply` of a submission: whether `once` found the job, so that none was made. */
  readonly isOld?: boolean
}

/**
 * A request of an operation without a job, which may store and delete files.
 *
 * @example
 * const upload = ({ body, store }: StoringCall<{ file: string }>) => ({ file_id: store(body.file).id })
 */
export interface StoringCall<Body = JsonObject, Words extends CallWords = CallWords> extends Call<
  Body,
  Words
> {
  /**
   * Stores a file of the client: a data URL, as a form has it, or a text. Files are part of snapshots and stored states; all files
   * together may have 64 MB, then the oldest are dropped.
   */
  readonly store: (
    content: string | Uint8Array,
    about?: { readonly name?: string | undefined; readonly type?: string | undefined },
  ) => UploadedFile
  /** Deletes a file of the client. Returns whether there was one. */
  readonly forget: (id: string) => boolean
  /** The money of the key, in dollars: `balance`, `spent`, `reserved`; also its `discount`, and when it `expires`. */
  readonly account: CallAccount
  /** The models of the config; if it has none, the usual list: `name`, `kinds`, `price`, and whether the key may use it (`isAllowed`). */
  readonly models: readonly CallModel[]
}

/**
 * A model of a list.
 *
 * @example
 * const names = ({ models }: StoringCall) => models.filter((each) => each.isAllowed).map(({ name }) => name)
 */
export interface CallModel extends ListedModel {
  /** Whether the key may use it. */
  readonly isAllowed: boolean
  /** What it costs, in dollars; undefined if nothing. */
  readonly price: Price | undefined
}

/**
 * The money that a key has spent and has left, in dollars.
 *
 * @example
 * const credits = ({ account: { balance, spent } }: StoringCall) => ({ spent, left: balance ?? 'unlimited' })
 */
export interface CallAccount extends Readonly<Pick<KeyUsage, 'balance' | 'spent' | 'reserved'>> {
  /** When the key expires, in milliseconds since 1970; null if it never does. */
  readonly expires: number | null
  /** The share of every price that it pays: 1 is the full price. */
  readonly discount: number
}

/** Finds an uploaded file. */
export type FindFile = (id: unknown) => UploadedFile | undefined

/**
 * The words of a definition that its functions read: `kitFor` knows them.
 *
 * @example
 * const stateOf = (job: Job<CallWords['status']>): string => job.status
 */
export interface CallWords {
  readonly status: string
  readonly quirks: Readonly<Record<string, string>>
}

/**
 * The job that a submission describes. Missing fields get the defaults of the config.
 *
 * @example
 * const job: JobRequest = { model: 'acme/video', prompt: 'a red kite', seconds: 5, aspectRatio: '16:9' }
 */
export interface JobRequest extends JobCourse {
  /** The model. `models`, prices and rules find it by this name. */
  readonly model: string
  /** A job from which all other fields are taken: model, length, size, images and seed. */
  readonly like?: Job | undefined
  /** The text that the result shows. Directives work in it, such as `[[fail: policy]]`. */
  readonly prompt: string
  /** What the job makes. Default: `makes` of the API. */
  readonly makes?: JobMedium | undefined
  /** The length of a video, in whole seconds. A text that is no number, and 0, stand for the default. */
  readonly seconds?: number | string | undefined
  /** `1280x720`, `720p` or `16:9`. */
  readonly size?: string | undefined
  /** `16:9`, instead of a size. */
  readonly aspectRatio?: string | undefined
  /** `720p`, `4k`, or the number of lines. */
  readonly resolution?: string | number | undefined
  /** The seed of the result. Default: drawn by the seed of the simulator. */
  readonly seed?: number | string | undefined
  /** How many files of this kind the job makes, at most 16. Default 1. */
  readonly count?: number | undefined
  /** The format of images or sounds. Default `png` and `wav`. An `mp3` is silent. */
  readonly format?: FileFormat | undefined
  /** The text of a job that makes one. */
  readonly text?: string | undefined
  /** The files that the job makes, instead of `makes`, `count`, `format` and `text`, at most 16. */
  readonly files?: readonly FileRequest[] | undefined
  /** What replies repeat of the request, as `job.input`. */
  readonly input?: object | undefined
  /** What replies call this kind of request, as `job.action`. Default: empty. */
  readonly action?: string | undefined
  /** What the body calls these fields, for refusals and hints. Default: as here. */
  readonly names?: Partial<Record<'seconds' | 'size' | 'resolution' | 'aspectRatio', string>>
}

/** The formats of images and sounds. */
export type FileFormat = 'png' | 'jpeg' | 'webp' | 'wav' | 'mp3'

/**
 * A file that a job makes.
 *
 * @example
 * const files: readonly FileRequest[] = [{ makes: 'audio', format: 'mp3' }, { makes: 'image' }]
 */
export interface FileRequest {
  /** The medium: `video`, `image`, `audio` or `text`. */
  readonly makes: JobMedium
  /** The format of an image or a sound, as `format` of the job. A video is always an MP4. */
  readonly format?: FileFormat | undefined
  /** The content of a text. */
  readonly text?: string | undefined
  /** The media type of a text. Default `text/plain; charset=utf-8`. */
  readonly type?: string | undefined
}
