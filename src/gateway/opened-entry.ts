import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { truncate } from './beginning.ts'
import type { Said } from './asked.ts'
import type { JournalEntry } from './journal.ts'
import type { KeyLabel } from './accounts/keys.ts'
import type { Arrival } from './reception.ts'

const noReasons = (): [] => []

/**
 * The entry of an exchange that begins: what is known of the request, and nothing yet of the answer.
 *
 * @param opening `at` is the instant of admission; `key` is safe to print.
 */
export function openedEntry(
  { incoming, address, found, namespace, identity, key: known }: Arrival,
  { at, id, key: shownKey, said: { model, prompt } }: { at: number; id: string; key: KeyLabel; said: Said },
): JournalEntry {
  return {
    number: namespace.journal.nextNumber,
    at,
    wallAt: hostTimers.now(),
    door: incoming.door,
    operation: found?.route.operation ?? null,
    method: incoming.method,
    path: truncate(address.path, 300),
    namespace: namespace.name,
    key: shownKey.masked,
    keyHash: shownKey.hash,
    requestId: id,
    task: null,
    status: 0,
    rules: [],
    delayMs: 0,
    shown: null,
    model: model === undefined ? null : truncate(model, 100),
    prompt: prompt === undefined ? null : truncate(prompt, 200),
    outcome: 'open',
    bytes: 0,
    identity,
    authorized: known !== undefined,
    parent: null,
    final: false,
    retryAfterMs: null,
    assumed: false,
    timing: namespace.clock.timing,
    fault: null,
    approximated: false,
    content: null,
    stream: null,
    firstByteAt: null,
    settledAt: null,
    settledBefore: null,
    reasons: noReasons,
  }
}
