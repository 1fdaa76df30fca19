import { inWords } from '../ranges.ts'
import type { JudgedTask, Verdict } from '../verdict.ts'

const widthCells = 40

/** More tasks than this are counted, not drawn. */
const maxTasks = 20

/**
 * The tasks of a run as text, one line each on a common axis of time: `·` before its first state, then a sign for each
 * state, `█` from its end on.
 */
export function timelineText({ tasks, elapsedMs }: Pick<Verdict, 'tasks' | 'elapsedMs'>): string {
  if (tasks.length === 0) return ''
  const shown = tasks.slice(0, maxTasks)
  const names = shown.map(({ channel, nth }) => `${channel} ${nth}`)
  const width = Math.max(...names.map((name) => name.length))
  const lines = shown.map((task, index) => {
    const asked = Object.entries(task.operations).map(([operation, count]) => `${operation} ×${count}`)
    return `${names[index]!.padEnd(width)} ${barOf(task, elapsedMs)} ${endOf(task)}; ${asked.join(', ')}`
  })
  const axis = `${' '.repeat(width)} 0s${inWords(elapsedMs).padStart(widthCells - 2)}`
  const rest = tasks.length > maxTasks ? ['and more'] : []
  return [axis, ...lines, ...rest].join('\n')
}

function barOf(task: JudgedTask, elapsedMs: number): string {
  const cellMs = Math.max(1, elapsedMs) / widthCells
  return Array.from({ length: widthCells }, (_, cell) => signAt(task, (cell + 1) * cellMs)).join('')
}

function signAt({ submittedMs, endedMs, states }: JudgedTask, instantMs: number): string {
  if (instantMs < submittedMs) return '·'
  if (endedMs !== null && instantMs >= endedMs) return '█'
  const begun = states.filter(({ fromMs }) => fromMs <= instantMs).length
  return begun <= 1 ? '░' : '▒'
}

function endOf({ status, reason, submittedMs, endedMs }: JudgedTask): string {
  const after = endedMs === null ? '' : ` after ${inWords(endedMs - submittedMs)}`
  return `${status}${after}${reason === '' ? '' : ` (${reason.slice(0, 60)})`}`
}
