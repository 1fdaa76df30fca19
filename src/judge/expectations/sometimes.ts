import type { Expect, SometimesExpectation } from './expect.ts'
import type { End } from '../folds/fold.ts'
import type { Finding } from '../judged.ts'
import type { Watch } from '../watch.ts'
import { judgeRules, type RuleCount } from './rules.ts'
import type { TaskRecords } from './task-records.ts'
import { judgeTask } from './tasks.ts'

interface Run {
  readonly watch: Watch
  readonly tasks: TaskRecords
  readonly rules?: readonly RuleCount[]
}

/** Judges what must be so in one run of a sweep. In a run in which it isn't, that says nothing yet. */
export function judgeSometimes(
  { sometimes = [] }: Expect,
  run: Run,
  end: End,
): [index: number, finding: Finding][] {
  return sometimes.map((wanted, index) => {
    const finding = findingOf(wanted, index, run, end)
    const expected = `in at least one run of a sweep: ${finding.expected}`
    if (finding.verdict === 'pass') return [index, { ...finding, expected }]
    const actual = `not in this run: ${finding.actual}`
    return [index, { ...finding, expected, actual, verdict: 'not-applicable' }]
  })
}

function findingOf(
  wanted: SometimesExpectation,
  index: number,
  { watch, tasks, rules = [] }: Run,
  end: End,
): Finding {
  if ('task' in wanted) return judgeTask(wanted.task, tasks)
  if ('request' in wanted) return watch.folds.sometimes.get(index)!.finding(end)
  const { rule, fired = { min: 1 } } = wanted
  return judgeRules({ rules: { [rule]: { fired } }, allow: { unusedRules: true } }, rules)[0]![1]
}
