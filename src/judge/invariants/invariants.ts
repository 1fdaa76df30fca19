import type { InvariantDefinition } from './invariant.ts'
import { authOnEveryCall } from './auth-on-every-call.ts'
import { backsOff } from './backs-off.ts'
import { honoursRetryAfter } from './honours-retry-after.ts'
import { modalFollowsItsAction } from './modal-follows-its-action.ts'
import { endsToolLoop } from './ends-tool-loop.ts'
import { noAbandonedTask } from './no-abandoned-task.ts'
import { noDuplicateSubmit } from './no-duplicate-submit.ts'
import { noEarlyDownload } from './no-early-download.ts'
import { noPollAfterTerminal } from './no-poll-after-terminal.ts'
import { oneKey } from './one-key.ts'
import { pollInterval } from './poll-interval.ts'
import { readsStreamToEnd } from './reads-stream-to-end.ts'

/** In the order of the docs. */
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
  endsToolLoop,
  noAbandonedTask,
]
