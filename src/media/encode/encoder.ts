/** One clip's worth of frames for an encoder. */
export interface EncodeJob {
  width: number
  height: number
  framesPerSecond: number
  /** How many frames `source` gives. */
  frames: number
  /** Begins the frames from the start: planar YUV 4:2:0, width * height * 1.5 bytes each. Asked again for a second try. */
  source: () => AsyncIterable<Uint8Array>
}

/** A separate program that turns frames into H.264. */
export interface Encoder {
  /**
   * Encodes all frames into an Annex B stream.
   * @throws {ProcessDied} when its process ended; another try starts a fresh one.
   */
  encode(job: EncodeJob): Promise<Uint8Array>
  /** Ends its processes and waits until they are gone. */
  close(): Promise<void>
}

/**
 * The arguments that both encoders get: same settings, no trace of time, machine or thread count in the
 * bytes. `ultrafast` because WebAssembly has no hand-written x264 routines; the entropy coder and the adaptive
 * quantiser that it leaves out cost a tenth more time and take a third off our flat pictures.
 * @param input where it reads the frames.
 */
export function encoderArguments(
  { width, height, framesPerSecond }: { width: number; height: number; framesPerSecond: number },
  input: string,
): string[] {
  // Only numbers and constants stand here: no text of a client ever reaches an encoder's arguments.
  return `
    -f rawvideo -pix_fmt yuv420p -s ${width}x${height} -r ${framesPerSecond} -i ${input}
    -an -pix_fmt yuv420p
    -c:v libx264 -preset ultrafast -crf 28 -bf 0 -g ${2 * framesPerSecond} -sc_threshold 0
    -x264-params cabac=1:aq-mode=1
    -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv
    -threads 1 -map_metadata -1 -fflags +bitexact -flags:v +bitexact
    -bsf:v filter_units=remove_types=6 -f h264
  `
    .trim()
    .split(/\s+/)
}
