/** Keys of namespaces are names, not secrets; so is the key of the banner. */
const open = /^$|^sk-sim-|^sk-greenroom$/

const secretHeader = /auth|key|token|secret|password|credential/i

/** Names of secrets in a query: `key`, `token`, `access_token`, `apiKey` … A page token is a position in a list. */
const secretParameter = /(?<!page)(?:key|token|secret|password|passwd|auth|authorization|credential)s?$/

const parameterPattern = /([?&])([^=&#\s]+)=([^&#\s]*)/g

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

  /** A target, or any text that has URLs in it, with aliases for secrets in queries. */
  inQueries(text: string): string {
    return text.replace(parameterPattern, (whole, separator: string, name: string, value: string) => {
      const plainName = decodeParameter(name).toLowerCase().replaceAll(/[_-]/g, '')
      if (!secretParameter.test(plainName)) return whole
      const secret = decodeParameter(value).trim()
      const alias = this.of(secret)
      return alias === secret ? whole : `${separator}${name}=${alias}`
    })
  }

  /** The headers with aliases for keys, and without cookies. */
  inHeaders(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Record<string, string | string[]> {
    const kept: Record<string, string | string[]> = {}
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name === 'cookie') continue
      const replace = secretHeader.test(name)
        ? (text: string) => this.#inHeader(text)
        : (text: string) => this.inQueries(text)
      kept[name] = Array.isArray(value) ? value.map(replace) : replace(value)
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

/** As `URLSearchParams` reads it; text that is not encoded correctly stays as it is. */
function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
