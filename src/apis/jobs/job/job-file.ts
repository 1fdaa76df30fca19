import type { JobMedium } from './stored-job.ts'

/**
 * A file of a job. A reply that returns it sends its bytes.
 *
 * @example
 * const song = (job: Job) => job.files.find(({ kind }) => kind === 'audio')?.url ?? null
 */
export class JobFile {
  /** Its number among the files of the job, from 0. */
  readonly index: number
  /** Its medium, as in `makes`. */
  readonly kind: JobMedium
  readonly #urlOf: (index: number) => string

  /** @internal Only greenroom makes files. */
  constructor(index: number, kind: JobMedium, urlOf: (index: number) => string) {
    this.index = index
    this.kind = kind
    this.#urlOf = urlOf
  }

  /** Where it is. */
  get url(): string {
    return this.#urlOf(this.index)
  }

  toJSON(): never {
    throw new TypeError('the JSON has job.file. Return job.file itself, or send job.url in JSON')
  }
}
