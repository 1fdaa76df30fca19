import type { Expect, SequenceExpectation, SometimesExpectation } from '../expectations/expect.ts'
import type { Fold } from './fold.ts'
import { QuietFold } from './quiet.ts'
import { RequestFold } from './requests.ts'
import { SequenceFold } from './sequence.ts'

/** What is counted for the expectations of a file, in their order. */
export interface ExpectedFolds {
  readonly requests: readonly RequestFold[]
  readonly sequences: readonly SequenceFold[]
  readonly quiet: readonly QuietFold[]
  /** By the place in `sometimes`; only what is expected of requests. */
  readonly sometimes: ReadonlyMap<number, RequestFold>
  readonly all: readonly Fold[]
}

/** @throws {PatternError} {DurationError} for a sequence or a duration that can't be read. */
export function expectedFolds(expect: Expect): ExpectedFolds {
  const requests = (expect.requests ?? []).map((wanted) => new RequestFold(wanted))
  const sequences = sequencesOf(expect).map((wanted) => new SequenceFold(wanted))
  const quiet = (expect.quiet ?? []).map((wanted) => new QuietFold(wanted))
  const sometimes = new Map((expect.sometimes ?? []).flatMap(requestFold))
  return {
    requests,
    sequences,
    quiet,
    sometimes,
    all: [...requests, ...sequences, ...quiet, ...sometimes.values()],
  }
}

/** A sequence that is written as a text is one for every task. */
export function sequencesOf({ sequence = [] }: Expect): readonly SequenceExpectation[] {
  return typeof sequence === 'string' ? [{ is: sequence }] : sequence
}

function requestFold(wanted: SometimesExpectation, index: number): [number, RequestFold][] {
  return 'request' in wanted ? [[index, new RequestFold(wanted.request)]] : []
}
