import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { encoderCandidate } from '../../media/encode/encoder-candidate.ts'
import { mediaLimits } from '../../media/source.ts'
import { environmentOptions } from '../serve/config-file.ts'
import { toProcessStart } from '../terminal/windows-process.ts'
import { isAtLeast, type Finding, type Setting } from './check.ts'
import { mendEncoder } from './mend-encoder.ts'

/** Checks Node, npm, the encoder and the clock. */
export async function findMachine(setting: Setting): Promise<Finding[]> {
  return Promise.all([
    findNode(process.versions.node),
    findNpm(setting),
    findEncoder(setting),
    findClock(setting),
  ])
}

/** The version in `engines` of package.json. */
const minNode = '20.19.0'

export function findNode(version: string): Finding {
  if (isAtLeast(version, minNode)) return { name: 'Node', status: 'ok', found: version }
  const advice = `Install Node ${minNode} or later, from nodejs.org or by your version manager.`
  return { name: 'Node', status: 'error', found: `${version} is too old`, advice }
}

async function findNpm({ environment, folder }: Setting): Promise<Finding> {
  const name = 'npm'
  const { program, words, windowsVerbatimArguments } = toProcessStart(['npm', '--version'], {
    folder,
    environment,
  })
  const child = spawn(program, words, {
    env: environment,
    windowsVerbatimArguments,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  })
  let version = ''
  child.stdout.on('data', (bytes: Buffer) => (version += String(bytes)))
  try {
    await once(child, 'close')
  } catch {
    // The program is not on PATH.
  }
  if (/^\d/.test(version)) return { name, status: 'ok', found: version.trim() }
  const advice = 'Install it, or use the package manager that you have: greenroom itself does not need npm.'
  return { name, status: 'warning', found: 'does not run', advice }
}

async function findEncoder({ config, environment }: Setting): Promise<Finding> {
  const name = 'encoder'
  try {
    const candidate = encoderCandidate(environmentOptions(config, environment))
    if (candidate.kind === 'wasm') {
      const found = `WebAssembly: ${candidate.reason.split(';', 1)[0]}`
      if (candidate.reason.startsWith('set by')) return { name, status: 'ok', found }
      const advice = 'Run npx greenroom doctor --mend for a native encoder: it encodes full clips faster.'
      return { name, status: 'warning', found, advice, mend: mendEncoder }
    }
    const { NativeEncoder } = await import('../../media/encode/encoders.ts')
    const { program, kind, reason } = candidate
    const encoder = new NativeEncoder({ program, processes: 1, stallTimeoutMs: mediaLimits.stallTimeoutMs })
    try {
      const version = await encoder.verify()
      return { name, status: 'ok', found: `${kind === 'given' ? program : kind} (${version}): ${reason}` }
    } catch (error) {
      const found = `${program} does not work: ${(error as Error).message}`
      if (kind === 'given')
        return { name, status: 'error', found, advice: 'Name another one by GREENROOM_FFMPEG, or "wasm".' }
      const advice = 'Run npx greenroom doctor --mend to download it again; until then, WebAssembly encodes.'
      return { name, status: 'warning', found, advice, mend: mendEncoder }
    } finally {
      await encoder.close()
    }
  } catch (error) {
    const advice = 'Correct the path in GREENROOM_FFMPEG or the config file.'
    return { name, status: 'error', found: (error as Error).message, advice }
  }
}

const watchMs = 50

async function findClock({ environment }: Setting): Promise<Finding> {
  const [startMs, startElapsedMs] = [hostTimers.now(), hostTimers.elapsedMs()]
  await new Promise<void>((resolve) => void hostTimers.setTimeout(resolve, watchMs))
  const driftMs = hostTimers.now() - startMs - (hostTimers.elapsedMs() - startElapsedMs)
  return judgeClock(startMs, driftMs, environment['TZ'])
}

/** @param driftMs how far the wall clock ran ahead of the monotonic clock. */
export function judgeClock(nowMs: number, driftMs: number, timeZone: string | undefined): Finding {
  const name = 'clock'
  const date = new Date(nowMs).toISOString()
  if (date < '2025' || date > '2100') {
    const advice = 'Set the clock of the machine: certificates and signed URLs depend on it.'
    return { name, status: 'warning', found: `it is ${date} here`, advice }
  }
  if (Math.abs(driftMs) > watchMs / 2) {
    const advice = 'Use --clock auto or manual, which do not depend on it, or stop what changes the time.'
    return {
      name,
      status: 'warning',
      found: `Date and the monotonic clock differ by ${Math.round(driftMs)} ms in ${watchMs} ms`,
      advice,
    }
  }
  if (timeZone !== undefined && timeZone !== '' && !isTimeZone(timeZone)) {
    const advice = 'Set TZ to a name such as Europe/Berlin; Node uses UTC until then.'
    return { name, status: 'warning', found: `TZ is "${timeZone}", which is no time zone`, advice }
  }
  return {
    name,
    status: 'ok',
    found: `${date}, time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}`,
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name.replace(/^:/, '') })
    return true
  } catch {
    return false
  }
}
