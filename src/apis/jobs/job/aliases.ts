import type { Draws } from '../../../engine/random/draws.ts'
import type { TaskRecord } from '../../../engine/tasks/plan.ts'
import { filesOf } from './stored-job.ts'
import type { StoredJob } from './stored-job.ts'
import type { IdForm } from './record.ts'

/** The forms of second names of jobs, by what they name. */
export type AliasForms = Readonly<Record<string, IdForm>>

/** What the names of a job are drawn by. */
interface NamedJob {
  readonly draws: Draws
  readonly id: string
  /** What its names begin with, after their prefix. */
  readonly shardTag: string
}

/** The second name of a file of a job. @param index from 0. */
export function aliasOf(
  { draws, id, shardTag }: NamedJob,
  forms: AliasForms,
  name: string,
  index: number,
): string {
  const { prefix, length, of, format = (drawn) => drawn } = forms[name]!
  const drawn = draws.text(of, length, `job.alias.${name}`, id, index)
  return prefix + format(`${shardTag}${drawn.slice(shardTag.length)}`)
}

/** All second names of a job, by name and by file. */
export function aliasesOf(job: NamedJob, forms: AliasForms, files: number): string[] {
  return Object.keys(forms).flatMap((name) =>
    Array.from({ length: files }, (_, index) => aliasOf(job, forms, name, index)),
  )
}

/** The number of the file that a second name is of, from 0; 0 for another text. */
export function fileIndexOf({ aliases = [], request }: TaskRecord, alias: string): number {
  const place = aliases.indexOf(alias)
  return place < 0 ? 0 : place % filesOf(request as unknown as StoredJob).length
}
