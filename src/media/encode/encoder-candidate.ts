import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { once } from '../../engine/once.ts'
import type { EncoderStatus } from '../source.ts'

/** The encoder to try, the location of its program, and the reason for the choice. */
export type EncoderCandidate =
  | { kind: 'wasm'; reason: string }
  /** Bundled with the package of that name. If it doesn't work, wasm replaces it. */
  | { kind: 'ffmpeg-static'; program: string; reason: string }
  /** Configured. If it doesn't work, that is an error. */
  | { kind: 'given'; program: string; reason: string }

const configured = 'set by GREENROOM_FFMPEG or the option ffmpeg'

/**
 * Chooses the encoder: the configured one, otherwise ffmpeg-static if its program exists, otherwise ffmpeg as WebAssembly.
 * Never one on PATH, because the bytes of every clip would depend on it. Only checks whether files exist; loads and starts
 * nothing.
 * @param options.ffmpeg `wasm`, or the path of an ffmpeg program.
 * @param options.ffmpegStatic the path of the program of ffmpeg-static; found automatically by default.
 * @throws {Error} if the given path is not a program.
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

/** The name of a candidate in the banner and in `/_greenroom/health`. */
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
 * The path of ffmpeg-static's program, as the package reports it: its variable FFMPEG_BIN changes it. The program may not
 * be downloaded yet. Undefined if the package is not installed, or has no program for this platform. Loads the package once
 * per process.
 */
export const ffmpegStaticProgram = once((): string | undefined => {
  try {
    return (createRequire(import.meta.url)('ffmpeg-static') as string | null) ?? undefined
  } catch {
    // An optional dependency: if its download fails, npm skips it.
    return undefined
  }
})
