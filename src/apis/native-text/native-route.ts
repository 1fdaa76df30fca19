import { relayError } from '../../gateway/replies/errors.ts'
import type { Route } from '../../gateway/route.ts'
import type { RefusedWords } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { nativeCredential } from './credential.ts'
import { describeNative } from './describe.ts'
import { nativeRefusal } from './refuse.ts'

/** The status words of what the service behind the gateway refuses. */
export const upstreamWords = (status: number): RefusedWords => ({ type: 'upstream_error', code: status })

/** What all native routes have in common. */
export function nativeRoute(
  { nativeKeyHeaders, quirks }: TextSurfaceSettings,
  isStream = false,
): Pick<Route, 'credential' | 'refuse' | 'malformed' | 'describe'> {
  return {
    credential: nativeCredential(nativeKeyHeaders),
    refuse: nativeRefusal(quirks, isStream),
    /** @assumed §7 the answer to malformed JSON is not shown; wire §2.4. */
    malformed: () => relayError(quirks.clientErrorStatus, 'invalid_request', 'invalid JSON request body'),
    describe: describeNative,
  }
}
