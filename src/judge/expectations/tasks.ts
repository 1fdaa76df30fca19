import { fitsGlob } from '../../engine/glob.ts'
import type { TaskExpectation } from './expect.ts'
import type { Finding } from '../judged.ts'
import { isAmong } from '../operations.ts'
import { countInWords, fitsCount, fitsRange, inWords, rangeInWords } from '../ranges.ts'
import { fitsValue } from '../../scenario/rules/match/value.ts'
import { hasEnded, numbered, type RecordedTask, type TaskRecords } from './task-records.ts'
import type { ValueMatch } from '../../scenario/rules/rule.ts'

/** Judges what is expected of tasks, by how they stand at the end. */
export function judgeTask(wanted: TaskExpectation, tasks: TaskRecords): Finding {
  const meant = numbered(tasks)
    .filter(
      ({ task, channel, nth }) =>
        (wanted.channel === undefined || wanted.channel === channel) &&
        (wanted.nth === undefined || wanted.nth === nth) &&
        (wanted.op === undefined || isAmong(wanted.op, task.operation)) &&
        (wanted.model === undefined || fitsGlob(wanted.model, String(task.request['model'] ?? ''))),
    )
    .map(({ task }) => task)
  const fitting = meant.filter((task) => isSo(wanted, task))
  const others = meant.filter((task) => !fitting.includes(task))
  const which = whichInWords(wanted)
  const how = howInWords(wanted)
  if (wanted.each) {
    const expected = `each ${which}: ${how}`
    if (meant.length === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was none', requests: [] }
    return found(others.length === 0, expected, others, fitting.length, meant.length)
  }
  const count = wanted.count ?? (wanted.nth === undefined ? { min: 1 } : 1)
  const quantity = wanted.nth === undefined ? `${countInWords(count)} × ` : ''
  const expected = `${quantity}${which}${how && `: ${how}`}`
  return found(fitsCount(count, fitting.length), expected, others, fitting.length, meant.length)
}

function found(
  passed: boolean,
  expected: string,
  others: readonly RecordedTask[],
  fitting: number,
  meant: number,
): Finding {
  const rest = others.length === 0 ? '' : `; others: ${others.slice(0, 3).map(told).join(', ')}`
  return {
    verdict: passed ? 'pass' : 'fail',
    expected,
    actual: passed ? `${fitting} of ${meant}` : `${fitting} of ${meant}${rest}`,
    requests: [],
  }
}

function isSo({ status, reason, elapsed }: TaskExpectation, task: RecordedTask): boolean {
  return (
    (status === undefined || [status].flat().includes(task.status)) &&
    (reason === undefined || fitsValue(reason, task.reason === '' ? [] : [task.reason])) &&
    (elapsed === undefined || (hasEnded(task) && fitsRange(elapsed, task.finishedAt - task.submittedAt)))
  )
}

function told(task: RecordedTask): string {
  const after = hasEnded(task) ? ` after ${inWords(task.finishedAt - task.submittedAt)}` : ''
  return `${task.id} ${task.status}${after}${task.reason && ` (${task.reason.slice(0, 80)})`}`
}

function whichInWords({ channel, op, model, nth }: TaskExpectation): string {
  const made = op === undefined ? '' : ` by ${[op].flat().join(' or ')}`
  const of = model === undefined ? '' : ` of ${model}`
  return `${channel === undefined ? '' : `${channel} `}task${nth === undefined ? '' : ` ${nth}`}${made}${of}`
}

function howInWords({ status, reason, elapsed }: TaskExpectation): string {
  const words: string[] = []
  if (status !== undefined) words.push([status].flat().join(' or '))
  if (reason !== undefined) words.push(`reason ${valueInWords(reason)}`)
  if (elapsed !== undefined) words.push(`elapsed ${rangeInWords(elapsed)}`)
  return words.join(', ')
}

/** What a value must be, in words. */
function valueInWords(wanted: ValueMatch): string {
  if (wanted === null || typeof wanted !== 'object') return JSON.stringify(wanted)
  if ('not' in wanted) return `not ${valueInWords(wanted.not)}`
  const [[what, value] = ['', '']] = Object.entries(wanted)
  return `${what} ${JSON.stringify(value)}`
}
