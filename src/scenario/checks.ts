import { didYouMean } from '../engine/did-you-mean.ts'
import { checkDuration } from '../engine/random/distribution.ts'
import { DurationError } from '../engine/clock/duration.ts'
import { fitsGlob } from '../engine/glob.ts'
import { problemIn } from '../engine/kinds.ts'
import { operations } from '../engine/operations/operations.ts'
import { faultTypes, findFault, type Fault } from './faults/index.ts'
import { MatchError, readMatch } from './rules/match/concerns.ts'
import { MediaShapeError, readMediaShape } from './media-shape.ts'
import { checkRespond, checkStatus } from './rules/respond-checks.ts'
import { ruleKinds } from './rules/rule-kinds.ts'
import type { Rule, RuleMatch } from './rules/rule.ts'
import { parseFraction, type Fraction } from './fraction.ts'
import { parseWindow } from './throttles/window.ts'
import { recognizeCopies } from '../engine/shared-error.ts'

/**
 * A rule that can't be. The message names it and says what to write instead.
 *
 * @example
 * sim.addRule({ id: 'odd', match: { op: 'video.poll' }, chance: '200%' }) // throws RuleError: …chance is "200%". Use 0 to 1, or …
 */
export class RuleError extends Error {
  static {
    recognizeCopies(this, 'RuleError')
  }

  override name = 'RuleError'
}

/** @param where the other stands, where that may not be known. */
export function idIsTaken(id: string, where?: string): RuleError {
  const other = where === undefined ? '' : `, ${where}`
  const away = where === undefined ? '' : ', or take that one away'
  return new RuleError(
    `Failed to add rule "${id}": there is one of this id${other}. Ids key the dice; give it another${away}.`,
  )
}

/**
 * Finds early what would otherwise be found by the first request.
 * @throws {RuleError}
 */
export function checkRule(id: string, rule: Rule): void {
  const fail = (message: string): never => {
    throw new RuleError(`Failed to add rule "${id}": ${message}`)
  }
  const problem = problemIn(rule, ruleKinds)
  if (problem !== undefined) fail(problem)
  if ((rule.match as Partial<RuleMatch> | undefined)?.op === undefined)
    fail('it says of no requests that it is for them: match.op is missing, such as "video.submit".')
  const { match, when, chance, attempts, task, delay, stream } = rule
  const unknown = [match.op].flat().find((op) => !operations.some((known) => fitsGlob(op, known)))
  if (unknown !== undefined) {
    const known = `Use one of ${operations.join(', ')}, or a pattern with *.`
    fail(`"${unknown}" is no operation.${didYouMean(unknown, operations)} ${known}`)
  }
  if (chance !== undefined) checkShare(chance, 'chance', fail)
  try {
    readMatch(match)
    if (when?.clock !== undefined) parseWindow(when.clock)
    if (rule.media !== undefined) readMediaShape(rule.media)
    const specs = [delay, task?.queued, task?.render, stream?.firstToken, stream?.gap, stream?.stall?.for]
    for (const spec of specs) if (spec !== undefined) checkDuration(spec)
    if (task?.expire !== undefined) checkDuration(task.expire.after)
    if (rule.respond !== undefined) checkRespond(rule.respond, fail)
    for (const attempt of attempts ?? []) {
      if (typeof attempt === 'number') checkStatus(attempt, fail)
      else if (typeof attempt === 'object' && attempt.respond) checkRespond(attempt.respond, fail)
    }
  } catch (error) {
    if (error instanceof DurationError || error instanceof MatchError || error instanceof MediaShapeError)
      fail(`${error.message}.`)
    throw error
  }
  for (const fault of [rule.fault, ...(attempts ?? []).map(faultOfAttempt)]) {
    if (fault !== undefined) checkFault(fault, fail)
  }
}

function faultOfAttempt(attempt: NonNullable<Rule['attempts']>[number]): Rule['fault'] {
  if (typeof attempt === 'object') return attempt.fault
  return attempt === 'ok' || typeof attempt === 'number' ? undefined : attempt
}

function checkFault(fault: NonNullable<Rule['fault']>, fail: (message: string) => never): void {
  const type: string = typeof fault === 'string' ? fault : fault.type
  if (!(faultTypes as readonly string[]).includes(type)) {
    fail(`"${type}" is no fault.${didYouMean(type, faultTypes)} Use one of ${faultTypes.join(', ')}.`)
  }
  if (typeof fault === 'string') {
    const { example } = findFault(fault)
    if (example !== undefined) fail(`the fault ${fault} needs more than its name: ${example}`)
    return
  }
  if ('at' in fault && fault.at !== undefined) checkShare(fault.at, 'at', fail)
  if (fault.type === 'drip' && !(fault.bytesPerSecond > 0)) fail('a drip needs bytesPerSecond above 0.')
  if (fault.type === 'slow-start') checkDurationOf(fault, fail)
}

function checkDurationOf(
  fault: Extract<Fault, { type: 'slow-start' }>,
  fail: (message: string) => never,
): void {
  try {
    checkDuration(fault.for)
  } catch (error) {
    fail(`${(error as Error).message}.`)
  }
}

function checkShare(share: Fraction, name: string, fail: (message: string) => never): void {
  if (Number.isNaN(parseFraction(share)))
    fail(`${name} is ${JSON.stringify(share)}. Use 0 to 1, or a percentage such as "40%".`)
}
