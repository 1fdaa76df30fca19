import { caps, megabyte } from '../../engine/caps.ts'

/** The values of keys that are missing. Code uses them, and descriptions of the keys name them. */
export const optionDefaults = {
  seed: 1,
  discount: 1,
  port: 4646,
  host: '127.0.0.1',
  limits: {
    bodyMegabytes: caps.bodyBytes / megabyte,
    bodiesMegabytes: caps.bodiesBytes / megabyte,
    promptCharacters: caps.promptCharacters,
    imageMegabytes: caps.imageBytes / megabyte,
    journalEntries: 1_000,
    namespaces: 10_000,
  },
  /** How many exchanges are stored with headers and bodies. */
  storedExchanges: 2_000,
  /** Limits stored tasks and idle namespaces, so that a server that runs for weeks doesn't grow. */
  servedRetention: { tasks: 100_000, idle: '24h' },
  throttle: { per: '1m' },
  /** Five seconds between polls are the lower bound that the gateway recommends (§4.2). */
  drive: {
    prompt: 'a paper boat in the rain',
    n: 1,
    pollEvery: '5s',
    giveUpAfter: '10m',
    retries: 5,
    verify: 'etag',
    download: true,
  },
} as const
