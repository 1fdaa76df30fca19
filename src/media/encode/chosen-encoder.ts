import { candidateName, unverifiedStatus, type EncoderCandidate } from './encoder-candidate.ts'
import { type EncodeJob, type Encoder, NativeEncoder, WasmEncoder } from './encoders.ts'
import { RenderFailed, type EncoderStatus } from '../source.ts'

interface EncoderLimits {
  /** How many encoder processes may run at a time. */
  processes: number
  /** How long an encoder may be silent while it works. */
  stallTimeoutMs: number
}

/** The encoder. It is verified on first use, and tried twice for each clip. */
export class ChosenEncoder {
  readonly #limits: EncoderLimits
  readonly #onWarning: (message: string) => void
  readonly #open = new Set<Encoder>()
  #candidate: EncoderCandidate
  #version: string | undefined
  #native: Promise<NativeEncoder | undefined> | undefined
  #wasm: WasmEncoder | undefined
  #closed = false

  constructor(options: {
    candidate: EncoderCandidate
    limits: EncoderLimits
    onWarning: (message: string) => void
  }) {
    this.#candidate = options.candidate
    this.#limits = options.limits
    this.#onWarning = options.onWarning
  }

  status(): EncoderStatus {
    const status = unverifiedStatus(this.#candidate)
    return this.#version === undefined ? status : { ...status, verified: true, version: this.#version }
  }

  /**
   * The identity on which its bytes depend, for cache keys. Runs a native program for its version. That of WebAssembly is
   * known.
   * @throws {RenderFailed} if the configured program is not usable.
   */
  async identity(): Promise<string> {
    return (await this.#verifiedNative()) ? `native: ${this.#version}` : 'wasm: @ffmpeg/core 0.12.10'
  }

  /**
   * Runs a native program to find whether it works. Doesn't load WebAssembly, since that takes a second. Never fails: the
   * reason says what is wrong.
   */
  async check(): Promise<EncoderStatus> {
    try {
      await this.#verifiedNative()
      return this.status()
    } catch (error) {
      return { ...this.status(), reason: (error as Error).message }
    }
  }

  /** Like `identity`, but starts nothing; undefined for a native program that was not used yet. */
  async knownIdentity(): Promise<string | undefined> {
    return this.#candidate.kind === 'wasm' || this.#native ? this.identity() : undefined
  }

  /**
   * Encodes. If its process ends early, tries once more in a new one.
   * @throws {RenderFailed}
   */
  async encode(job: EncodeJob): Promise<Uint8Array> {
    const encoder = (await this.#verifiedNative()) ?? this.#wasmPool()
    if (this.#closed) throw new RenderFailed('Failed to encode a clip: the encoder is closed.')
    try {
      return await encoder.encode(job)
    } catch (first) {
      if (!isDeath(first) || this.#closed) throw first
      try {
        return await encoder.encode(job)
      } catch (second) {
        if (!isDeath(second)) throw second
        throw new RenderFailed(
          `Failed to encode a clip of ${job.width}x${job.height} with ${candidateName(this.#candidate)}, twice: ` +
            `${first.message}; then: ${second.message}. ${this.#advice()}`,
          { cause: second },
        )
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#open].map((encoder) => encoder.close()))
  }

  #wasmPool(): WasmEncoder {
    if (!this.#wasm) {
      this.#wasm = new WasmEncoder({
        ...this.#limits,
        onReady: (version) => (this.#version = version),
      })
      this.#open.add(this.#wasm)
    }
    return this.#wasm
  }

  async #verifiedNative(): Promise<NativeEncoder | undefined> {
    if (this.#candidate.kind === 'wasm') return undefined
    this.#native ??= this.#verify(this.#candidate)
    return this.#native
  }

  async #verify(candidate: Exclude<EncoderCandidate, { kind: 'wasm' }>): Promise<NativeEncoder | undefined> {
    const encoder = new NativeEncoder({ program: candidate.program, ...this.#limits })
    this.#open.add(encoder)
    try {
      this.#version = await encoder.verify()
      return encoder
    } catch (error) {
      this.#open.delete(encoder)
      const problem = `${candidate.program} can't be used as ffmpeg: ${(error as Error).message}.`
      if (candidate.kind === 'given') {
        // The next call tries again.
        this.#native = undefined
        throw new RenderFailed(`Failed to start the encoder: ${problem} ${this.#advice()}`, { cause: error })
      }
      this.#onWarning(`${problem} Clips are made by the encoder that comes with greenroom instead (wasm).`)
      this.#candidate = { kind: 'wasm', reason: `the program of ffmpeg-static does not work: ${problem}` }
      return undefined
    }
  }

  #advice(): string {
    return this.#candidate.kind === 'wasm'
      ? 'Check that @ffmpeg/core is installed whole (npm ci) and that memory is left, or give another ffmpeg.'
      : 'Give another ffmpeg that has libx264, or "wasm" for the one that comes with greenroom.'
  }
}

function isDeath(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ProcessDied'
}
