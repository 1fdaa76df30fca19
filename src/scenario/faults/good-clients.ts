import type { GoodClient } from './fault.ts'

/** No response arrives, and the connection is gone. */
export const lostConnection = {
  reaction: 'retry-with-backoff',
  expected: 'survive',
  family: 'network',
  isAcceptanceUnknown: true,
} as const satisfies Partial<GoodClient>

/** The response is incomplete or unreadable. */
export const brokenBytes = {
  reaction: 'retry-with-backoff',
  expected: 'survive',
  family: 'bytes',
  isAcceptanceUnknown: true,
} as const satisfies Partial<GoodClient>

/** The response or the task takes long. */
export const slowness = {
  reaction: 'wait',
  expected: 'survive',
  family: 'slowness',
} as const satisfies Partial<GoodClient>

/** No response ever arrives. */
export const silence = {
  reaction: 'time-out',
  expected: 'either',
  family: 'silence',
} as const satisfies Partial<GoodClient>

/** A poll shows what the client does not expect. */
export const unexpectedState = {
  reaction: 'ignore',
  expected: 'survive',
  family: 'stale',
} as const satisfies Partial<GoodClient>

/** A callback is lost, or something is wrong with its delivery. Its receiver verifies it, and a poll finds what it missed. */
export const callbacks = {
  reaction: 'ignore',
  expected: 'survive',
} as const satisfies Partial<GoodClient>
