import { embeddedSimulator, type EmbeddedSimulator, type PlayingOptions } from './embedded.ts'
import { nodeMedia } from './media/node.ts'
import { mediaOptions } from './options.ts'

/** What {@link createSimulator} takes beside the options of every simulator. */
export interface EmbeddedOptions extends PlayingOptions {
  /** The encoder: a path, or `wasm`. By default ffmpeg-static where its binary is installed, else wasm. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
}

/**
 * Makes a simulator to be embedded: its clock is in mode `auto`, and its clips are `fast`.
 *
 * @example
 * const sim = createSimulator({ seed: 7 })
 * const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
 *
 * @throws {Error} for options that contradict themselves; the message names them.
 */
export function createSimulator(options: EmbeddedOptions = {}): EmbeddedSimulator {
  return embeddedSimulator(options, (all) =>
    nodeMedia({ ffmpeg: all.ffmpeg, cacheDir: all.cacheDir, ...mediaOptions(all) }),
  )
}
