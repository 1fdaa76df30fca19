import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ffmpegStaticProgram } from '../../media/encode/encoder-candidate.ts'
import { mediaLimits } from '../../media/source.ts'
import { exitCodes, type Command, type Terminal } from '../terminal/command.ts'

/** `greenroom ffmpeg`: downloads the program of ffmpeg-static, which npm may have skipped. */
export const ffmpeg: Command = {
  options: {},
  epilogue: [
    'Full clips are encoded by ffmpeg-static if it is installed and runs; otherwise by FFmpeg as WebAssembly, which is slower. npm skips the program if its download fails or install scripts are off.',
    `Exit codes: ${exitCodes.cannotStart} the program could not be downloaded or does not run.`,
  ],
  examples: [['greenroom ffmpeg', 'download the encoder, unless it is there']],
  run: async (_input, terminal) => {
    const program = ffmpegStaticProgram()
    if (program === undefined) return fail(terminal, explainMissing())
    if (!existsSync(program) && !(await fetchProgram(program, terminal))) return exitCodes.cannotStart
    return checkProgram(program, terminal)
  },
}

function explainMissing(): string {
  return (
    'ffmpeg-static is not installed: npm skips it if its download fails. Install it without its download by\n' +
    `  npm install --no-save --ignore-scripts ffmpeg-static@${supportedVersion()}\n` +
    'and run this command again.'
  )
}

/** The version that this package depends on. */
function supportedVersion(): string {
  const path = createRequire(import.meta.url).resolve('greenroom/package.json')
  const { optionalDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>
  }
  return optionalDependencies['ffmpeg-static']!
}

async function fetchProgram(program: string, terminal: Terminal): Promise<boolean> {
  terminal.print(`Downloading ${program}`)
  const script = createRequire(import.meta.url).resolve('ffmpeg-static/install.js')
  const child = spawn(process.execPath, [script], {
    env: terminal.environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors = (errors + String(bytes)).slice(-2_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status === 0 && existsSync(program)) return true
  const reason = /^.*Error: .*$/m.exec(errors)?.[0] ?? errors.trim().split('\n', 1)[0]
  fail(
    terminal,
    `The download failed${reason ? ` (${reason.trim()})` : ''}. It comes from github.com: set FFMPEG_BINARIES_URL to a mirror, ` +
      'or pass --ffmpeg with the path of an ffmpeg that has libx264. Without either, greenroom uses WebAssembly.',
  )
  return false
}

async function checkProgram(program: string, terminal: Terminal): Promise<number> {
  const { NativeEncoder } = await import('../../media/encode/encoders.ts')
  const { stallTimeoutMs } = mediaLimits
  const encoder = new NativeEncoder({ program, processes: 1, stallTimeoutMs })
  try {
    terminal.print(`${program} works (${await encoder.verify()}). It encodes full clips from now on.`)
    return exitCodes.ok
  } catch (error) {
    const { message } = error as Error
    return fail(terminal, `${program} does not work: ${message}. Delete it and run this command again.`)
  } finally {
    await encoder.close()
  }
}

function fail(terminal: Terminal, message: string): number {
  terminal.warn(`error: ${message}`)
  return exitCodes.cannotStart
}
