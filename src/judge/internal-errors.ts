import { runFailure, type Result } from './verdict.ts'

/** The requests on which the simulator failed, such as by a bug of its own. */
export interface InternalErrors {
  readonly count: number
  /** The first few. */
  readonly first: readonly { readonly number: number; readonly message: string }[]
}

export const internalErrorHint =
  'This is a bug in greenroom, or in code that you passed to it: please report it.'

/** The result that fails a run with internal errors. No option allows them: they make every other result doubtful. */
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

/** One line for all of them. */
export function formatInternalErrors({ count, first }: InternalErrors): string {
  const lines = first.map(({ number, message }) => `#${number} ${message}`)
  return [...lines, ...(count > first.length ? [`and ${count - first.length} more`] : [])].join(', ')
}
