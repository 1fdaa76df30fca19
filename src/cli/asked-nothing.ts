import type { Simulator } from '../simulator/simulator.ts'
import type { Terminal } from './command.ts'

/**
 * A command that asks the gateway nothing passes for one whose client is fine, or fails in every respect. Mostly its client
 * asks another address.
 */
export function tellWhenAskedNothing({ namespaces }: Simulator, { warn }: Terminal): void {
  if (namespaces.all().some(({ journal }) => journal.nextNumber > 1)) return
  warn(
    'greenroom: the command asked the gateway nothing. Its client finds the address in GREENROOM_URL, OPENAI_BASE_URL, ' +
      'GOOGLE_GEMINI_BASE_URL or MJ_SERVER, and a key in the variables beside them.',
  )
}
