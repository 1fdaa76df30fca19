import type { Quirks } from '../../../scenario/vocabulary/types.ts'
import type { CallDialect } from './dialect.ts'
import { callDialects } from './lists.ts'

/** How the gateway streams the calls of an API; undefined for the usual way. */
export function findCallDialect({ toolCallDeltas }: Quirks, api: string): CallDialect | undefined {
  const all: readonly CallDialect[] = callDialects
  return all.find(({ name, apis }) => name === toolCallDeltas && apis.includes(api))
}
