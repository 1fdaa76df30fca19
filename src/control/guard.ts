import { headerOf, type GatewayRequest } from '../gateway/request.ts'
import { ControlError } from './control.ts'
import { checkToken, type WantedToken } from './token.ts'

/** Who may call the control plane. */
export interface GuardSettings {
  /** Host names beside loopback and plain addresses under which the server is reached, where no token is wanted. */
  readonly hosts: readonly string[]
  /** Origins of pages that may call it, such as `http://localhost:5173`. */
  readonly origins: readonly string[]
  /** What every call must show. */
  readonly token: WantedToken
}

/**
 * Keeps out web pages that the developer happens to visit: a page's request carries its `Origin`, and a name
 * that was rebound to loopback shows in `Host`. Terminals and tests send neither. Where there is a token, it keeps out
 * whoever has none, and any name will do.
 *
 * @throws {ControlError} 403 and 401 with what to do; 400 for what isn't well-formed HTTP.
 */
export function guardControl(incoming: GatewayRequest, settings: GuardSettings): void {
  if (incoming.problem !== undefined) throw new ControlError(400, `Invalid request: ${incoming.problem}.`)
  const host = headerOf(incoming, 'host')
  // A page under a rebound name has no token to show.
  if (settings.token === 'nothing' && host !== '' && !isOurs(nameOf(host), settings.hosts)) {
    throw new ControlError(
      403,
      `The control plane doesn't answer to the host ${show(host)}. Call it as 127.0.0.1 or localhost, start with ` +
        `--public-url ${show(`http://${host}`)}, or with GREENROOM_CONTROL_TOKEN, which every call then shows.`,
    )
  }
  refusePages(incoming, host, settings)
  // Browsers ask first, and can't show anything then.
  if (incoming.method !== 'OPTIONS') checkToken(incoming, settings.token)
}

function refusePages(incoming: GatewayRequest, host: string, { origins }: GuardSettings): void {
  const origin = headerOf(incoming, 'origin')
  const site = headerOf(incoming, 'sec-fetch-site')
  const foreign = origin === '' ? site === 'cross-site' || site === 'same-site' : !sameOrigin(origin, host)
  if (!foreign || origins.includes(origin)) return
  throw new ControlError(
    403,
    `The control plane doesn't answer to the page ${show(origin || site)}. ` +
      `Call it from a terminal or a test, or allow the page with --control-origin ${origin || 'ORIGIN'}.`,
  )
}

/** An address typed as numbers can't be rebound; a name can. */
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
