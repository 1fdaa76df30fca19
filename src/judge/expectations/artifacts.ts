import type { ArtifactExpectation } from './expect.ts'
import type { Download, Downloads } from '../folds/downloads.ts'
import { maxListedNames, type Finding } from '../judged.ts'
import { often } from '../ranges.ts'
import { hasEnded, numbered, type RecordedTask, type TaskRecords } from './task-records.ts'

/** Judges what the client has of the bytes of each task that succeeded. */
export function judgeArtifacts(
  { channel, taskNth, downloaded }: ArtifactExpectation,
  tasks: TaskRecords,
  downloads: Downloads,
): Finding {
  const meant = numbered(tasks).filter(
    ({ task, channel: own, nth }) =>
      own === channel && (taskNth === undefined || nth === taskNth) && hasSucceeded(task),
  )
  const which = taskNth === undefined ? `each finished ${channel} task` : `${channel} task ${taskNth}`
  const expected = `${which} downloaded: ${downloaded}`
  if (meant.length === 0) {
    return { verdict: 'not-exercised', expected, actual: 'no such task succeeded', requests: [] }
  }
  const wrong = meant
    .map(({ task }) => ({ task, download: downloads.of(task.id) }))
    .filter(({ download }) => !isSo(downloaded, download))
  if (wrong.length === 0) {
    return { verdict: 'pass', expected, actual: `so for ${meant.length}`, requests: [] }
  }
  const { task, download } = wrong[0]!
  return {
    verdict: 'fail',
    expected,
    actual: `${task.id} ${told(download)}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''}`,
    requests: wrong.flatMap(({ download: each }) => (each ? [each.last] : [])).slice(0, maxListedNames),
  }
}

/** A task that ended without a reason for it has succeeded, whatever its lifecycle calls that. */
function hasSucceeded(task: RecordedTask): boolean {
  return hasEnded(task) && task.status !== 'FAILURE' && task.reason === ''
}

function isSo(downloaded: ArtifactExpectation['downloaded'], download: Download | undefined): boolean {
  if (downloaded === 'never') return download === undefined
  return downloaded === 'any' ? download !== undefined : download?.isIntact === true
}

function told(download: Download | undefined): string {
  if (!download) return 'was never downloaded'
  const { times, whole, partial, altered, isIntact } = download
  const parts = [`${whole} whole`, `${partial} in part`, `${altered} altered`]
  const end = isIntact ? 'and is intact' : 'and is not intact in the end'
  return `was downloaded ${often(times)} (${parts.join(', ')}) ${end}`
}
