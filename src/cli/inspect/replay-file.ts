import { nodeMedia } from '../../media/node.ts'
import { mediaOptions, type SimulatorOptions } from '../../simulator/options.ts'
import type { Recording } from '../../judge/recording/recording.ts'
import { replay, type Deviation, type ReplayResult } from '../../judge/recording/replay.ts'
import { composeSimulator } from '../../simulator/simulator.ts'
import { version } from '../../version.ts'
import { exitCodes, type Terminal } from '../terminal/command.ts'
import { readRecordingFile } from './recorded-entries.ts'

/** So many deviations are told one by one. */
const maxListed = 20

/**
 * Asks all of a recorded file again, and tells what came of it.
 * @returns the exit code.
 */
export async function replayFile(file: string, terminal: Terminal): Promise<number> {
  const recording = await readRecordingFile(file, terminal)
  const simulator = simulatorFor(recording, terminal)
  try {
    const replayed = await replay(recording, simulator)
    return tell(file, recording, replayed, terminal)
  } finally {
    await simulator.close()
  }
}

function simulatorFor({ head }: Recording, { warn }: Terminal): ReturnType<typeof composeSimulator> {
  const { host: _host, port: _port, ...options } = head.options as SimulatorOptions & Record<string, unknown>
  const { notifyHook: _calls, ...drawing } = options.drawing ?? {}
  const onWarning = (message: string): void => warn(`greenroom: ${message}`)
  return composeSimulator({
    ...options,
    drawing,
    media: nodeMedia({ ffmpeg: undefined, cacheDir: false, ...mediaOptions({ ...options, onWarning }) }),
    clock: { mode: 'manual', start: head.start },
    onWarning,
  })
}

function tell(
  file: string,
  { head }: Recording,
  { exchanges, same, skipped, different }: ReplayResult,
  { print }: Terminal,
): number {
  const sum = `${same} of ${exchanges} exchanges were decided as before`
  const lines = [
    ...different.slice(0, maxListed).map((each) => `✗ ${inWords(each)}`),
    ...skipped.slice(0, maxListed).map((each) => `- ${inWords(each)}`),
    different.length === 0 ? `✓ ${file}: ${sum}` : `✗ ${file}: ${sum}, ${different.length} otherwise`,
  ]
  if (different.length > 0 && head.greenroom !== version) {
    lines.push(`It was recorded by greenroom ${head.greenroom}; this is ${version}.`)
  }
  print(lines.join('\n'))
  return different.length === 0 ? exitCodes.ok : exitCodes.expectationFailed
}

function inWords({ number, namespace, request, why }: Deviation): string {
  const place = namespace === 'default' ? `#${number}` : `${namespace}/#${number}`
  return `${place}  ${request}  ${why}`
}
