import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import type { CallDialect } from './dialect.ts'

/** How the gateway streams calls, of the ways that an API has; undefined for the usual way. */
export function findCallDialect(
  { toolCallDeltas }: Quirks,
  dialects: readonly CallDialect[],
): CallDialect | undefined {
  return dialects.find(({ name }) => name === toolCallDeltas)
}
