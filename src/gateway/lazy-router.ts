import type { OperationFacts } from '../engine/operations/facts.ts'
import type { Core } from './core.ts'
import type { MatchedRequest, Routable, RouteMatch, Router } from './router.ts'

/** An operation whose route a simulator has not made yet. */
export interface PlannedRoute<R> extends Routable {
  readonly facts: Pick<OperationFacts, 'option'>
  readonly createRoute: (core: Core) => R
}

/** Where operations are: those that a simulator serves, and those whose option is not set. */
export interface Routers<R> {
  readonly served: Router<PlannedRoute<R>>
  readonly withheld: Router<PlannedRoute<R>>
}

/**
 * Finds the routes of a simulator, and makes each on first use: there are a hundred, and most simulators of tests get
 * requests for a few.
 */
export class LazyRouter<R> {
  readonly #core: Core
  readonly #routers: Routers<R>
  readonly #made = new Map<PlannedRoute<R>, R>()

  constructor(core: Core, routers: Routers<R>) {
    this.#core = core
    this.#routers = routers
  }

  /** All routes that are served. */
  get routes(): readonly R[] {
    return this.#routers.served.routes.map((planned) => this.#make(planned))
  }

  /** @param path without query. @param request what matches of routes read. */
  find(method: string, path: string, request?: MatchedRequest): RouteMatch<R> | undefined {
    const found = this.#routers.served.find(method, path, request)
    return found && { route: this.#make(found.route), params: found.params }
  }

  /** The methods of a path; empty if it is not served. */
  methodsOf(path: string): string[] {
    return this.#routers.served.methodsOf(path)
  }

  /** The option that brings an operation, such as `video.listAndDelete`; undefined if none does, or if it is set. */
  findOption(method: string, path: string): string | undefined {
    return this.#routers.withheld.find(method, path)?.route.facts.option
  }

  #make(planned: PlannedRoute<R>): R {
    let route = this.#made.get(planned)
    if (!route) this.#made.set(planned, (route = planned.createRoute(this.#core)))
    return route
  }
}
