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
export type InvariantName = (typeof invariantNames)[number]
