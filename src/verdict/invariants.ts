import type { InvariantDefinition } from './invariant.ts'
import { authOnEveryCall } from './invariants/auth-on-every-call.ts'
import { backsOff } from './invariants/backs-off.ts'
import { honoursRetryAfter } from './invariants/honours-retry-after.ts'
import { modalFollowsItsAction } from './invariants/modal-follows-its-action.ts'
import { noDuplicateSubmit } from './invariants/no-duplicate-submit.ts'
import { noEarlyDownload } from './invariants/no-early-download.ts'
import { noPollAfterTerminal } from './invariants/no-poll-after-terminal.ts'
import { oneKey } from './invariants/one-key.ts'
import { pollInterval } from './invariants/poll-interval.ts'
import { readsStreamToEnd } from './invariants/reads-stream-to-end.ts'

/** What a good client never breaks, in the order of the docs. */
export const invariants: readonly InvariantDefinition[] = [
  authOnEveryCall,
  oneKey,
  noPollAfterTerminal,
  pollInterval,
  honoursRetryAfter,
  backsOff,
  noDuplicateSubmit,
  noEarlyDownload,
  modalFollowsItsAction,
  readsStreamToEnd,
]
