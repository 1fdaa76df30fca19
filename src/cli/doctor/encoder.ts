import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encoderCandidate, ffmpegStaticProgram } from '../../media/encode/encoder-candidate.ts'
import { mediaLimits } from '../../media/source.ts'
import { packagePath } from '../../files/package-path.ts'
import { environmentOptions, type Config } from '../serve/config-file.ts'
import type { Terminal } from '../terminal/command.ts'
import type { CheckResult } from './checks.ts'

/** Checks the program that encodes `full` clips, by running it. */
export async function checkEncoder(config: Config, { environment }: Terminal): Promise<CheckResult> {
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

/**
 * Downloads the program of ffmpeg-static. npm may have skipped it, or the present one may not work.
 * @returns what is left to do; undefined if nothing is.
 */
async function mendEncoder(terminal: Terminal): Promise<string | undefined> {
  const program = ffmpegStaticProgram()
  if (program === undefined) return `Run ${installCommand()}`
  if (existsSync(program)) {
    if (terminal.environment['FFMPEG_BIN']) return 'Unset FFMPEG_BIN, or name a program that works by it.'
    rmSync(program)
  }
  terminal.warn(`Downloading ${program}`)
  const problem = await downloadProgram(program, terminal)
  if (problem === undefined) return undefined
  return `The download failed (${problem}). It comes from github.com. With the URL of a mirror, run FFMPEG_BINARIES_URL=URL npx greenroom doctor --mend`
}

/** Installs the package in the version that this package depends on: npm removes it after a failed download. */
function installCommand(): string {
  const [, version] = /"ffmpeg-static": "([\d.]+)"/.exec(readFileSync(packagePath('package.json'), 'utf8'))!
  return `npm install --no-save --ignore-scripts ffmpeg-static@${version} && npx greenroom doctor --mend`
}

/** @returns why it failed; undefined if it worked. */
async function downloadProgram(program: string, { environment }: Terminal): Promise<string | undefined> {
  const script = createRequire(import.meta.url).resolve('ffmpeg-static/install.js')
  const child = spawn(process.execPath, [script], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors = (errors + String(bytes)).slice(-2_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status === 0 && existsSync(program)) return undefined
  return /^.*Error: .*$/m.exec(errors)?.[0].trim() ?? `status ${status}`
}
