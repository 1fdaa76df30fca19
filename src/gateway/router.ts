import { nameMatch, type RequestMatch } from '../engine/operations/facts.ts'

/** The part of a route that the router needs. */
export interface Routable {
  readonly methods: readonly string[]
  /**
   * Parts between slashes. `{name}` matches any part, `{name}:verb` and `{name}.mp3` any part that ends so. Fixed parts may be
   * percent-encoded, here and in requests.
   */
  readonly path: string
  readonly aliases?: readonly string[]
  /** Selects among routes of one method and path. One without it takes the rest. */
  readonly match?: RequestMatch
}

/** What matches of routes read of a request. */
export interface MatchedRequest {
  readonly query: string
  readonly header: (name: string) => string
}

/** A matching route, with its parameters. */
export interface RouteMatch<R> {
  readonly route: R
  readonly params: Readonly<Record<string, string>>
}

/** A node in the tree of paths. Most nodes have one of these fields only. */
interface Node<R> {
  fixed?: Map<string, Node<R>>
  /** What follows a part of any name. */
  param?: Node<R>
  /**
   * Parameters with a verb or an ending, such as `{id}:cancel` and `{id}.mp3`, by the text from the last colon or dot on.
   */
  verbs?: Map<string, Node<R>>
  targets?: Target<R>[]
}

/** A route by one method, with the names of the parameters on its way: two routes may name the same place differently. */
interface Target<R> {
  readonly method: string
  readonly route: R
  readonly names: readonly string[]
}

/**
 * Finds routes by method and path, in one step for each part of the path. A fixed part is preferred to a `{name}:verb`, and
 * that to a `{name}`.
 */
export class Router<R extends Routable> {
  readonly #root: Node<R> = {}
  readonly routes: readonly R[]

  constructor(routes: readonly R[]) {
    this.routes = routes
    for (const route of routes) {
      for (const path of [route.path, ...(route.aliases ?? [])]) this.#add(route, path)
    }
  }

  /** @param path without query. @param request what matches read. Without it, the first route counts. */
  find(method: string, path: string, request?: MatchedRequest): RouteMatch<R> | undefined {
    const values: string[] = []
    const target = this.#walk(path, values)?.targets?.find(
      (each) => each.method === method && (!request || !each.route.match || fits(each.route.match, request)),
    )
    if (!target) return undefined
    const params: Record<string, string> = {}
    for (let index = 0; index < values.length; index++) params[target.names[index]!] = values[index]!
    return { route: target.route, params }
  }

  /** The methods of a path; empty if it is not served. */
  methodsOf(path: string): string[] {
    return [...new Set((this.#walk(path, [])?.targets ?? []).map(({ method }) => method))]
  }

  /** @param values receives the values of the parameters, in the order of the path. */
  #walk(path: string, values: string[]): Node<R> | undefined {
    if (path.charCodeAt(0) !== 47) return undefined
    let node: Node<R> = this.#root
    let start = 1
    for (;;) {
      const slash = path.indexOf('/', start)
      const part = slash < 0 ? path.slice(start) : path.slice(start, slash)
      const fixed: Node<R> | undefined = node.fixed && fixedPart(node.fixed, part)
      const named: { node: Node<R>; value: string } | undefined = fixed ? undefined : namedPart(node, part)
      if (fixed) node = fixed
      else if (named) {
        values.push(named.value)
        node = named.node
      } else return undefined
      if (slash < 0) return node
      start = slash + 1
    }
  }

  #add(route: R, path: string): void {
    let node: Node<R> = this.#root
    const names: string[] = []
    for (const part of path.slice(1).split('/')) {
      if (!part.startsWith('{')) {
        node = addChild((node.fixed ??= new Map()), decode(part))
        continue
      }
      const end = part.indexOf('}')
      names.push(part.slice(1, end))
      const verb = part.slice(end + 1)
      node = verb === '' ? (node.param ??= {}) : addChild((node.verbs ??= new Map()), verb)
    }
    const targets = (node.targets ??= [])
    for (const method of route.methods) {
      const name = nameMatch(route.match)
      const taken = targets.find((each) => each.method === method && nameMatch(each.route.match) === name)
      if (taken) throw new RouteTaken(method, path)
      if (route.match) targets.unshift({ method, route, names })
      else targets.push({ method, route, names })
    }
  }
}

/** Two routes have the same method and path. */
export class RouteTaken extends Error {
  override name = 'RouteTaken'

  constructor(method: string, path: string) {
    super(`Failed to add ${method} ${path}: it is there already.`)
  }
}

function addChild<R>(children: Map<string, Node<R>>, part: string): Node<R> {
  const known = children.get(part)
  if (known) return known
  const node: Node<R> = {}
  children.set(part, node)
  return node
}

/** What follows a fixed part. Clients percent-encode some characters that others don't, such as the colon. */
function fixedPart<R>(fixed: ReadonlyMap<string, Node<R>>, part: string): Node<R> | undefined {
  return fixed.get(part) ?? (part.includes('%') ? fixed.get(decode(part)) : undefined)
}

/** Whether a request has all values of a match. */
function fits({ header = {}, query = {} }: RequestMatch, request: MatchedRequest): boolean {
  const parameters = new URLSearchParams(request.query)
  return (
    Object.entries(header).every(([name, value]) => request.header(name.toLowerCase()) === value) &&
    Object.entries(query).every(([name, value]) => parameters.get(name) === value)
  )
}

/** The parameter that matches a part. The colon of a verb may be percent-encoded. */
function namedPart<R>(node: Node<R>, part: string): { node: Node<R>; value: string } | undefined {
  if (part === '' || (!node.param && !node.verbs)) return undefined
  const value = decode(part)
  for (const mark of node.verbs ? ':.' : '') {
    const start = value.lastIndexOf(mark)
    const verb = start < 1 ? undefined : node.verbs!.get(value.slice(start))
    if (verb) return { node: verb, value: value.slice(0, start) }
  }
  return node.param && { node: node.param, value }
}

/** Decodes a part. One with invalid encoding stays unchanged, and will match nothing. */
function decode(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
