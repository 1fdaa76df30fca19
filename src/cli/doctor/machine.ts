import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { encoderCandidate, ffmpegStaticProgram } from '../../media/encode/encoder-candidate.ts'
import { mediaLimits } from '../../media/source.ts'
import { packagePath } from '../../scenario/files/package-path.ts'
import { environmentOptions } from '../serve/config-file.ts'
import { toProcessStart } from '../terminal/windows-process.ts'
import { isAtLeast, type CheckResult, type Setting } from './check.ts'
import { existsSync, readFileSync, rmSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Terminal } from '../terminal/command.ts'
import { join } from 'node:path'
import { defaultCacheFolder } from '../../media/cache/disk-cache.ts'
import { makeFolder } from '../../media/cache/write-files.ts'

/** Checks Node, npm, the encoder and the clock. */
export async function findMachine(setting: Setting): Promise<CheckResult[]> {
  return Promise.all([
    findNode(process.versions.node),
    findNpm(setting),
    findEncoder(setting),
    findClock(setting),
  ])
}

/** The version in `engines` of package.json. */
const minNode = '20.19.0'

export function findNode(version: string): CheckResult {
  if (isAtLeast(version, minNode)) return { name: 'Node', status: 'ok', found: version }
  const advice = `Install Node ${minNode} or later, from nodejs.org or by your version manager.`
  return { name: 'Node', status: 'error', found: `${version} is too old`, advice }
}

async function findNpm({ environment, folder }: Setting): Promise<CheckResult> {
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

async function findEncoder({ config, environment }: Setting): Promise<CheckResult> {
  const name = 'encoder'
  try {
    const candidate = encoderCandidate(environmentOptions(config, environment))
    if (candidate.kind === 'wasm') {
      const found = `WebAssembly: ${candidate.reason.split(';', 1)[0]}`
      if (candidate.reason.startsWith('set by')) return { name, status: 'ok', found }
      const command = ffmpegStaticProgram() === undefined ? installCommand() : 'npx greenroom doctor --mend'
      const advice = `Run ${command} for a native encoder: it encodes full clips faster.`
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

async function findClock({ environment }: Setting): Promise<CheckResult> {
  const [startMs, startElapsedMs] = [hostTimers.now(), hostTimers.elapsedMs()]
  await new Promise<void>((resolve) => void hostTimers.setTimeout(resolve, watchMs))
  const driftMs = hostTimers.now() - startMs - (hostTimers.elapsedMs() - startElapsedMs)
  return judgeClock(startMs, driftMs, environment['TZ'])
}

/** @param driftMs how far the wall clock ran ahead of the monotonic clock. */
export function judgeClock(nowMs: number, driftMs: number, timeZone: string | undefined): CheckResult {
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

/**
 * Downloads the program of ffmpeg-static. npm may have skipped it, or the present one may not work.
 * @returns what is left to do; undefined if the program works.
 */
async function mendEncoder(terminal: Terminal): Promise<string | undefined> {
  const program = ffmpegStaticProgram()
  if (program === undefined) return `Run ${installCommand()}`
  if (existsSync(program)) {
    if (terminal.environment['FFMPEG_BIN']) return 'Unset FFMPEG_BIN, or let it name a program that works.'
    rmSync(program)
  }
  terminal.warn(`Downloading ${program}`)
  const problem = await downloadProgram(program, terminal)
  if (problem === undefined) return undefined
  return (
    `The download failed${problem === '' ? '' : ` (${problem})`}. It comes from github.com. ` +
    'With the URL of a mirror, run FFMPEG_BINARIES_URL=URL npx greenroom doctor --mend'
  )
}

/** Installs the package in the version that this package depends on: npm removes it after a failed download. */
function installCommand(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>
  }
  const version = optionalDependencies['ffmpeg-static']!
  return `npm install --no-save --ignore-scripts ffmpeg-static@${version} && npx greenroom doctor --mend`
}

/** @returns why it failed, which may be empty; undefined if it worked. */
async function downloadProgram(program: string, { environment }: Terminal): Promise<string | undefined> {
  const script = createRequire(import.meta.url).resolve('ffmpeg-static/install.js')
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors = (errors + String(bytes)).slice(-2_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status === 0 && existsSync(program)) return undefined
  return (/^.*Error: .*$/m.exec(errors)?.[0] ?? errors.trim().split('\n', 1)[0]!).trim()
}

/** Checks the folders that greenroom writes to. */
export function findFolders({ config: { cacheDir, state }, folder }: Setting): CheckResult[] {
  const cacheAdvice =
    'Choose another folder by --cache-dir, or --cache-dir false; until then, clips are cached in memory only.'
  const stateAdvice =
    'Choose another folder by --state or in the config file: greenroom serve does not start with it.'
  const folderAdvice = 'Write reports and recordings to another folder, by their full path.'
  return [
    cacheDir === false
      ? { name: 'cache', status: 'ok', found: 'in memory only' }
      : findFolder('cache', cacheDir ?? defaultCacheFolder(), 'warning', cacheAdvice),
    ...(state === undefined ? [] : [findFolder('state', state, 'error', stateAdvice)]),
    findFolder('folder', folder, 'warning', folderAdvice),
  ]
}

/** @param severity the status of a folder that can't be written. */
function findFolder(name: string, path: string, severity: 'warning' | 'error', advice: string): CheckResult {
  const problem = tryToWrite(path)
  if (problem !== undefined)
    return { name, status: severity, found: `${path} can't be written: ${problem}`, advice }
  // The working folder may be large, and its size says nothing.
  const found = name === 'folder' ? `${path} can be written` : `${path} (${describeSize(path)})`
  return { name, status: 'ok', found }
}

/** @returns why files can't be written there; undefined if they can. Leaves no files behind. */
function tryToWrite(folder: string): string | undefined {
  const isNew = !existsSync(folder)
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, '.greenroom-doctor-')))
    if (isNew) rmdirSync(folder)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

function describeSize(folder: string): string {
  if (!existsSync(folder)) return 'new'
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.isFile() ? found.size : 0
  })
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  return `${megabytes.toFixed(1)} MB`
}
