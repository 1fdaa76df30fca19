import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ffmpegStaticProgram } from '../../media/encode/encoder-candidate.ts'
import { mediaLimits } from '../../media/source.ts'
import { exitCodes, type Command, type Terminal } from '../terminal/command.ts'

/** `greenroom ffmpeg`: fetches the program of ffmpeg-static, which npm may have left out. */
export const ffmpeg: Command = {
  name: 'ffmpeg',
  summary: 'fetch the program of ffmpeg-static and check it',
  options: {},
  epilogue: `greenroom makes full clips with the program of ffmpeg-static where it is installed and runs, else with FFmpeg as
WebAssembly, which is slower. npm leaves the program out when its download fails or install scripts are off.

Exit codes: ${exitCodes.cannotStart} the program could not be fetched or does not run.`,
  run: async (_flags, terminal) => {
    const program = ffmpegStaticProgram()
    if (program === undefined) return failed(terminal, notInstalled)
    if (!existsSync(program) && !(await fetchProgram(program, terminal))) return exitCodes.cannotStart
    return checkProgram(program, terminal)
  },
}

const notInstalled =
  'ffmpeg-static is not installed: npm leaves it out when its download fails. Install it without its download by\n' +
  '  npm install --no-save --ignore-scripts ffmpeg-static@5.3.0\n' +
  'and run this command again.'

async function fetchProgram(program: string, terminal: Terminal): Promise<boolean> {
  terminal.print(`Fetching ${program}`)
  // FFMPEG_BIN names another place, where greenroom does not look.
  const { FFMPEG_BIN: _elsewhere, ...env } = terminal.environment
  const script = join(dirname(program), 'install.js')
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (bytes: Buffer) => (complaints = (complaints + String(bytes)).slice(-2_000)))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status === 0 && existsSync(program)) return true
  const reason = /^.*Error: .*$/m.exec(complaints)?.[0] ?? complaints.trim().split('\n', 1)[0]
  failed(
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
    terminal.print(`${program} works (${await encoder.verify()}). It makes full clips from now on.`)
    return exitCodes.ok
  } catch (error) {
    const { message } = error as Error
    return failed(terminal, `${program} does not work: ${message}. Delete it and run this command again.`)
  } finally {
    await encoder.close()
  }
}

function failed(terminal: Terminal, message: string): number {
  terminal.warn(`error: ${message}`)
  return exitCodes.cannotStart
}
