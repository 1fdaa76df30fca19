/** What a good client never breaks. */
export const invariantNames = [
  'auth-on-every-call',
  'one-key',
  'no-poll-after-terminal',
  'poll-interval',
  'honours-retry-after',
  'backs-off',
  'no-duplicate-submit',
  'no-early-download',
  'modal-follows-its-action',
  'reads-stream-to-end',
] as const

/**
 * The name of something that a good client never breaks.
 *
 * @example
 * const always: InvariantName[] = ['auth-on-every-call', 'backs-off']
 * using run = sim.watch({ always })
 */
export type InvariantName = (typeof invariantNames)[number]
