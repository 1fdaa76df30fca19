import { embeddedSimulator, type EmbeddedSimulator, type PlayingOptions } from './embedded.ts'
import { nodeMedia } from './media/node.ts'
import { mediaOptions } from './options.ts'

/**
 * What {@link createSimulator} takes beside the options of every simulator.
 *
 * @example
 * const options: EmbeddedOptions = { seed: 7, ffmpeg: 'wasm', cacheDir: '.greenroom', quality: 'full' }
 * await using sim = createSimulator(options)
 * sim.core.control.health().encoder // → { candidate: 'wasm', verified: false }
 */
export interface EmbeddedOptions extends PlayingOptions {
  /** The encoder: a path, or `wasm`. By default ffmpeg-static where its binary is installed, else wasm. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
}

/**
 * Makes a simulator to be embedded: its clock is in mode `auto`, and its clips are `fast`. In all examples `sim` is one
 * that nothing was asked of, and `MyClient` stands for your own client of the gateway.
 *
 * @param options everything has a default; a scenario goes behind what else they say.
 * @throws {Error} for options that contradict themselves; the message names them.
 *
 * @example
 * await using sim = createSimulator({ seed: 7, keys: ['sk-live'] })
 * const client = new MyClient({ fetch: sim.fetch, apiKey: 'sk-live' })
 * const { status, bytes } = await client.makeVideo('a red kite')
 * status // → 'SUCCESS'
 * new TextDecoder().decode(bytes.subarray(4, 8)) // → 'ftyp'
 */
export function createSimulator(options: EmbeddedOptions = {}): EmbeddedSimulator {
  return embeddedSimulator(options, (all) =>
    nodeMedia({ ffmpeg: all.ffmpeg, cacheDir: all.cacheDir, ...mediaOptions(all) }),
  )
}
