import { headerOf, type GatewayRequest } from '../gateway/request.ts'
import { ControlError } from './control.ts'

/** What a call must show: a token, `nothing`, or something that can't be, where the calls are `closed`. */
export type WantedToken = { readonly token: string } | 'nothing' | 'closed'

/**
 * Keeps out whoever may reach the port, but isn't trusted with time, tasks and rules.
 * @throws {ControlError} 401 for another token or none; 403 where no token would do.
 */
export function checkToken(incoming: GatewayRequest, wanted: WantedToken): void {
  if (wanted === 'nothing') return
  if (wanted === 'closed') {
    throw new ControlError(
      403,
      'The control plane is closed, since this server can be reached from other machines. ' +
        'Start it with GREENROOM_CONTROL_TOKEN or --control-token, and send that as a bearer token.',
    )
  }
  const [, sent = ''] = /^bearer +(\S+)$/i.exec(headerOf(incoming, 'authorization')) ?? []
  if (isSame(sent, wanted.token)) return
  throw new ControlError(
    401,
    'The control plane wants its token. Send "Authorization: Bearer TOKEN" with what the server was started with.',
  )
}

/** Takes as long wherever two texts differ, so that nobody can find out one sign after the other. */
function isSame(sent: string, wanted: string): boolean {
  let difference = sent.length ^ wanted.length
  for (let at = 0; at < wanted.length; at++) difference |= (sent.charCodeAt(at) || 0) ^ wanted.charCodeAt(at)
  return difference === 0
}
