import type { NamespaceSummary } from '../../control/control.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'
import { defaultPort } from '../../server/limits.ts'
import {
  type Command,
  exitCodes,
  type Flags,
  readText,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { toServerUrl } from '../inspect/source.ts'
import { callControl, followEvents, notGreenroom, type WatchSource } from './log/event-source.ts'
import { openLog } from './log/log.ts'
import { WatchedLog } from './log/watched-log.ts'

/** `greenroom watch`: the log of a server that runs elsewhere. */
export const watch: Command = {
  argumentHelp: `URL of the server  [default: http://127.0.0.1:${defaultPort}]`,
  options: {
    namespace: { type: 'string', describe: 'Watch this namespace  [default: default]' },
    token: { type: 'string', describe: 'Send this control token; also GREENROOM_CONTROL_TOKEN' },
    log: {
      choices: ['pretty', 'json'],
      default: 'pretty',
      describe: 'Print the log for people, or as JSON lines',
    },
    verbose: { type: 'boolean', describe: 'Log ids and timings of each request' },
  },
  epilogue: [
    'Prints the latest requests, then each request when its response has ended, as greenroom serve does. Runs until Ctrl-C, and connects again if the server is gone for a while.',
    `Exit codes: ${exitCodes.usage} no greenroom server responds there, or it has no such namespace.`,
  ],
  examples: [
    ['greenroom watch', 'follow the server on port 4646'],
    ['greenroom watch http://127.0.0.1:5000 --log json', 'print JSON lines'],
  ],
  run: async ({ flags, args }, terminal) => {
    const source = readSource(flags, args, terminal)
    await checkNamespace(source)
    const { log: format, verbose = false } = flags as { log: 'pretty' | 'json'; verbose?: boolean }
    const log = await openLog(format, terminal)
    const end = new AbortController()
    void terminal.interrupted.then(() => end.abort())
    try {
      await followEvents(source, new WatchedLog(log, source, verbose), end.signal)
    } finally {
      await log.end()
    }
    return exitCodes.ok
  },
}

function readSource(flags: Flags, [named]: readonly string[], { environment }: Terminal): WatchSource {
  return {
    url: toServerUrl(named),
    namespace: readText(flags, 'namespace') ?? 'default',
    token: readText(flags, 'token') ?? environment['GREENROOM_CONTROL_TOKEN'],
  }
}

/** @throws {UsageError} if no greenroom server responds, if it refuses, or if the namespace is unknown. */
async function checkNamespace(source: WatchSource): Promise<void> {
  const { url, namespace } = source
  const response = await callControl(source, '/namespaces').catch((error: unknown) => {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `Failed to reach ${url}: no server responds. Start greenroom serve, or pass the URL of a running one.`,
    )
  })
  const found = (await response.json().catch(() => undefined)) as NamespaceSummary[] | undefined
  if (!Array.isArray(found)) throw notGreenroom(url)
  const names = found.map(({ name }) => name)
  if (names.includes(namespace)) return
  throw new UsageError(
    `${url} has no namespace "${namespace}".${didYouMean(namespace, names)} It has ${names.slice(0, 20).join(', ')}.`,
  )
}
