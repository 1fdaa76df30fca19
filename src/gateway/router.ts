/** The part of a route that the router needs. */
export interface Routable {
  readonly methods: readonly string[]
  /** Parts between slashes. `{name}` matches any part, `{name}:verb` any part that ends with `:verb`. */
  readonly path: string
  readonly aliases?: readonly string[]
}

/** A matching route, with its parameters. */
export interface Found<R extends Routable> {
  readonly route: R
  readonly params: Readonly<Record<string, string>>
}

interface Node<R> {
  readonly fixed: Map<string, Node<R>>
  param?: Param<R>
  /** Parameters followed by a verb, by the end of the part from its last colon on. */
  readonly verbs: Map<string, Param<R>>
  readonly byMethod: Map<string, R>
}

interface Param<R> {
  readonly name: string
  readonly node: Node<R>
}

/**
 * Finds routes by method and path, in one step for each part of the path. A fixed part is preferred to a `{name}:verb`, and
 * that to a `{name}`.
 */
export class Router<R extends Routable> {
  readonly #root: Node<R> = emptyNode()
  readonly routes: readonly R[]
  /** Routes that are known but not served. */
  readonly withheld: Router<R> | undefined

  constructor(routes: readonly R[], withheld?: Router<R>) {
    this.routes = routes
    this.withheld = withheld
    for (const route of routes) {
      for (const path of [route.path, ...(route.aliases ?? [])]) this.#add(route, path)
    }
  }

  /** @param path without query. */
  find(method: string, path: string): Found<R> | undefined {
    const params: Record<string, string> = {}
    const route = this.#walk(path, params)?.byMethod.get(method)
    return route && { route, params }
  }

  /** The methods of a path; empty if it is not served. */
  methodsOf(path: string): string[] {
    return [...(this.#walk(path, {})?.byMethod.keys() ?? [])]
  }

  #walk(path: string, params: Record<string, string>): Node<R> | undefined {
    if (path.charCodeAt(0) !== 47) return undefined
    let node: Node<R> = this.#root
    let start = 1
    for (;;) {
      const slash = path.indexOf('/', start)
      const part = slash < 0 ? path.slice(start) : path.slice(start, slash)
      const fixed: Node<R> | undefined = node.fixed.get(part)
      const named: { param: Param<R>; value: string } | undefined = fixed ? undefined : namedPart(node, part)
      if (fixed) node = fixed
      else if (named) {
        params[named.param.name] = named.value
        node = named.param.node
      } else return undefined
      if (slash < 0) return node
      start = slash + 1
    }
  }

  #add(route: R, path: string): void {
    let node: Node<R> = this.#root
    for (const part of path.slice(1).split('/')) {
      const [, name, verb] = /^\{(\w+)\}(:\w+)?$/.exec(part) ?? []
      if (name === undefined) {
        let next = node.fixed.get(part)
        if (!next) node.fixed.set(part, (next = emptyNode()))
        node = next
      } else {
        const known: Param<R> = (verb === undefined ? node.param : node.verbs.get(verb)) ?? {
          name,
          node: emptyNode(),
        }
        if (known.name !== name) {
          throw new Error(`Failed to add ${path}: another route calls {${name}} {${known.name}}.`)
        }
        if (verb === undefined) node.param = known
        else node.verbs.set(verb, known)
        node = known.node
      }
    }
    for (const method of route.methods) {
      if (node.byMethod.has(method)) throw new Error(`Failed to add ${method} ${path}: it is there already.`)
      node.byMethod.set(method, route)
    }
  }
}

function emptyNode<R>(): Node<R> {
  return { fixed: new Map(), verbs: new Map(), byMethod: new Map() }
}

/** The parameter that matches a part. The colon of a verb may be percent-encoded. */
function namedPart<R>(node: Node<R>, part: string): { param: Param<R>; value: string } | undefined {
  if (part === '' || (!node.param && node.verbs.size === 0)) return undefined
  const value = decode(part)
  const colon = node.verbs.size === 0 ? -1 : value.lastIndexOf(':')
  const verb = colon < 1 ? undefined : node.verbs.get(value.slice(colon))
  if (verb) return { param: verb, value: value.slice(0, colon) }
  return node.param && { param: node.param, value }
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
