import type { Exchange } from './exchange.ts'

export type { NamedTask, PreparedBody, Route } from './exchange.ts'
export type { Exchange as Context } from './exchange.ts'

/** An exchange whose body was prepared by its operation. */
export type RequestFacts<Prepared = unknown> = Exchange & { readonly prepared: Prepared }
