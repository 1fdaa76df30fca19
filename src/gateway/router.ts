/** What the router needs to know of a route. */
export interface Routable {
  readonly methods: readonly string[]
  /** Parts between slashes; `{name}` stands for any one. */
  readonly path: string
  readonly aliases?: readonly string[]
}

/** A route that was found, with the parts of the path it names. */
export interface Found<R extends Routable> {
  readonly route: R
  readonly params: Readonly<Record<string, string>>
}

interface Node<R> {
  readonly fixed: Map<string, Node<R>>
  param?: { readonly name: string; readonly node: Node<R> }
  readonly byMethod: Map<string, R>
}

/**
 * One table of routes for every door. Looking one up takes a step for each part of the path, however many
 * routes there are. A fixed part wins over a `{name}`.
 */
export class Router<R extends Routable> {
  readonly #root: Node<R> = emptyNode()
  readonly routes: readonly R[]

  constructor(routes: readonly R[]) {
    this.routes = routes
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

  /** The methods that a path takes; none when nobody serves it. */
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
      if (fixed) node = fixed
      else if (node.param && part !== '') {
        params[node.param.name] = decode(part)
        node = node.param.node
      } else return undefined
      if (slash < 0) return node
      start = slash + 1
    }
  }

  #add(route: R, path: string): void {
    let node: Node<R> = this.#root
    for (const part of path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      if (name === undefined) {
        let next = node.fixed.get(part)
        if (!next) node.fixed.set(part, (next = emptyNode()))
        node = next
      } else {
        node.param ??= { name, node: emptyNode() }
        if (node.param.name !== name) {
          throw new Error(`Failed to add ${path}: another route calls {${name}} {${node.param.name}}.`)
        }
        node = node.param.node
      }
    }
    for (const method of route.methods) {
      if (node.byMethod.has(method)) throw new Error(`Failed to add ${method} ${path}: it is there already.`)
      node.byMethod.set(method, route)
    }
  }
}

function emptyNode<R>(): Node<R> {
  return { fixed: new Map(), byMethod: new Map() }
}

/** A part that isn't well encoded stays as it came; it will name nothing. */
function decode(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
