import type { JournalEntry } from '../../gateway/journal.ts'
import { isBroken } from '../answers.ts'
import { Memory } from '../memory.ts'
import { isDownload } from '../operations.ts'
import type { WatchedTask } from '../watched-tasks.ts'

/** What a client has of the bytes of one task. */
export interface Download {
  /** How often bytes were sent. */
  times: number
  /** How often they arrived whole, in part, or changed. */
  whole: number
  partial: number
  altered: number
  /** Whether it has them whole and unaltered by now. */
  isIntact: boolean
  /** The length of the whole, once it is known. */
  total: number | undefined
  /** Good bytes since it last began anew. */
  goodBytes: number
  last: number
}

/**
 * Follows the downloads of each task. A part goes on from what was there before: with it the bytes are whole, unless
 * they can't be, because the length of the whole is known and this is less.
 */
export class Downloads {
  readonly #byTask = new Memory<Download>()

  settled(entry: JournalEntry, task: WatchedTask | undefined): void {
    const { operation, status, method, bytes, outcome } = entry
    if (!task || !isDownload(operation) || method === 'HEAD' || (status !== 200 && status !== 206)) return
    const download = this.#of(task)
    download.times++
    download.last = entry.number
    if (entry.content === 'altered' || entry.fault === 'corrupt') {
      download.altered++
      if (status === 200) download.total = bytes
      download.goodBytes = 0
      download.isIntact = false
      return
    }
    if (status === 200) download.goodBytes = 0
    download.goodBytes += bytes
    if (entry.content === 'partial' || isBroken(entry) || outcome === 'aborted') {
      download.partial++
      download.isIntact = false
      return
    }
    if (status === 200) download.total = bytes
    download.isIntact = download.total === undefined || download.goodBytes >= download.total
    if (download.isIntact) download.whole++
  }

  of(task: string): Download | undefined {
    return this.#byTask.get(task)
  }

  all(): Download[] {
    return [...this.#byTask.values()]
  }

  #of({ id }: WatchedTask): Download {
    let known = this.#byTask.get(id)
    if (!known) {
      known = {
        times: 0,
        whole: 0,
        partial: 0,
        altered: 0,
        isIntact: false,
        total: undefined,
        goodBytes: 0,
        last: 0,
      }
      this.#byTask.set(id, known)
    }
    return known
  }
}
