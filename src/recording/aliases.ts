/** Keys of namespaces are names, not secrets; so is the key of the banner. */
const open = /^$|^sk-sim-|^sk-greenroom$/

const secretHeader = /auth|key|token|secret/i

/**
 * Names that stand for keys in a file that others may read: always the same for the same key, and of the same kind, so
 * that a replay decides as the original did.
 */
export class Aliases {
  readonly #byKey = new Map<string, string>()

  of(key: string): string {
    if (open.test(key)) return key
    let alias = this.#byKey.get(key)
    if (alias === undefined) {
      const number = this.#byKey.size + 1
      alias = key.startsWith('sk-') ? `sk-alias-${number}` : `alias-${number}`
      this.#byKey.set(key, alias)
    }
    return alias
  }

  /** The target with aliases for keys in its query. */
  inTarget(target: string): string {
    return target.replace(/([?&]key=)([^&#]+)/g, (_, name: string, key: string) => name + this.of(key))
  }

  /** The headers with aliases for keys, and without cookies. */
  inHeaders(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Record<string, string | string[]> {
    const kept: Record<string, string | string[]> = {}
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name === 'cookie') continue
      if (!secretHeader.test(name)) kept[name] = value
      else
        kept[name] = Array.isArray(value) ? value.map((each) => this.#inHeader(each)) : this.#inHeader(value)
    }
    return kept
  }

  /** The same value with aliases wherever one of these keys stands. */
  inValue(value: unknown, keys: ReadonlySet<string>): unknown {
    if (typeof value === 'string') return keys.has(value) ? this.of(value) : value
    if (Array.isArray(value)) return value.map((each) => this.inValue(each, keys))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.inValue(each, keys)]))
  }

  #inHeader(value: string): string {
    const [, scheme = '', key = ''] = /^(bearer\s+|basic\s+)?(.*)$/is.exec(value) ?? []
    return scheme + this.of(key.trim())
  }
}
