import * as z from 'zod/mini'
import { controlPrefix, headerOf, type GatewayRequest } from '../gateway/request.ts'
import { hash128Hex } from '../engine/random/hash.ts'
import { ControlError, routesFor, TextDocument, type ControlRoute } from './route.ts'

/** Who may call the control API. */
export interface GuardSettings {
  /** Host names that are accepted without a token, in addition to loopback and IP addresses. */
  readonly hosts: readonly string[]
  /** Origins of pages that may call the API, such as `http://localhost:5173`. */
  readonly origins: readonly string[]
  /** The token that every call must have. */
  readonly token: WantedToken
}

/**
 * Refuses calls from web pages that the developer happens to visit. Their requests have an `Origin`, or a `Host` that was
 * rebound to loopback; terminals and tests send neither. With a token, every call needs the token or its cookie, and any
 * host name is accepted.
 *
 * @param call `needsToken`: false for calls that check the token themselves.
 * @throws {ControlError} 403 or 401 with advice; 400 for malformed HTTP.
 */
export function guardControl(
  incoming: GatewayRequest,
  settings: GuardSettings,
  { needsToken }: { needsToken: boolean },
): void {
  if (incoming.problem !== undefined) throw new ControlError(400, `Invalid request: ${incoming.problem}.`)
  const host = headerOf(incoming, 'host')
  // A page under a rebound name has no token.
  if (settings.token === 'nothing' && host !== '' && !isOurs(nameOf(host), settings.hosts)) {
    throw new ControlError(
      403,
      `The control API does not answer requests to the host ${show(host)}. Call it as 127.0.0.1 or localhost, set publicUrl to ` +
        `${show(`http://${host}`)} in the config, or set GREENROOM_CONTROL_TOKEN and send it with every call.`,
    )
  }
  refusePages(incoming, host, settings)
  // Preflight requests carry no token.
  if (incoming.method !== 'OPTIONS' && needsToken) checkToken(incoming, settings.token)
}

function refusePages(incoming: GatewayRequest, host: string, { origins }: GuardSettings): void {
  const origin = headerOf(incoming, 'origin')
  const site = headerOf(incoming, 'sec-fetch-site')
  const foreign = origin === '' ? site === 'cross-site' || site === 'same-site' : !sameOrigin(origin, host)
  if (!foreign || origins.includes(origin)) return
  // Files and sandboxed frames of any site share this origin.
  const advice =
    origin === 'null'
      ? 'open the page from a server such as http://localhost:5173, and add that origin to controlOrigins in the config'
      : `add ${origin || 'its origin'} to controlOrigins in the config`
  throw new ControlError(
    403,
    `The control API does not answer requests of the page ${show(origin || site)}. ` +
      `Call it from a terminal or a test, or ${advice}.`,
  )
}

/** Whether a host name is ours. Names can be rebound, IP addresses can't. */
function isOurs(name: string, hosts: readonly string[]): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    /^\d{1,3}(\.\d{1,3}){3}$/.test(name) ||
    /^\[[0-9a-f:.]+\]$/.test(name) ||
    hosts.includes(name)
  )
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

function sameOrigin(origin: string, host: string): boolean {
  return origin.replace(/^https?:\/\//i, '').toLowerCase() === host.toLowerCase()
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}

/** Whether a required token is missing. A wrong token does not count as missing. */
export function lacksToken(incoming: GatewayRequest, { token }: GuardSettings): boolean {
  if (token === 'nothing' || headerOf(incoming, 'authorization') !== '') return false
  return token === 'closed' || !hasSession(incoming, token.token)
}

/** The required token, or `nothing`. With `closed`, all calls are refused. */
type WantedToken = { readonly token: string } | 'nothing' | 'closed'

/** @throws {ControlError} 401 for a wrong or missing token; 403 if no token is accepted. */
function checkToken(incoming: GatewayRequest, wanted: WantedToken): void {
  if (wanted === 'nothing') return
  if (wanted === 'closed') {
    throw new ControlError(
      403,
      'The control API is closed, since other machines can reach this server. ' +
        'Start it with GREENROOM_CONTROL_TOKEN, and send that as a bearer token.',
    )
  }
  const [, sent = ''] = /^bearer +(\S+)$/i.exec(headerOf(incoming, 'authorization')) ?? []
  if (isSame(sent, wanted.token) || hasSession(incoming, wanted.token)) return
  throw new ControlError(
    401,
    'The control API needs the token that the server was started with. Send it as "Authorization: Bearer TOKEN".',
  )
}

/** The path at which a token is exchanged for a cookie. Browsers also send it with images and videos. */
export const sessionPath = '/session'

const sessionExample = '{"token": "…"}'

/** Handles the call at {@link sessionPath}. */
export function sessionRoute({ token: wanted }: GuardSettings): ControlRoute<unknown> {
  return routesFor<unknown>()(
    `POST ${sessionPath}`,
    `exchange the token for a cookie, for pages: ${sessionExample}`,
    () => ({
      body: z.object({ token: z.string() }),
      answer: { json: z.object({ session: z.string() }) },
    }),
    (_control, { body: { token }, header }) => {
      if (wanted === 'nothing') return { session: 'not needed' }
      if (wanted === 'closed' || !isSame(token, wanted.token))
        throw new ControlError(401, 'This is not the token that the server was started with.')
      const cookie = `${cookieName(header('host'))}=${sessionOf(wanted.token)}`
      return new TextDocument(JSON.stringify({ session: 'open' }), {
        'Content-Type': 'application/json; charset=utf-8',
        'Set-Cookie': `${cookie}; Path=${controlPrefix}; HttpOnly; SameSite=Strict`,
      })
    },
  )
}

/** The name of the cookie. It contains the port, because cookies are shared by all ports of a host. */
function cookieName(host: string): string {
  return `greenroom-${/:(\d+)$/.exec(host)?.[1] ?? 'web'}`
}

/** The value of the cookie. It differs from the token, and is as hard to guess. */
function sessionOf(token: string): string {
  return hash128Hex(`session ${token}`)
}

/** Whether a call has the cookie. Allowed pages of other origins need the token itself. */
function hasSession(incoming: GatewayRequest, token: string): boolean {
  const host = headerOf(incoming, 'host')
  const origin = headerOf(incoming, 'origin')
  if (origin !== '' && !sameOrigin(origin, host)) return false
  const cookies = headerOf(incoming, 'cookie').split(/; */)
  const name = `${cookieName(host)}=`
  return cookies.some(
    (cookie) => cookie.startsWith(name) && isSame(cookie.slice(name.length), sessionOf(token)),
  )
}

/** Compares in constant time, so that response times don't reveal the token. */
function isSame(sent: string, wanted: string): boolean {
  let difference = sent.length ^ wanted.length
  for (let at = 0; at < wanted.length; at++) difference |= (sent.charCodeAt(at) || 0) ^ wanted.charCodeAt(at)
  return difference === 0
}

/** Whether only this machine can reach an address to listen on. An unknown name may mean any address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name)
}
