import type { Options } from 'yargs'

/** The flag that names a file for recordings. */
export const journalFlag = {
  type: 'string',
  describe: 'A file to record every exchange in, as JSON lines; greenroom replay and audit read it',
} as const satisfies Options
