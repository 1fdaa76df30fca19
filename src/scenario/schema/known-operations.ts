import type { OperationTable } from '../../engine/operations/operation-table.ts'

/** The operations that names in the value under check refer to. */
let known: OperationTable | undefined

/**
 * Runs a check in which names of operations are those of one simulator. The checks of zod take no context, and a check is
 * synchronous, so checks of two simulators never mix.
 */
export function withOperations<Result>(operations: OperationTable | undefined, check: () => Result): Result {
  const outer = known
  known = operations ?? outer
  try {
    return check()
  } finally {
    known = outer
  }
}

/** The operations of the check that runs; undefined if it knows none, so that any name passes. */
export function knownOperations(): OperationTable | undefined {
  return known
}
