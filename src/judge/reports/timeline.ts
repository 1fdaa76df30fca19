import { formatMs } from '../ranges.ts'
import type { JudgedTask, Verdict } from '../verdict.ts'

const widthCells = 40

/** More tasks are not drawn. */
const maxTasks = 20

/**
 * Draws the tasks of a run, one line each, on a common time axis: `·` before its submission, `░` in its first state, `▒`
 * in later ones, `█` after its end.
 */
export function timelineLines({ tasks, elapsedMs }: Pick<Verdict, 'tasks' | 'elapsedMs'>): string[] {
  if (tasks.length === 0) return []
  const drawn = tasks.slice(0, maxTasks)
  const names = drawn.map(({ channel, nth }) => `${channel} ${nth}`)
  const width = Math.max(...names.map((name) => name.length))
  const lines = drawn.map((task, index) => {
    const counts = Object.entries(task.operations).map(([operation, count]) => `${operation} ×${count}`)
    return `${names[index]!.padEnd(width)} ${barOf(task, elapsedMs)} ${endOf(task)}; ${counts.join(', ')}`
  })
  const axis = `${' '.repeat(width)} 0s${formatMs(elapsedMs).padStart(widthCells - 2)}`
  const rest = tasks.length > maxTasks ? ['and more'] : []
  return [axis, ...lines, ...rest]
}

function barOf(task: JudgedTask, elapsedMs: number): string {
  const cellMs = Math.max(1, elapsedMs) / widthCells
  return Array.from({ length: widthCells }, (_, cell) => symbolAt(task, (cell + 1) * cellMs)).join('')
}

function symbolAt({ submittedMs, endedMs, states }: JudgedTask, instantMs: number): string {
  if (instantMs < submittedMs) return '·'
  if (endedMs !== null && instantMs >= endedMs) return '█'
  const begun = states.filter(({ fromMs }) => fromMs <= instantMs).length
  return begun <= 1 ? '░' : '▒'
}

function endOf({ status, reason, submittedMs, endedMs }: JudgedTask): string {
  const after = endedMs === null ? '' : ` after ${formatMs(endedMs - submittedMs)}`
  return `${status}${after}${reason === '' ? '' : ` (${reason.slice(0, 60)})`}`
}
