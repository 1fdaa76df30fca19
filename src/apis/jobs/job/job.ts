import { alphanumerics } from '../../../engine/random/draws.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { reaches, type TaskView } from '../../../engine/tasks/timeline.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { filesOf, mediumOf } from './stored-job.ts'
import { aliasOf, type AliasForms } from './aliases.ts'
import type { Drawing } from '../../../pictures/composition/drawing.ts'
import { JobFile } from './job-file.ts'
import type { JobStates, ResultPlace } from './states.ts'
import { jobRequest, type JobMedium } from './stored-job.ts'

/** What a job needs to know of its API. */
export interface JobContext {
  readonly states: JobStates
  /** The quirks that choose among several words for a state, by the first word. */
  readonly wordQuirks: Readonly<Record<string, string>>
  /** The place of the id in paths: `{id}`. */
  readonly idMark: string
  /** What the purposes of random draws begin with. */
  readonly draws: string
  readonly shows?: ((job: Job, quirks: Quirks) => StateWords | undefined) | undefined
  /** The forms of second names. */
  readonly aliases: AliasForms
  /** Where results are, by what a job makes. */
  readonly results: Readonly<Record<JobMedium, ResultPlace>>
}

/** Another word for a state, and another progress. */
interface StateWords {
  readonly status: string
  readonly progress: number
}

type Quirks = Readonly<Record<string, string>>

/**
 * A job, as replies read it. Each value is computed when it is read. Instants are milliseconds since 1970 on the virtual
 * clock.
 *
 * @example
 * const state = (job: Job) => ({ id: job.id, status: job.status, output: job.url })
 */
export class Job<Status extends string = string> {
  readonly #x: Exchange
  readonly #task: Task
  readonly #view: TaskView
  readonly #context: JobContext
  readonly #at: number
  #isRead = false
  #found: StateWords | undefined

  /** @internal Only greenroom makes jobs. */
  constructor(x: Exchange, task: Task, context: JobContext, at = x.viewedAt) {
    this.#x = x
    this.#task = task
    // A fault may show an earlier state, but none before the submission.
    this.#at = x.message ? at : Math.max(at, task.record.submittedAt)
    const isKnown = x.task === task && (at === x.now || x.message !== undefined)
    this.#view = isKnown ? x.view! : x.tasks.view(task, this.#at)
    this.#context = context
  }

  /** As in the path of polls. */
  get id(): string {
    return this.#task.record.id
  }

  /**
   * A second name, as `aliases` of the definition has it.
   * @param index the number of the file, from 0.
   */
  alias(name: string, index = 0): string {
    const { aliases } = this.#context
    if (!(name in aliases)) {
      const known = Object.keys(aliases).join(', ')
      throw new TypeError(`aliases has no "${name}".${known === '' ? '' : ` Known are ${known}.`}`)
    }
    if (!(index >= 0 && index < this.count))
      throw new RangeError(`there is no file ${index}: the job has ${this.count}, from 0`)
    const { draws, namespace } = this.#x
    return aliasOf({ draws, id: this.id, shardTag: namespace.shardTag }, aliases, name, index)
  }

  /** The state, in the words of `states`, or of `shows`. */
  get status(): Status {
    return (this.#other?.status ?? this.#word) as Status
  }

  /** Of several words for a state, the one that the gateway uses. */
  get #word(): string {
    const { state } = this.#view
    const quirk = this.#context.wordQuirks[state]
    return quirk === undefined ? state : ((this.#x.core.quirks as object as Quirks)[quirk] ?? state)
  }

  /** Whether the work has not begun. */
  get isQueued(): boolean {
    return this.#view.state === this.#context.states.queue
  }

  /** Whether a request has cancelled it, and it has not ended yet. */
  get isCancelling(): boolean {
    return this.#view.state === this.#context.states.cancelling
  }

  /** Whether it has ended, in whichever way. */
  get isDone(): boolean {
    return this.#view.final
  }

  /** Whether it has a result. */
  get hasSucceeded(): boolean {
    return this.#view.state === this.#context.states.success
  }

  /** Whether it ended without a result, and was not cancelled. */
  get hasFailed(): boolean {
    return this.#view.state === this.#context.states.failure
  }

  /** Whether a request ended it. False if `states` has no `cancelled`. */
  get wasCancelled(): boolean {
    return this.#view.state === this.#context.states.cancelled
  }

  /** 0 to 100. */
  get progress(): number {
    const { progress, since } = this.#view
    // Its work has stopped, so its progress stays what it was.
    if (this.isCancelling) return this.#x.tasks.view(this.#task, since - 1).progress
    return this.#other?.progress ?? progress
  }

  /** How much of the time of its state is over: 0 to 1. */
  get share(): number {
    const span = this.#task.timeline.spans.find(({ state }) => state === this.#view.state)!
    const { from, until, wholeMs = until === null ? 0 : until - from } = span
    return wholeMs === 0 ? 1 : (this.#at - from) / wholeMs
  }

  get #other(): StateWords | undefined {
    const { shows } = this.#context
    if (!shows || this.#isRead) return this.#found
    this.#isRead = true
    this.#found = shows(this, this.#x.core.quirks as object as Quirks)
    return this.#found
  }

  /** Why it failed; empty if it has not, or without a reason. */
  get reason(): string {
    return this.#view.reason
  }

  /** Its number in the gateway's own tables. */
  get row(): number {
    return this.#task.record.row
  }

  /** What it costs, in the gateway's units: 500,000 are one dollar. */
  get quota(): number {
    return jobRequest(this.#task).quota
  }

  /** The tokens that it is billed by, if its model is. */
  get tokens(): number | undefined {
    return jobRequest(this.#task).tokens
  }

  /** The `action` that `job` of the submission returned. */
  get action(): string {
    return jobRequest(this.#task).action
  }

  /** The id of the job that it was made from, as a remix is. */
  get parent(): string | undefined {
    return jobRequest(this.#task).remixedFrom
  }

  /** The model of the request. */
  get model(): string {
    return jobRequest(this.#task).model
  }

  /** The prompt without directives. */
  get prompt(): string {
    return jobRequest(this.#task).prompt
  }

  /** `video`, `image`, `audio` or `text`: the medium of its first file. */
  get makes(): JobMedium {
    return mediumOf(filesOf(jobRequest(this.#task))[0]!)
  }

  /** The length of the video. */
  get seconds(): number {
    return jobRequest(this.#task).seconds
  }

  /** In pixels. */
  get width(): number {
    return jobRequest(this.#task).width
  }

  /** In pixels. */
  get height(): number {
    return jobRequest(this.#task).height
  }

  /** Given by the request, or drawn. */
  get seed(): string {
    return jobRequest(this.#task).seed
  }

  /** The `input` that `job` of the submission returned. */
  get input(): JsonObject {
    return (jobRequest(this.#task).input ?? {}) as JsonObject
  }

  /** When it was submitted. */
  get submittedAt(): number {
    return this.#task.record.submittedAt
  }

  /** Undefined while it is queued. */
  get startedAt(): number | undefined {
    return this.#view.startedAt || undefined
  }

  /** Undefined until it has ended. */
  get endedAt(): number | undefined {
    return this.#view.final ? this.#view.finishedAt : undefined
  }

  /** When its state began. */
  get changedAt(): number {
    return this.#view.since
  }

  /** When greenroom forgets it, by `retention` of the config; undefined if it does not. */
  get expiresAt(): number | undefined {
    const age = this.#x.core.retention?.ageMs
    return age === undefined ? undefined : this.#task.record.submittedAt + age
  }

  /** How many jobs of its API were submitted before it and have not ended. */
  get position(): number {
    const { namespace, tasks, now } = this.#x
    const { serial, lifecycle } = this.#task
    return tasks
      .list(namespace.name)
      .filter(
        (other) => other.serial < serial && other.lifecycle === lifecycle && !tasks.view(other, now).final,
      ).length
  }

  /** How many files it makes. */
  get count(): number {
    return filesOf(jobRequest(this.#task)).length
  }

  /** The URL of its file, or of its first one; null until it has succeeded. */
  get url(): string | null {
    return this.hasSucceeded ? this.#urlOf(0) : null
  }

  /** The URLs of its files; empty until it has succeeded. */
  get urls(): string[] {
    return this.hasSucceeded ? Array.from({ length: this.count }, (_, index) => this.#urlOf(index)) : []
  }

  /** The instant at which it is seen: that of the request, unless a fault shows an earlier one. */
  get seenAt(): number {
    return this.#at
  }

  /** When it reached a state of `lifecycle`; undefined until then. */
  reachedAt(state: string): number | undefined {
    const at = reaches(this.#task.timeline, state)
    return at !== null && at <= this.#at ? at : undefined
  }

  /** Whether there is an image of the unfinished job. */
  get hasPreview(): boolean {
    return this.makes === 'image' && this.#view.state === this.#task.lifecycle.roles.work && this.progress > 0
  }

  /**
   * Random characters, the same in each reply: for further ids of the vendor.
   * @param name what they are for.
   * @param of what they are drawn from. Default: letters and digits.
   * @param per whether each job has its own, or all jobs of a namespace have the same.
   */
  token(name: string, length: number, of = alphanumerics, per: 'job' | 'namespace' = 'job'): string {
    const { draws, namespace } = this.#x
    const subject = per === 'job' ? this.id : namespace.name
    return draws.text(of, length, `${this.#context.draws}.${name}`, subject, 0)
  }

  /** @internal What its first image shows. */
  get drawing(): Drawing | undefined {
    const [picture] = jobRequest(this.#task).pictures ?? []
    return picture?.kind === 'picture' ? picture.drawing : undefined
  }

  /** What links to this simulator begin with, such as `http://127.0.0.1:4646`. */
  get origin(): string {
    return this.#x.origin
  }

  /** The bytes of its file, or of its first one, for a reply that sends them instead of JSON. */
  get file(): JobFile {
    return this.files[0]!
  }

  /** Its files: what each is, and where. A reply that returns one sends its bytes. Their URLs work when it has succeeded. */
  get files(): readonly JobFile[] {
    return filesOf(jobRequest(this.#task)).map(
      (file, index) => new JobFile(index, mediumOf(file), (each) => this.#urlOf(each)),
    )
  }

  #urlOf(index: number): string {
    const { id } = this.#task.record
    const media = filesOf(jobRequest(this.#task)).map(mediumOf)
    const medium = media[index]!
    const { path, linkMs, isOwn, alias } = this.#context.results[medium]
    const n = isOwn ? media.slice(0, index).filter((each) => each === medium).length : index
    const name = alias === undefined ? id : this.alias(alias, n)
    const filled = path
      .replace(this.#context.idMark, () => encodeURIComponent(name))
      .replace('{n}', String(n))
    const query = this.#x.core.links.queryFor(id, this.#x.now, linkMs)
    return this.#x.origin + filled + (path.includes('?') ? query.replace('?', '&') : query)
  }
}
