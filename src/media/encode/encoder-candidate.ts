import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { EncoderStatus } from '../source.ts'

/** Which encoder will be tried, where its program is, and why it was chosen. */
export type EncoderCandidate =
  | { kind: 'wasm'; reason: string }
  /** Bundled with the package of that name; should it not work, wasm is taken instead. */
  | { kind: 'ffmpeg-static'; program: string; reason: string }
  /** Configured; it is an error if it does not work. */
  | { kind: 'given'; program: string; reason: string }

const configured = 'set by --ffmpeg, GREENROOM_FFMPEG or the option ffmpeg'

/**
 * Chooses the encoder: the configured one, else ffmpeg-static where its program is, else ffmpeg as
 * WebAssembly. Never one on PATH, because the bytes of every clip would depend on it. Looks
 * only whether files are there; nothing is loaded or started.
 * @param options.ffmpeg `wasm`, or the path of an ffmpeg program.
 * @param options.ffmpegStatic where the program of ffmpeg-static would be; found by itself when left out.
 * @throws {Error} when the given path is no program.
 */
export function encoderCandidate(options: {
  ffmpeg?: string | undefined
  ffmpegStatic?: string | undefined
}): EncoderCandidate {
  if (options.ffmpeg === 'wasm') return { kind: 'wasm', reason: configured }
  if (options.ffmpeg !== undefined) {
    const program = resolve(options.ffmpeg)
    const problem = whyNotAProgram(program)
    if (problem) {
      throw new Error(
        `Failed to take "${options.ffmpeg}" as ffmpeg: ${program} ${problem}. ` +
          'Give the whole path of an ffmpeg that has libx264, or "wasm" for the one that comes with greenroom.',
      )
    }
    return { kind: 'given', program, reason: configured }
  }
  const program = options.ffmpegStatic ?? ffmpegStaticProgram()
  if (program === undefined) {
    return { kind: 'wasm', reason: 'ffmpeg-static is not installed; see npx greenroom doctor --mend' }
  }
  const problem = whyNotAProgram(program)
  if (problem === undefined) return { kind: 'ffmpeg-static', program, reason: `its program is ${program}` }
  const fetched = problem === missing ? 'npx greenroom doctor --mend downloads it' : `${program} ${problem}`
  return { kind: 'wasm', reason: `ffmpeg-static is installed without its program; ${fetched}` }
}

/** The status of an encoder that no render has loaded yet. */
export function unverifiedStatus(candidate: EncoderCandidate): EncoderStatus {
  return { candidate: candidateName(candidate), verified: false, reason: candidate.reason }
}

/** As the banner and `/_greenroom/health` name it. */
export function candidateName(candidate: EncoderCandidate): string {
  return candidate.kind === 'given' ? candidate.program : candidate.kind
}

const missing = 'does not exist'

function whyNotAProgram(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return 'is not a file'
  } catch {
    return missing
  }
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return 'may not be executed'
  }
}

/**
 * Where the program of ffmpeg-static is, once fetched, as the package itself says: its variable FFMPEG_BIN moves it. Undefined
 * if the package is not installed, or has no program for this platform.
 */
export function ffmpegStaticProgram(): string | undefined {
  try {
    return (createRequire(import.meta.url)('ffmpeg-static') as string | null) ?? undefined
  } catch {
    // An optional dependency: npm leaves it out where its download fails.
    return undefined
  }
}
