/** Public keys: those that name a namespace, and the key in the banner. */
const publicKey = /^$|^sk-sim-|^sk-greenroom$/

const secretHeader = /auth|key|token|secret|password|credential/i

/** Names of secret query parameters: `key`, `token`, `access_token`, `apiKey` … A page token is not secret. */
const secretParameter = /(?<!page)(?:key|token|secret|password|passwd|auth|authorization|credential)s?$/

const parameterPattern = /([?&])([^=&#\s]+)=([^&#\s]*)/g

/**
 * Replaces keys in a file that others may read. The same key always gets the same alias of the same kind, so that a replay
 * decides in the same way.
 */
export class Aliases {
  readonly #byKey = new Map<string, string>()

  of(key: string): string {
    if (publicKey.test(key)) return key
    let alias = this.#byKey.get(key)
    if (alias === undefined) {
      const number = this.#byKey.size + 1
      alias = key.startsWith('sk-') ? `sk-alias-${number}` : `alias-${number}`
      this.#byKey.set(key, alias)
    }
    return alias
  }

  /** Replaces secrets in the queries of a target, or of URLs in any text. */
  inQueries(text: string): string {
    return text.replace(parameterPattern, (parameter, separator: string, name: string, value: string) => {
      const plainName = decodeParameter(name).toLowerCase().replaceAll(/[_-]/g, '')
      if (!secretParameter.test(plainName)) return parameter
      const secret = decodeParameter(value).trim()
      const alias = this.of(secret)
      return alias === secret ? parameter : `${separator}${name}=${alias}`
    })
  }

  /** Replaces keys in headers, and drops cookies. */
  inHeaders(
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): Record<string, string | string[]> {
    const replaced: Record<string, string | string[]> = {}
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name === 'cookie') continue
      const replace = secretHeader.test(name)
        ? (text: string) => this.#inHeader(text)
        : (text: string) => this.inQueries(text)
      replaced[name] = Array.isArray(value) ? value.map(replace) : replace(value)
    }
    return replaced
  }

  /** Replaces these keys anywhere in a value. */
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

/** Decodes like `URLSearchParams`; invalid encodings are returned unchanged. */
function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
