import { runFailure, type Result } from './verdict.ts'

/** The requests for which the simulator had an internal error. */
export interface InternalErrors {
  readonly count: number
  /** The first few. */
  readonly first: readonly { readonly number: number; readonly message: string }[]
}

export const internalErrorHint =
  'This is a bug in greenroom, or in code that you passed to it: please report it.'

/** The result that fails a run with internal errors. It can't be allowed, because every other result is doubtful. */
export function judgeInternalErrors(errors: InternalErrors): Result[] {
  if (errors.count === 0) return []
  return [
    runFailure('run', {
      expected: 'the simulator has no internal error',
      actual: formatInternalErrors(errors),
      requests: errors.first.map(({ number }) => number),
      hint: internalErrorHint,
    }),
  ]
}

/** Formats all of them as one line. */
export function formatInternalErrors({ count, first }: InternalErrors): string {
  const lines = first.map(({ number, message }) => `#${number} ${message}`)
  return [...lines, ...(count > first.length ? [`and ${count - first.length} more`] : [])].join(', ')
}
