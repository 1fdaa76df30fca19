import { operationsWith, shippedOperations } from '../../apis/index.ts'
import { isObject } from '../../engine/is-object.ts'
import type { ApiSettings } from '../../engine/operations/operation-table.ts'
import { hintOf } from '../../scenario/schema/fields.ts'
import { definitionOf, unwrapSchema } from '../../scenario/schema/schema-walk.ts'
import type { Recording } from '../../judge/recording/recording.ts'
import { replay as replayRecording, type Deviation, type ReplayResult } from '../../judge/recording/replay.ts'
import { MessageStore } from '../../gateway/messages.ts'
import { readTrace, type UnboundedTrace } from '../../judge/index.ts'
import { nodeMedia } from '../../media/node.ts'
import { mediaOptions, type SimulatorOptions } from '../../simulator/options.ts'
import { composeSimulator, type Simulator } from '../../simulator/simulator.ts'
import { version } from '../../version.ts'
import { exitCodes, type Command, type Terminal } from '../terminal/command.ts'
import { apiOfRecording, entriesOf, readRecordingFile } from './source.ts'

/** The keys of a group of settings by which a simulator sends requests itself. */
function callsOf(group: ApiSettings['options'][string]): string[] {
  const fields = Object.entries(definitionOf(unwrapSchema(group)).shape ?? {})
  return fields.flatMap(([key, schema]) => (hintOf(schema).callsOut ? [key] : []))
}

/** `greenroom replay`: repeats recorded requests, and compares the decisions. */
export const replay: Command = {
  argumentHelp: 'Recording to replay, written by --journal',
  options: apiOfRecording,
  epilogue: [
    `Each request is sent at its own instant to a simulator with the same options. Calls to ${Object.values(shippedOperations.settings.options).flatMap(callsOf).join(', ')} are not repeated. Changes that were made from inside the process are not in a recording.`,
    `Exit codes: ${exitCodes.expectationFailed} a decision differs, ${exitCodes.badFile} the file can't be read.`,
  ],
  examples: [['greenroom replay run.jsonl', 'compare every decision with the recording']],
  run: async ({ args, flags }, terminal) => {
    const recording = await readRecordingFile(args[0]!, flags, terminal)
    const simulator = createSimulatorFor(recording, terminal)
    try {
      const replayed = await replayRecording(recording, simulator)
      terminal.print(describeReplay(args[0]!, recording, replayed))
      return replayed.different.length === 0 ? exitCodes.ok : exitCodes.expectationFailed
    } finally {
      await simulator.close()
    }
  },
}

/** Rebuilds the exchanges of a recording in its namespaces. The same requests create the same tasks. */
export async function traceRecording(
  recording: Recording,
  namespaces: readonly string[],
  terminal: Pick<Terminal, 'warn'>,
): Promise<UnboundedTrace[]> {
  const simulator = createSimulatorFor(recording, terminal)
  try {
    const { different } = await replayRecording(recording, simulator)
    if (different.length > 0) {
      terminal.warn(
        `warning: ${different.length} requests were decided otherwise than in the recording, so their tasks and costs may differ. ` +
          'See greenroom replay.',
      )
    }
    const traces = namespaces.map(async (name) => {
      const entries = entriesOf(recording, name)
      const { clock } = simulator.namespaces.get(name)
      const end = Math.max(...entries.map(({ at, settledAt }) => settledAt ?? at))
      if (end > clock.now()) await clock.advanceTo(end)
      return { ...readTrace(simulator, name), entries, readExchange: readRequests(recording, name) }
    })
    return await Promise.all(traces)
  } finally {
    await simulator.close()
  }
}

/** Reads the requests of a recording. Of responses, it contains only hashes. */
function readRequests({ lines }: Recording, namespace: string): NonNullable<UnboundedTrace['readExchange']> {
  const requests = new Map(
    lines.flatMap((line) =>
      line.line === 'exchange' && line.entry.namespace === namespace
        ? [[line.entry.number, line.request] as const]
        : [],
    ),
  )
  const store = new MessageStore()
  return (number) => {
    const found = requests.get(number)
    if (!found) return undefined
    const { method, target, headers, body = '', bodyBytes } = found
    const { text, truncated } = store.readBody(
      Buffer.from(body, 'base64'),
      String(headers['content-type'] ?? ''),
    )
    const request = {
      line: `${method} ${target}`,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as const),
      body: text,
      truncated: truncated || (body === '' && bodyBytes > 0),
    }
    return { request, reply: null }
  }
}

function createSimulatorFor({ head }: Recording, { warn }: Pick<Terminal, 'warn'>): Simulator {
  const { host: _host, port: _port, ...options } = head.options as SimulatorOptions & Record<string, unknown>
  const { settings } = operationsWith(options.apis)
  const onWarning = (message: string): void => warn(`warning: ${message}`)
  return composeSimulator({
    ...withoutCalls(options, settings.options),
    media: nodeMedia({ ffmpeg: undefined, cacheDir: false, ...mediaOptions({ ...options, onWarning }) }),
    clock: { mode: 'manual', start: head.start },
    onWarning,
  })
}

/** Removes the settings by which a simulator sends requests itself. */
function withoutCalls<Options extends object>(options: Options, settings: ApiSettings['options']): Options {
  const without = (key: string, value: unknown): unknown => {
    if (!Object.hasOwn(settings, key) || !isObject(value)) return value
    const calls = callsOf(settings[key]!)
    return Object.fromEntries(Object.entries(value).filter(([name]) => !calls.includes(name)))
  }
  const entries = Object.entries(options).map(([key, value]) => [key, without(key, value)])
  return Object.fromEntries(entries) as Options
}

/** The maximum number of listed deviations. */
const maxListed = 20

function describeReplay(file: string, { head }: Recording, replayed: ReplayResult): string {
  const { exchanges, same, skipped, different } = replayed
  const result = `${file}: ${same} of ${exchanges} exchanges were decided as before`
  const lines = [
    ...different.slice(0, maxListed).map((each) => `✗ ${describeDeviation(each)}`),
    ...skipped.slice(0, maxListed).map((each) => `- ${describeDeviation(each)}`),
    different.length === 0 ? `✓ ${result}` : `✗ ${result}, ${different.length} otherwise`,
  ]
  if (different.length > 0 && head.greenroom !== version) {
    lines.push(`It was recorded by greenroom ${head.greenroom}; this is ${version}.`)
  }
  return lines.join('\n')
}

function describeDeviation({ number, namespace, request, why }: Deviation): string {
  const place = namespace === 'default' ? `#${number}` : `${namespace}/#${number}`
  return `${place}  ${request}  ${why}`
}
