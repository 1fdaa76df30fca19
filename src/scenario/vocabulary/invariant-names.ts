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
  'ends-tool-loop',
  'no-abandoned-task',
] as const

/** Judged only where the end of the client is known, or where they are expected by name. */
export const invariantsAtEnd: readonly string[] = ['no-abandoned-task']

/** What a good client never breaks, whether it has ended or not. */
export const runningInvariants = invariantNames.filter((name) => !invariantsAtEnd.includes(name))
