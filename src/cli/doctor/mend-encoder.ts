import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ffmpegStaticProgram } from '../../media/encode/encoder-candidate.ts'
import type { Terminal } from '../terminal/command.ts'

/**
 * Downloads the program of ffmpeg-static. npm may have skipped it, or the present one may not work.
 * @returns what is left to do; undefined if the program works.
 */
export async function mendEncoder(terminal: Terminal): Promise<string | undefined> {
  const program = ffmpegStaticProgram()
  if (program === undefined) {
    return `Run npm install --no-save --ignore-scripts ffmpeg-static@${supportedVersion()} && npx greenroom doctor --mend`
  }
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

/** The version that this package depends on. */
function supportedVersion(): string {
  const path = createRequire(import.meta.url).resolve('greenroom/package.json')
  const { optionalDependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>
  }
  return optionalDependencies['ffmpeg-static']!
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
