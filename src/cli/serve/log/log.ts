import type { DestinationStream } from 'pino'
import type { Terminal } from '../../terminal/command.ts'
import {
  formatRequest,
  maskSecrets,
  formatWarning,
  toLogFields,
  type LoggedEntry,
  type LoggedHeaders,
} from './request-line.ts'

export type LogFormat = 'pretty' | 'json' | 'silent'

/** The log of requests, on standard output. */
export interface RequestLog {
  /** @param headers the headers of the request, in a verbose log. */
  readonly request: (entry: LoggedEntry, headers?: LoggedHeaders) => void
  /** Logs a warning about something that the user should change. */
  readonly warn: (message: string) => void
  /** Logs anything else. @param text the text of a pretty log. A JSON log has the fields, or the text as its message. */
  readonly note: (text: string, fields?: object) => void
  /** Writes the remaining lines. */
  readonly end: () => Promise<void>
}

/** Opens a log by pino, which is loaded only here. */
export async function openLog(
  format: LogFormat,
  terminal: Pick<Terminal, 'screen' | 'print' | 'atExit'>,
): Promise<RequestLog> {
  if (format === 'silent') return silentLog(terminal)
  const [{ pino }, { openSink }] = await Promise.all([import('pino'), import('./log-sink.ts')])
  const sink = openSink(terminal, (count) => {
    const message = `${count} lines were not logged: the output is not read fast enough.`
    logger.warn({ dropped: count }, message)
  })
  const isPretty = format === 'pretty'
  const destination = isPretty ? prettyDestination(terminal, sink.write) : sink
  const logger = pino({ base: null, serializers: isPretty ? { exchange: () => undefined } : {} }, destination)
  return {
    request: (entry, headers) => {
      if (isPretty) logger.info({ exchange: { entry, headers } satisfies LoggedExchange })
      else
        logger.info(toLogFields(entry, headers), `${entry.method} ${maskSecrets(entry.path)} ${entry.status}`)
    },
    warn: (message) => logger.warn(message),
    note: (text, fields) => {
      if (isPretty || !fields) logger.info(text)
      else logger.info(fields)
    },
    end: sink.end,
  }
}

/** A silent log still prints warnings and answers to keys. */
function silentLog({ print }: Pick<Terminal, 'print'>): RequestLog {
  const say = (text: string): void => print(text.trimEnd())
  return { request: () => {}, warn: (message) => say(`warning: ${message}`), note: say, end: async () => {} }
}

/** An exchange for a pretty log. Its serializer returns nothing, so that pino writes no JSON for it. */
interface LoggedExchange {
  readonly entry: LoggedEntry
  readonly headers: LoggedHeaders | undefined
}

const warnLevel = 40

/** A destination that shows lines for people. pino sets the `last…` fields before each write. */
function prettyDestination({ screen }: Pick<Terminal, 'screen'>, write: (text: string) => void) {
  const destination = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    lastMsg: undefined as string | undefined,
    lastObj: null as { exchange?: LoggedExchange } | null,
    write: () => {
      const { lastLevel, lastMsg = '', lastObj } = destination
      const options = { hasColours: screen?.hasColours ?? false, columns: screen?.columns() }
      const exchange = lastObj?.exchange
      if (exchange) write(`${formatRequest(exchange.entry, options, exchange.headers)}\n`)
      else write(`${lastLevel >= warnLevel ? formatWarning(lastMsg, options) : lastMsg}\n`)
    },
  }
  return destination satisfies DestinationStream
}
