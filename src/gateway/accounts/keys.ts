import type { KeyRecord } from '../../scenario/vocabulary/types.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { alphanumerics, type Draws } from '../../engine/random/draws.ts'
import { hashApiKey } from '../../engine/random/hash.ts'
import { fitsGlob } from '../../engine/glob.ts'
import { truncate } from '../../engine/wording.ts'
import { headerOf, type GatewayRequest } from '../request.ts'

/** Longer credentials are invalid, because credentials are stored with their usage. */
export const maxKeyLength = 512

const namespacePrefix = 'sk-sim-'

/**
 * The credential of a request, as sent, without its scheme.
 *
 * §5 `Authorization: Bearer <API_KEY>`.
 * @assumed §5 a lower-case scheme and a bare key work too; wire §1.2.
 * @param header another header that may have it.
 */
export function credentialOf(
  incoming: Pick<GatewayRequest, 'headers'>,
  header: string = 'authorization',
): string {
  const value = headerOf(incoming, header)
  return (/^bearer /i.test(value) ? value.slice(7) : value).trim()
}

/** What to say of a key that was sent without its scheme, as §5 writes it; empty if it has one, or there is no key. */
export function adviseOnScheme(incoming: Pick<GatewayRequest, 'headers'>): string {
  const value = headerOf(incoming, 'authorization').trim()
  return value === '' || /^bearer /i.test(value)
    ? ''
    : 'The key was sent without its scheme. Write Authorization: Bearer KEY.'
}

/**
 * The valid keys. Without configured keys, every key that starts with `sk-` is valid. Keys of namespaces (`sk-sim-…`) stay
 * valid next to configured ones, unless the ring is strict.
 */
export class KeyRing {
  readonly #known: ReadonlyMap<string, KeyRecord>
  readonly #strict: boolean

  /** @param options `strict` refuses `sk-sim-…` if keys are configured. */
  constructor(keys: readonly (string | KeyRecord)[], { strict = false }: { strict?: boolean } = {}) {
    const records = keys.map((key) => (typeof key === 'string' ? { key } : key))
    this.#known = new Map(records.map((record) => [record.key, record]))
    this.#strict = strict
  }

  /** The record of a credential; undefined for an invalid one. */
  find(credential: string, form: KeyForm = {}): KeyRecord | undefined {
    if (credential === '' || credential.length > maxKeyLength) return undefined
    const { like = commonKey } = form
    const record = this.configured(credential, form)
    if (record) return record
    const isNamespaces = credential.startsWith(namespacePrefix) && !this.#strict
    const isAny = this.#known.size === 0 && (credential === defaultKey || like.test(credential))
    return isNamespaces || isAny ? anyKey : undefined
  }

  /** The configured record of a credential: of itself, or of the account that is in it. */
  configured(credential: string, form: KeyForm = {}): KeyRecord | undefined {
    if (this.#known.size === 0) return undefined
    const names = form.account ? [form.account(credential)] : accountNames(credential)
    const name = [credential, ...names].find((each) => this.#known.has(each))
    return name === undefined ? undefined : this.#known.get(name)
  }

  /** Says how to change an invalid credential, without revealing which keys exist. */
  adviceFor(
    credential: string,
    { like, place = 'the header Authorization: Bearer KEY' }: KeyForm = {},
  ): string {
    const isAny = this.#known.size === 0
    const form = like ? `matches ${String(like)}` : 'starts with sk-'
    if (credential === '')
      return `The request has no key. Send ${isAny ? `any key that ${form}` : 'a configured key'} in ${place}.`
    if (credential.length > maxKeyLength) return `The key is longer than ${maxKeyLength} characters.`
    const scheme = /^([A-Za-z]+):? +\S/.exec(credential)?.[1]
    if (scheme !== undefined && like === undefined)
      return `The key follows the word ${truncate(scheme, 20)}. Write Authorization: Bearer KEY.`
    if (!isAny)
      return 'Use one of the configured keys (option keys, flag --keys) that is neither expired nor revoked.'
    return like
      ? `The key must match ${String(like)}. Without configured keys, any such key works.`
      : 'The key must start with sk-, such as sk-test. Without configured keys, any such key works.'
  }
}

/** The keys of an API, if they differ from the usual ones. */
export interface KeyForm {
  /** What a valid key matches, if none are configured. */
  readonly like?: RegExp
  /** Where clients send it, such as `the header x-api-key`. */
  readonly place?: string
  /** The account of a credential, if clients make a new credential for each request. */
  readonly account?: (credential: string) => string
}

const commonKey = /^sk-./s

/** The key that a simulator gives its clients if none are configured. Every API accepts it, also one with a key form of its own. */
export const defaultKey = 'sk-greenroom'

const anyKey: KeyRecord = { key: '' }

export function hasExpired({ expires }: KeyRecord, clock: { readonly now: () => number }): boolean {
  if (expires === undefined) return false
  return clock.now() >= (typeof expires === 'number' ? expires : Date.parse(expires))
}

export function allowsModel({ models }: KeyRecord, model: string | undefined): boolean {
  return models === undefined || model === undefined || models.some((pattern) => fitsGlob(pattern, model))
}

/** The namespace that a key names: `sk-sim-<name>` or `sk-sim-<name>.<label>`. Undefined when it names none. */
export function namespaceOfKey(credential: string): string | undefined {
  if (!credential.startsWith(namespacePrefix)) return undefined
  const name = credential.slice(namespacePrefix.length)
  const dot = name.indexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}

/** Masks a key for the journal: enough to distinguish two keys, not enough to use one. */
export function maskKey(credential: string): string {
  if (credential === '' || credential.startsWith(namespacePrefix)) return credential
  return credential.length < 12
    ? `${credential.slice(0, 3)}…`
    : `${credential.slice(0, 5)}…${credential.slice(-2)}`
}

/** A key in the journal. */
interface KeyLabel {
  readonly masked: string
  /** Equal only for keys of one account, and too short to compute a long key from it. */
  readonly hash: string
}

/** Labels a credential for the journal. A mask alone is not enough: many keys have the same first and last characters. */
export function labelKey(credential: string, draws: Draws, account = accountOfKey(credential)): KeyLabel {
  const hash = credential === '' ? '' : draws.text(alphanumerics, 12, 'key', account, 0)
  return { masked: truncate(maskKey(credential), 100), hash }
}

/** The client that sent a credential, as far as the credential identifies it. */
export interface Caller {
  readonly credential: string
  /** What owns tasks and is counted: the credential, or the account that is in it. */
  readonly account: string
  /** The name under which it is counted and stored. */
  readonly hashedKey: string
  /** The record of the key; undefined if the credential is not a valid key. */
  readonly key: KeyRecord | undefined
  /** The namespace that the key belongs to or names. */
  readonly namespace: string | undefined
  /** The label of the key in the journal. */
  readonly label: KeyLabel
}

/** Clients send the same key with every request, so its label and hash are cached. */
const maxCallers = 1_000

/** Finds callers by their credentials. */
export class Callers {
  readonly #keys: KeyRing
  readonly #draws: Draws
  /** One cache for each form of keys: two APIs may judge the same credential differently. */
  readonly #caches = new Map<KeyForm['account'] | KeyForm['like'], BoundedMap<Caller>>()

  constructor(keys: readonly (string | KeyRecord)[], draws: Draws, options: { strict: boolean }) {
    this.#keys = new KeyRing(keys, options)
    this.#draws = draws
  }

  /** @param form the keys of the API, if they differ from the usual ones. */
  get(credential: string, form: KeyForm | undefined): Caller {
    const cache = this.#cacheFor(form?.account ?? form?.like)
    const cached = cache.get(credential)
    if (cached) return cached
    const key = this.#keys.find(credential, form)
    const namespace = key?.namespace || namespaceOfKey(credential)
    const account = this.#accountOf(credential, form)
    const label = labelKey(credential, this.#draws, account)
    const caller = { credential, account, hashedKey: hashApiKey(account), key, namespace, label }
    if (credential.length <= maxKeyLength) cache.set(credential, caller)
    return caller
  }

  /** The client that owns a task, by the account of the submission. */
  ofAccount(account: string, form: KeyForm | undefined): Caller {
    return this.get(account, form?.account ? { ...(form.like && { like: form.like }) } : form)
  }

  /** Says how to change a credential that is not a valid key. */
  adviceFor(credential: string, form: KeyForm | undefined): string {
    return this.#keys.adviceFor(credential, form)
  }

  #accountOf(credential: string, form: KeyForm | undefined): string {
    if (credential === '') return ''
    const record = this.#keys.configured(credential, form)
    return record?.key ?? form?.account?.(credential) ?? accountOfKey(credential)
  }

  #cacheFor(form: KeyForm['account'] | KeyForm['like']): BoundedMap<Caller> {
    let cache = this.#caches.get(form)
    if (!cache) this.#caches.set(form, (cache = new BoundedMap(maxCallers)))
    return cache
  }
}

/**
 * The account that a credential belongs to. Some clients sign a new credential for each request: a JSON Web Token, or a
 * signature of AWS. Then the account is in it; otherwise the credential is the account.
 */
export function accountOfKey(credential: string): string {
  const accessKey = accessKeyOf(credential)
  if (accessKey !== undefined) return `access key ${accessKey}`
  const { iss, sub } = readClaims(credential)
  return iss !== undefined || sub !== undefined
    ? `token ${JSON.stringify([iss ?? null, sub ?? null])}`
    : credential
}

/** What a configured key may be instead of the credential: the access key of a signature, the issuer or the subject of a token. */
function accountNames(credential: string): string[] {
  const { iss, sub } = readClaims(credential)
  return [accessKeyOf(credential), iss, sub].filter((name) => name !== undefined)
}

function accessKeyOf(credential: string): string | undefined {
  return /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//.exec(credential)?.[1]
}

/** The claims of a JSON Web Token that name an account; none for other credentials. */
function readClaims(credential: string): { readonly iss?: string; readonly sub?: string } {
  const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]*$/.exec(credential) ?? []
  if (payload === undefined) return {}
  try {
    const value: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    const { iss, sub } = (value ?? {}) as { readonly iss?: unknown; readonly sub?: unknown }
    return { ...(typeof iss === 'string' && { iss }), ...(typeof sub === 'string' && { sub }) }
  } catch {
    return {}
  }
}
