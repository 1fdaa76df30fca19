import type { Terminal } from '../../terminal/command.ts'
import type { LogSink } from './log-sink.ts'
import {
  formatRequest,
  maskSecrets,
  formatWarning,
  toLogFields,
  type LoggedEntry,
  type LoggedHeaders,
} from './request-line.ts'

type LogTerminal = Pick<Terminal, 'screen' | 'print' | 'atExit'>

export type LogFormat = 'pretty' | 'json' | 'silent'

/** The log of requests, on standard output. */
export interface RequestLog {
  /** @param headers the headers of the request, in a verbose log. */
  readonly request: (entry: LoggedEntry, headers?: LoggedHeaders) => void
  /** Logs a warning about something that the user should change. @param fields more fields of a JSON log. */
  readonly warn: (message: string, fields?: object) => void
  /** Logs anything else. @param text the text of a pretty log. A JSON log has the fields, or the text as its message. */
  readonly note: (text: string, fields?: object) => void
  /** Writes the remaining lines. */
  readonly end: () => Promise<void>
}

/** Opens a log. What formats and writes it is loaded only here. */
export async function openLog(format: LogFormat, terminal: LogTerminal): Promise<RequestLog> {
  if (format === 'silent') return silentLog(terminal)
  const { openSink } = await import('./log-sink.ts')
  const sink = openSink(terminal, (count) => {
    const message = `${count} lines were not logged: the output is not read fast enough.`
    log.warn(message, { dropped: count })
  })
  const log = format === 'json' ? await jsonLog(sink) : prettyLog(sink, terminal)
  return log
}

/** A log for programs: each line is JSON, written by pino. */
async function jsonLog(sink: LogSink): Promise<RequestLog> {
  const { pino } = await import('pino')
  const logger = pino({ base: null }, sink)
  return {
    request: (entry, headers) =>
      logger.info(toLogFields(entry, headers), `${entry.method} ${maskSecrets(entry.path)} ${entry.status}`),
    warn: (message, fields = {}) => logger.warn(fields, message),
    note: (text, fields) => (fields ? logger.info(fields) : logger.info(text)),
    end: sink.end,
  }
}

/** A log for people. */
function prettyLog({ write, end }: LogSink, { screen }: LogTerminal): RequestLog {
  const options = () => ({ hasColours: screen?.hasColours ?? false, columns: screen?.columns() })
  return {
    request: (entry, headers) => write(`${formatRequest(entry, options(), headers)}\n`),
    warn: (message) => write(`${formatWarning(message, options())}\n`),
    note: (text) => write(`${text}\n`),
    end,
  }
}

/** A silent log still prints warnings and answers to keys. */
function silentLog({ print }: LogTerminal): RequestLog {
  const say = (text: string): void => print(text.trimEnd())
  return { request: () => {}, warn: (message) => say(`warning: ${message}`), note: say, end: async () => {} }
}
