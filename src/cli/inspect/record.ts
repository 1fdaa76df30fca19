import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { basename, extname, resolve } from 'node:path'
import type { KeyPlace } from '../../apis/define/operation-schema.ts'
import { resolveApis } from '../../apis/define/own-apis.ts'
import { apis as shippedApis } from '../../apis/index.ts'
import { sdkEnvironment } from '../../embedded/sdk-environment.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ObservedExchange } from '../../judge/recording/observed.ts'
import { ObservedApis } from '../../judge/recording/observed-apis.ts'
import { scenarioOfRecording } from '../../judge/recording/to-scenario.ts'
import { pluralize } from '../../engine/wording.ts'
import { RouteTaken } from '../../gateway/router.ts'
import { isShippedApi, nameApiFile } from '../../files/code/load-apis.ts'
import { SettingsError } from '../../scenario/options.ts'
import {
  endLikeTarget,
  createForward,
  isHangUp,
  describeFailure,
  parseTargetUrl,
  TargetError,
  type ForwardObserver,
} from '../../server/forward.ts'
import { explainListenError, ServerError } from '../../server/server.ts'
import { pickServerFlags } from '../serve/server-flags.ts'
import { schemaLine, startFile } from '../project/new-file.ts'
import { startChild } from '../run/child.ts'
import { readVariables } from '../run/run-flags.ts'
import {
  exitCodes,
  readText,
  readTextFlags,
  repeatable,
  requireText,
  UsageError,
  type Command,
  type CommandInput,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'

/** `greenroom record`: forwards requests to a real gateway, and writes the exchanges as a scenario. */
export const record: Command = {
  wrapsCommand: true,
  options: {
    target: {
      type: 'string',
      demandOption: true,
      describe: 'Record the gateway at this URL, such as https://gateway.example',
    },
    out: { type: 'string', default: 'recorded.yaml', describe: 'Write this scenario file' },
    force: { type: 'boolean', describe: 'Replace the file if it exists' },
    port: { type: 'number', default: 0, describe: 'Listen on this port; 0 takes a free one' },
    prompts: { type: 'boolean', default: true, describe: 'Write prompts into the file' },
    api: {
      ...pickServerFlags(['api'])['api'],
      describe:
        'Record this API, too: a file that defines one, or a shipped one, such as replicate; repeatable',
    },
    env: repeatable('Set a variable of COMMAND, such as MY_GATEWAY=${url}/v1, with ${url} of the recorder'),
  },
  epilogue: [
    'COMMAND finds the recorder by GREENROOM_URL and the variables of SDKs, as with run. It sends its own key, which goes only to the target. Without COMMAND, the recorder runs until a signal ends it.',
    'The file has timings, statuses, stream pace, errors and templates of the responses. Keys and media are never stored. A target that breaks a connection is recorded as a fault.',
    `Exit codes: that of COMMAND if it fails, ${exitCodes.usage} wrong flag, ${exitCodes.badFile} the file can't be written, ${exitCodes.cannotStart} the port is taken, ${exitCodes.noRequests} no requests, ${exitCodes.interrupted} interrupted with a COMMAND.`,
  ],
  examples: [['greenroom record --target https://gateway.example -- npm test', 'record what your tests do']],
  run: recordTarget,
}

async function recordTarget({ flags, wrapped }: CommandInput, terminal: Terminal): Promise<number> {
  const target = parseTarget('target', requireText('target', flags['target']))
  const out = resolve(terminal.folder, readText(flags, 'out') ?? 'recorded.yaml')
  if (!['.yaml', '.yml'].includes(extname(out)))
    throw new UsageError(`--out is "${out}": name a file that ends in .yaml.`)
  const variables = readRecordVariables(flags, wrapped)
  const named = readTextFlags(flags, 'api')
  const apis = observeApis(named)
  const names = named.map((path) => nameApiFile(path, terminal.folder))
  const shipped = names.filter(isShippedApi)
  const flagsToPlay = names.filter((name) => !isShippedApi(name)).map((name) => `--api ${name}`)
  const file = await startFile(out, { replace: flags['force'] === true })
  try {
    const recorder = await startRecorder(target, { port: Number(flags['port']), warn: terminal.warn, apis })
    const code = await recordUntilEnd(recorder.url, { wrapped, variables }, terminal).finally(recorder.close)
    if (recorder.exchanges.length === 0) {
      terminal.warn(`error: There were no requests. Point the client at ${recorder.url}, or use --env.`)
      return code || exitCodes.noRequests
    }
    const { stringify } = await import('yaml')
    const scenario = scenarioOfRecording(recorder.exchanges, {
      name: basename(out, extname(out)),
      prompts: flags['prompts'] !== false,
      apis,
      ...(shipped.length > 0 && { config: { apis: shipped } }),
    })
    await file.put(
      Buffer.from(
        `${schemaLine(out, terminal.folder, 'scenario')}\n${stringify(scenario, { lineWidth: 110 })}`,
      ),
    )
    const { exchanges } = recorder
    const counts = [pluralize(exchanges.length, 'exchange'), pluralize(scenario.rules?.length ?? 0, 'rule')]
    terminal.warn(`Wrote ${out}: ${counts.join(', ')}.`)
    if (flagsToPlay.length > 0) terminal.warn(`hint: Play it with ${flagsToPlay.join(' ')}.`)
    return code
  } finally {
    await file.close()
  }
}

/** @throws {UsageError} for APIs that can't be served together. */
function observeApis(named: readonly string[]): ObservedApis {
  try {
    resolveApis(named, shippedApis)
    return new ObservedApis(named)
  } catch (error) {
    if (error instanceof SettingsError || error instanceof RouteTaken)
      throw new UsageError(`--api: ${error.message}`)
    throw error
  }
}

/** @throws {UsageError} for an invalid URL. */
export function parseTarget(flag: string, text: string): URL {
  try {
    return parseTargetUrl(text)
  } catch (error) {
    if (error instanceof TargetError) throw new UsageError(`--${flag}: ${error.message}`)
    throw error
  }
}

function readRecordVariables(flags: Flags, wrapped: readonly string[]): Record<string, string> {
  const variables = readVariables(flags, ['${url}'])
  if (Object.keys(variables).length > 0 && wrapped.length === 0)
    throw new UsageError('--env sets variables of a command. Add the command after "--".')
  if (Object.values(variables).some((value) => value.includes('${key}')))
    throw new UsageError("--env: the recorder has no ${key}. Write the target's own key.")
  return variables
}

async function recordUntilEnd(
  url: string,
  { wrapped, variables }: Pick<CommandInput, 'wrapped'> & { variables: Readonly<Record<string, string>> },
  terminal: Terminal,
): Promise<number> {
  if (wrapped.length === 0) {
    terminal.print(url)
    await terminal.interrupted
    return exitCodes.ok
  }
  // The keys of SDKs are unchanged, because the target needs the real ones. Variables of --env are set.
  const isSet = (name: string): boolean => Object.hasOwn(variables, name) || !/(?:KEY|SECRET)$/.test(name)
  const all = Object.entries(sdkEnvironment({ url, key: '' }, variables))
  const child = await startChild(wrapped, terminal, Object.fromEntries(all.filter(([name]) => isSet(name))))
  const code = await Promise.race([child.ended, terminal.interrupted]).finally(child.end)
  return code ?? exitCodes.interrupted
}

/** A server that forwards all requests to a target. */
interface Recorder {
  readonly url: string
  readonly exchanges: readonly ObservedExchange[]
  readonly close: () => Promise<void>
}

/** Longer bodies are forwarded, but only their start is read. */
const maxTextBytes = 1024 * 1024
/** Only this machine can reach the recorder. */
const host = '127.0.0.1'
/** Further exchanges are forwarded, but not recorded. */
const maxExchanges = 10_000

interface RecorderOptions {
  readonly port: number
  /** Receives why the target fails. */
  readonly warn: (message: string) => void
  readonly apis: ObservedApis
  /** The time in milliseconds, for tests. */
  readonly now?: () => number
}

/** Starts a server that forwards to the target. */
export async function startRecorder(
  target: URL,
  { port, warn, apis, now = () => hostTimers.elapsedMs() }: RecorderOptions,
): Promise<Recorder> {
  const { keyPlaces } = apis
  const exchanges: ObservedExchange[] = []
  const startMs = now()
  const elapsedMs = (): number => now() - startMs
  const forward = createForward({
    target,
    observe: (request) => observe(request, { exchanges, keyPlaces, elapsedMs }),
    // The client sees the same as it would from the target: a broken connection.
    onFailure: (error, _request, response) => {
      warn(`warning: ${describeFailure(error, target)}`)
      endLikeTarget(response, error)
    },
  })
  const server = createServer((request, response) => {
    // A compressed stream could not be read as it arrives.
    dropHeader(request, 'accept-encoding')
    forward(request, response)
  })
  server.listen({ port, host })
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new ServerError(explainListenError(error, host, port))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function dropHeader({ rawHeaders }: IncomingMessage, name: string): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (rawHeaders[at]!.toLowerCase() === name) rawHeaders.splice(at, 2)
}

/** Adds an exchange and follows it. */
function observe(
  request: IncomingMessage,
  {
    exchanges,
    keyPlaces,
    elapsedMs,
  }: { exchanges: ObservedExchange[]; keyPlaces: readonly KeyPlace[]; elapsedMs: () => number },
): ForwardObserver {
  const { method = '', url = '', headers } = request
  if (exchanges.length >= maxExchanges) return {}
  const { authorization = '' } = headers
  const [path, query = ''] = url.split('?', 2) as [string, string?]
  const parameters = new URLSearchParams(query)
  const own = keyPlaces.map(({ in: place, name }) =>
    place === 'header' ? headers[name.toLowerCase()] : parameters.get(name),
  )
  const exchange: ObservedExchange = {
    method,
    path,
    query,
    atMs: elapsedMs(),
    headers: {},
    sent: {},
    key: [authorization.replace(/^\S+\s+/, ''), ...own].find(Boolean)?.toString() ?? '',
    received: [],
    bytes: 0,
  }
  exchanges.push(exchange)
  const chunks: Uint8Array[] = []
  let sentBytes = 0
  const decoder = new TextDecoder()
  let isText = false
  return {
    sent: (chunk) => {
      sentBytes += chunk.length
      if (sentBytes <= maxTextBytes) chunks.push(chunk)
    },
    head: (response) => {
      exchange.headersAtMs = elapsedMs()
      exchange.status = response.statusCode!
      exchange.headers = response.headers
      exchange.sent = parseFields(Buffer.concat(chunks).toString('utf8'))
      isText = /json|text|xml/.test(response.headers['content-type'] ?? '')
    },
    received: (chunk) => {
      exchange.bytes += chunk.length
      if (!isText || exchange.bytes > maxTextBytes) return
      exchange.received.push({ atMs: elapsedMs(), text: decoder.decode(chunk, { stream: true }) })
    },
    end: (failure) => {
      if (failure === 'client') exchange.broken = 'client'
      else if (failure) exchange.broken = isHangUp(failure) ? 'close' : 'reset'
    },
  }
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
