import { maxTracked } from '../apis/define/invariant.ts'
import { BoundedMap } from '../engine/bounded-map.ts'
import { findFault } from '../scenario/faults/index.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import {
  isCancel,
  isDelivered,
  isDownload,
  isListing,
  isPoll,
  isRetryableFailure,
  isSubmission,
} from './exchanges.ts'

/** The known facts about a task, from the requests that concern it. */
export interface WatchedTask {
  readonly id: string
  readonly kind: string | null
  /** Its number among the tasks of its kind, from 1; 0 if its submission was not watched. */
  readonly nth: number
  /** The request that created it; undefined if it was not watched. */
  readonly submission: JournalEntry | undefined
  /** The key of its requests: a mask and a hash. */
  key: Pick<JournalEntry, 'key' | 'keyHash'>
  /** The number of requests by operation. */
  readonly counts: Map<string, number>
  /** The number of requests and of webhooks after the submission. */
  uses: number
  lastPoll: JournalEntry | undefined
  /** The instant of the first poll, and the time between the latest two. */
  polledSince: number
  pollGapMs: number
  /** By operation: the request from which the client knows the end of the task. */
  readonly endKnownBy: Map<string, number>
  /** Whether any poll, delivered or not, came after the end of the task. */
  hasEnded: boolean
  /** Whether a request found that the task had failed. The task itself may have been deleted since. */
  hasFailed: boolean
  /** Whether a rule returned a wrong state. */
  wasMisreported: boolean
  download: Download | undefined
  /** Whether the client knows the end of the task, or has ended it. */
  isSettled: boolean
  /** Whether a listing since the latest poll may have reported its end. */
  wasListed: boolean
  /** Whether the client was informed that the task had ended. A refused cancellation, or a task that is gone, does not say how. */
  wasInformed: boolean
  /** The instant of the latest listing of such tasks; undefined if there was none. */
  listedAt: number | undefined
  /** Whether a new process of the client, which may know nothing of the task, was to follow it. */
  wasRestarted: boolean
  /** The number of callbacks that are on their way. */
  callbacks: number
  /** Whether the latest poll reported a dialog. The client may decline it by leaving it open. */
  isDeclined: boolean
}

/** The bytes of one task that the client has downloaded. */
export interface Download {
  /** The number of responses with bytes. */
  times: number
  complete: number
  partial: number
  altered: number
  /** Whether a response began at the first byte of the file. A range before that is only a part. */
  hasBegun: boolean
  /** Whether the client now has all bytes, unaltered. */
  isIntact: boolean
  /** The length of the complete file, once it is known. */
  totalBytes: number | undefined
  /** The number of unaltered bytes since the last download from the beginning. */
  goodBytes: number
  /** The number of the last request. */
  last: number
}

/** The tasks that requests created or concerned. */
export class WatchedTasks {
  readonly #tasks = new BoundedMap<WatchedTask>(maxTracked)
  readonly #counts = new Map<string, number>()
  readonly #operations: OperationTable
  #resets = 0

  constructor(operations: OperationTable) {
    this.#operations = operations
  }

  find(id: string | null): WatchedTask | undefined {
    return id === null ? undefined : this.#tasks.get(id)
  }

  all(): WatchedTask[] {
    return [...this.#tasks.values()]
  }

  downloads(): Download[] {
    return this.all().flatMap(({ download }) => download ?? [])
  }

  /** Records an admitted request. @returns the task that it concerns or creates. */
  admitted(entry: JournalEntry): WatchedTask | undefined {
    if (entry.task === null) return undefined
    const known = this.#tasks.get(entry.task)
    // A refused follow-up concerns its parent and creates nothing.
    const isAccepted = entry.status >= 200 && entry.status < 300
    const isNew = !known && isSubmission(entry) && isAccepted && entry.task !== entry.parent
    const task = known ?? this.#create(entry.task, entry, isNew)
    if (isSubmission(entry) && !isNew) return task
    const operation = entry.operation ?? ''
    task.counts.set(operation, (task.counts.get(operation) ?? 0) + 1)
    if (!isNew) task.uses++
    if (entry.role === 'report') task.callbacks++
    // A careful receiver may take each callback for a hint, and poll for what is true.
    if (task.callbacks > 0) task.endKnownBy.clear()
    const failure = this.#operations.lifecycleOf(entry.kind ?? undefined)?.roles.failure
    if (entry.final && entry.reportedStatus !== null && entry.reportedStatus === failure)
      task.hasFailed = true
    if (isPoll(entry)) {
      recordPoll(task, entry)
      task.isDeclined = this.#operations.isWaiting(entry.reportedStatus)
    }
    return task
  }

  /** Records a callback that has been delivered, or not. @returns its task. */
  notified(entry: JournalEntry): WatchedTask | undefined {
    const task = this.find(entry.task)
    // A receiver that did not answer in time has the callback all the same.
    if (task && entry.final && (isDelivered(entry) || entry.outcome === 'aborted'))
      task.isSettled = task.wasInformed = true
    if (task) task.callbacks--
    if (entry.status > 0) task?.endKnownBy.clear()
    return task
  }

  /** Allows polls of a parent again: the client continues from its result. */
  continued({ parent, status }: JournalEntry): void {
    const task = this.find(parent)
    task?.endKnownBy.clear()
    // Only a task that has succeeded can be continued.
    if (task && status < 300) task.isSettled = task.wasInformed = true
  }

  /** Records a new process of the client, which knows nothing of earlier responses. */
  restarted(): void {
    for (const task of this.#tasks.values()) {
      task.endKnownBy.clear()
      task.wasRestarted = true
    }
  }

  /**
   * Records that the tasks of the gateway were deleted. Later tasks may have the same ids, and no client can follow the earlier
   * ones.
   */
  forgotten(): void {
    this.#resets++
    this.#counts.clear()
    for (const [key, task] of Array.from(this.#tasks)) {
      if (key !== task.id) continue
      task.isSettled = true
      this.#tasks.delete(key)
      this.#tasks.set(`${key} before reset ${this.#resets}`, task)
    }
  }

  /** Records the knowledge of the client after a response. */
  settled(entry: JournalEntry): void {
    if (isListing(entry) && entry.status === 200 && isDelivered(entry))
      for (const task of this.#tasks.values()) if (task.kind === entry.kind) recordListing(task, entry)
    // Of several tasks, a journal has the state of the first only.
    if (entry.status === 200 && isDelivered(entry))
      for (const id of entry.others ?? []) {
        const other = this.#tasks.get(id)
        if (other) recordListing(other, entry)
      }
    const task = this.find(entry.task)
    if (!task) return
    if (showsSettled(entry)) {
      task.isSettled = true
      task.wasInformed ||= !isCancel(entry) && entry.status < 300
    }
    if (isDownload(entry)) recordDownload(task, entry)
    // A client that requests the file of a finished task relies on it.
    if (isDownload(entry) && entry.final) task.wasInformed = true
    if (isPoll(entry)) {
      const showsEnd =
        entry.final && entry.reportedStatus !== null && entry.status < 300 && isDelivered(entry)
      if (showsEnd) task.endKnownBy.set(entry.operation!, entry.number)
      return
    }
    // A client whose download failed may have to poll for its URL again.
    if (entry.status >= 400 || isRetryableFailure(entry)) task.endKnownBy.clear()
  }

  #create(id: string, entry: JournalEntry, isNew: boolean): WatchedTask {
    const kind = entry.kind
    const nth = isNew && kind !== null ? (this.#counts.get(kind) ?? 0) + 1 : 0
    if (nth > 0) this.#counts.set(kind!, nth)
    const task: WatchedTask = {
      id,
      kind,
      nth,
      submission: isNew ? entry : undefined,
      key: { key: entry.key, keyHash: entry.keyHash },
      counts: new Map(),
      uses: 0,
      lastPoll: undefined,
      polledSince: 0,
      pollGapMs: 0,
      endKnownBy: new Map(),
      hasEnded: false,
      hasFailed: false,
      wasMisreported: false,
      download: undefined,
      isSettled: false,
      wasListed: false,
      wasInformed: false,
      listedAt: undefined,
      wasRestarted: false,
      callbacks: 0,
      isDeclined: false,
    }
    this.#tasks.set(id, task)
    return task
  }
}

/**
 * Whether the client had the id of a task that has ended, and was not informed of its end, such as one that lost a race and was
 * cancelled by no longer polling it. A client that crashed has lost its task instead.
 */
export function wasLeftEarly(task: WatchedTask, endedAt: number): boolean {
  const { submission, download, wasInformed, wasRestarted, listedAt = -Infinity } = task
  if (!submission || !isDelivered(submission) || download || wasInformed || wasRestarted) return false
  return listedAt < endedAt
}

function recordListing(task: WatchedTask, { at }: JournalEntry): void {
  task.wasListed = true
  task.listedAt = at
}

/** Whether a client can read in this response that the task has ended. */
function showsSettled(entry: JournalEntry): boolean {
  const { status, final, reportedStatus, bodyReports } = entry
  if (!isReadable(entry)) return false
  if (bodyReports !== undefined && bodyReports !== 'nothing') return bodyReports === 'end'
  // A task that is gone can't be followed.
  if (status === 404 || status === 410) return isPoll(entry) || entry.role === 'result' || isCancel(entry)
  if (isCancel(entry)) return status < 300 || (final && refusesBecauseOfEnd(entry))
  if (status >= 300 || bodyReports === 'nothing') return false
  return isPoll(entry) ? reportedStatus !== null && final : final && showsResult(entry)
}

const showsResult = (entry: JournalEntry): boolean => isDownload(entry) || entry.role === 'result'

/** The gateway refuses to cancel a task that has ended, and says so. */
function refusesBecauseOfEnd({ status, rules }: JournalEntry): boolean {
  return [400, 409, 422].includes(status) && rules.length === 0
}

/** Whether the client has the whole body. Its media type may be wrong, and the state in it an earlier one. */
function isReadable(entry: JournalEntry): boolean {
  if (isDelivered(entry)) return true
  const { outcome, content, fault } = entry
  if (outcome !== 'completed' || content !== 'complete' || fault === null) return false
  const definition = findFault(fault)
  return definition?.visibleIn === 'headers' || definition?.viewedAt !== undefined
}

function recordPoll(task: WatchedTask, entry: JournalEntry): void {
  if (task.lastPoll) task.pollGapMs = entry.at - task.lastPoll.at
  else task.polledSince = entry.at
  task.lastPoll = entry
  task.wasListed = false
  if (entry.final) task.hasEnded = true
  const fault = entry.fault === null ? undefined : findFault(entry.fault)
  if ((entry.status === 200 && entry.reportedStatus === null) || fault?.viewedAt) task.wasMisreported = true
}

/**
 * Records a download. A range continues the earlier bytes. After it, they count as complete, unless the known length of the
 * file is larger.
 */
function recordDownload(task: WatchedTask, entry: JournalEntry): void {
  const { status, method, bytes, outcome, number } = entry
  if (method === 'HEAD' || (status !== 200 && status !== 206)) return
  const download = (task.download ??= {
    times: 0,
    complete: 0,
    partial: 0,
    altered: 0,
    hasBegun: false,
    isIntact: false,
    totalBytes: undefined,
    goodBytes: 0,
    last: 0,
  })
  download.times++
  download.last = number
  const isAltered =
    entry.content === 'altered' || (entry.fault !== null && findFault(entry.fault)?.altersBody === true)
  // Only the bytes count: a wrong media type leaves them intact.
  const isPartial = entry.content === 'partial' || outcome !== 'completed'
  download.hasBegun ||= status === 200
  if (isAltered || status === 200) download.goodBytes = 0
  if (!isAltered) download.goodBytes += bytes
  if (status === 200 && !isPartial) download.totalBytes = bytes
  // The rest of an altered file that broke off does not make it whole. Only a new start does.
  else if (status === 200 && isAltered) download.totalBytes ??= Infinity
  else if (status === 200 && download.totalBytes === Infinity) download.totalBytes = undefined
  download.isIntact =
    !isAltered &&
    !isPartial &&
    (download.totalBytes === undefined || download.goodBytes >= download.totalBytes)
  if (isAltered) download.altered++
  else if (isPartial || !download.hasBegun) download.partial++
  else if (download.isIntact) download.complete++
}
