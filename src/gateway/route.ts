import type { Exchange, Route } from './exchange.ts'

export type { NamedTask, PreparedBody, Route } from './exchange.ts'
export type { Exchange as Context } from './exchange.ts'

/** An exchange whose body was prepared by its operation. */
export type RequestFacts<Prepared = unknown> = Exchange & { readonly prepared: Prepared }

/** Operations that the gateway itself doesn't offer, with the option that adds them if it isn't set. */
export function broughtBy(option: string, isSet: boolean, routes: readonly Route[]): readonly Route[] {
  return isSet ? routes : routes.map((route) => ({ ...route, broughtBy: option }))
}

/** Checks that the types of an operation's functions fit together. */
export function defineRoute<Prepared, Checked>(route: Route<Prepared, Checked>): Route {
  return route as unknown as Route
}
