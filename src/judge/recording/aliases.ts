import type { Api } from '../../apis/define/api.ts'

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
  readonly #forms: readonly RegExp[]
  /** The names of headers and of parameters in which APIs of users have keys. */
  readonly #places: ReadonlySet<string>

  /** @param apis those of users, which may have keys of another form in other places. */
  constructor(apis: readonly Api[] = []) {
    this.#forms = apis.flatMap(({ keyForm }) => keyForm ?? [])
    this.#places = new Set(apis.flatMap(({ keys = [] }) => keys.map(({ name }) => name.toLowerCase())))
  }

  of(key: string): string {
    if (publicKey.test(key)) return key
    let alias = this.#byKey.get(key)
    if (alias === undefined) {
      const number = this.#byKey.size + 1
      const form = this.#forms.find((each) => each.test(key))
      const usual = key.startsWith('sk-') ? `sk-alias-${number}` : `alias-${number}`
      alias = (form && disguise(key, form, number)) ?? usual
      this.#byKey.set(key, alias)
    }
    return alias
  }

  /** Replaces secrets in the queries of a target, or of URLs in any text. */
  inQueries(text: string): string {
    return text.replace(parameterPattern, (parameter, separator: string, name: string, value: string) => {
      const plainName = decodeParameter(name).toLowerCase().replaceAll(/[_-]/g, '')
      const isSecret =
        secretParameter.test(plainName) || this.#places.has(decodeParameter(name).toLowerCase())
      if (!isSecret) return parameter
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
      const replace =
        secretHeader.test(name) || this.#places.has(name)
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
    const [, scheme = '', key = ''] = /^([a-z]{1,20}\s+(?=\S+$))?(.*)$/is.exec(value) ?? []
    return scheme + this.of(key.trim())
  }
}

/** At most this many characters of a key stay, such as `r8_`. */
const maxVisible = 8

/** Makes a text that matches the form of a key and shares few characters with it. Undefined if no such text is found. */
function disguise(key: string, form: RegExp, number: number): string | undefined {
  for (let visible = 0; visible <= Math.min(maxVisible, key.length / 2); visible++) {
    const rest = key.slice(visible).replaceAll(/[a-z]/gi, 'a').replaceAll(/\d/g, '0')
    const alias = key.slice(0, visible) + rest.slice(0, -String(number).length) + String(number)
    if (form.test(alias)) return alias
  }
  return undefined
}

/** Decodes like `URLSearchParams`; invalid encodings are returned unchanged. */
function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
