import { defaultPort } from '../../server/start.ts'

/** Where `serve` listens, unless it is told otherwise. */
export const defaultUrl = `http://127.0.0.1:${defaultPort}`

/** The flags of commands that ask a running server, or read what one has recorded. */
export const sourceFlags = {
  url: { type: 'string', describe: `The server to be asked  [default: ${defaultUrl}]` },
  namespace: { type: 'string', describe: 'Whose exchanges  [default: default]' },
  journal: { type: 'string', describe: 'A recorded file to be read in place of asking a server' },
} as const
