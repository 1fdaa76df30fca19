import { caps } from '../engine/caps.ts'
import { defaultCacheFolder, DiskCache } from './cache/disk-cache.ts'
import type { ChosenEncoder } from './encode/chosen-encoder.ts'
import { Clips } from './clips.ts'
import { encoderCandidate, unverifiedStatus } from './encode/encoder-candidate.ts'
import { clipFiles, MediaCache, pictureFiles, MemoryCache } from './cache/media-cache.ts'
import { type Media, mediaLimits, type MediaSource } from './source.ts'
import { Pictures } from './pictures.ts'
import { addProvenance } from './provenance/provenance.ts'
import { loadSharp } from './raster/load-sharp.ts'
import { sharpRaster } from './raster/sharp-raster.ts'
import { Stills } from './stills.ts'
import type { ReceivedPictures } from './received/received-pictures.ts'

export interface NodeMediaOptions {
  /** `wasm`, or the path of an ffmpeg with libx264. Default: ffmpeg-static if it is installed, otherwise wasm. */
  ffmpeg?: string | undefined
  /** The path of ffmpeg-static's program, if it is not in its package. */
  ffmpegStatic?: string | undefined
  /** The folder of cached clips and pictures; `false` or `null`: in memory only. Default: the user's cache folder. */
  cacheDir?: string | false | null | undefined
  /** The folder of images from clients, up to 2 GB. Images are refused if it can't be written. Default: the cache. */
  pictureDir?: string | undefined
  /** The largest picture that a client may send, in bytes: 20 MiB. */
  imageBytes?: number | undefined
  /** The same in pixels, width times height: 40 million. */
  imagePixels?: number | undefined
  /** How long an encoder may be silent before it is ended and tried again: 30 000 ms. */
  stallTimeoutMs?: number | undefined
  /** Called once for each limitation, such as a cache folder that can't be written. */
  onWarning?: ((message: string) => void) | undefined
}

/** What draws, encodes and reads: loaded when it is needed first. */
const modules = {
  encoder: () => import('./encode/chosen-encoder.ts'),
  fullClip: () => import('./encode/full-clip.ts'),
  frames: () => import('./encode/drawn-frames.ts'),
  tiledClip: () => import('./h264/tiled-clip.ts'),
  received: () => import('./received/received-pictures.ts'),
  file: () => import('./served-file.ts'),
}

/**
 * The media source on Node: sharp, and an encoder in a separate process. The first clip or picture loads and starts them.
 * @throws {Error} if `ffmpeg` is not the path of a program.
 */
export function nodeMedia(options: NodeMediaOptions = {}): MediaSource {
  const candidate = encoderCandidate(options)
  const onWarning = options.onWarning ?? (() => undefined)
  const disk = diskCache(options, onWarning)
  const memory = new MemoryCache<Media>(mediaLimits.memoryBytes)
  const limits = {
    bytes: options.imageBytes ?? caps.imageBytes,
    pixels: options.imagePixels ?? caps.imagePixels,
  }
  const { stallTimeoutMs = mediaLimits.stallTimeoutMs } = options
  let loaded: ChosenEncoder | undefined

  const encoder = once(async () => {
    const { ChosenEncoder } = await modules.encoder()
    const processes = candidate.kind === 'wasm' ? 1 : 2
    loaded = new ChosenEncoder({ candidate, limits: { processes, stallTimeoutMs }, onWarning })
    return loaded
  })
  const drawers = once(async () => {
    const { FrameDrawers } = await modules.fullClip()
    return new FrameDrawers({ stallTimeoutMs })
  })
  const received = once(async (): Promise<ReceivedPictures> => {
    const { ReceivedPictures } = await modules.received()
    const { pictureDir: folder } = options
    if (folder === undefined) return new ReceivedPictures({ raster: sharpRaster, limits, disk })
    const own = new DiskCache({
      folder,
      maxBytes: mediaLimits.receivedBytes,
      onWarning,
      retryAfterMs: 0,
      what: 'picture',
    })
    return new ReceivedPictures({ raster: sharpRaster, limits, disk: own, isPromised: true })
  })
  const pictures = new Pictures({
    raster: sharpRaster,
    cache: new MediaCache({ memory, disk, kind: pictureFiles }),
    memory,
    received,
  })
  const clips = new Clips({
    fullCache: new MediaCache({ memory, disk, kind: clipFiles }),
    // Fast clips are not written to disk: drawing one again costs less, and there is one for every task.
    fastCache: new MediaCache({ memory, kind: clipFiles }),
    encoder,
    render: async (spec, { pictures, onFrame, signal }) => {
      if (spec.quality === 'fast') {
        const { tiledClip } = await modules.tiledClip()
        return tiledClip(spec, { raster: sharpRaster, pictures })
      }
      const { fullClip } = await modules.fullClip()
      return fullClip(spec, { pictures, encoder: await encoder(), drawers: await drawers(), onFrame, signal })
    },
    received,
    drawPicture: (spec) => pictures.picture(spec),
  })
  const stills = new Stills({
    raster: sharpRaster,
    memory,
    clips,
    openFrames: async (spec, images) => (await modules.frames()).openFrames(spec, images),
  })

  return {
    receiveImage: async (bytes) => (await received()).receive(bytes),
    receiveMask: async (bytes, covered) => (await received()).receiveMask(bytes, covered),
    received: async (digest) => (await received()).recall(digest),
    picture: async (spec, departure) => addProvenance(pictures.picture(spec, departure), spec),
    still: async (spec, departure) => addProvenance(stills.still(spec, departure), spec),
    file: async (spec) => (await modules.file()).readServedFile(spec),
    clip: (spec, onFrame, departure) => addProvenance(clips.clip(spec, onFrame, departure), spec),
    prefetch: (spec) => clips.prefetch(spec),
    forget: (spec) => void (spec.kind === 'clip' ? clips.forget(spec) : pictures.forget(spec)),
    encoder: () => loaded?.status() ?? unverifiedStatus(candidate),
    checkEncoder: async () =>
      candidate.kind === 'wasm' ? unverifiedStatus(candidate) : (await encoder()).check(),
    idle: async () => void (await Promise.all([clips.idle(), pictures.idle()])),
    async close() {
      clips.close()
      pictures.close()
      stills.close()
      // An encoder that is being loaded must also be closed.
      await encoder.result?.then((started) => started.close())
      await drawers.result?.then((started) => started.close())
      await clips.idle()
      await pictures.idle()
    },
  }
}

function diskCache(options: NodeMediaOptions, onWarning: (message: string) => void): DiskCache | undefined {
  if (options.cacheDir === false || options.cacheDir === null) return undefined
  const folder = options.cacheDir ?? defaultCacheFolder()
  return new DiskCache({ folder, maxBytes: mediaLimits.cacheBytes, onWarning })
}

interface Once<Result> {
  (): Promise<Result>
  /** Set from the first call on. */
  result?: Promise<Result> | undefined
}

/**
 * Loads the code that draws and encodes. A server does this before it needs it: Node never tries again to load a module
 * that it could not open, such as when too many files are open.
 */
export async function loadRendering(): Promise<void> {
  await Promise.all([
    ...Object.values(modules).map((load) => load()),
    import('./moving-scene.ts'),
    import('./raster/drawn-picture.ts'),
    import('../pictures/composition/pictures-of.ts'),
    loadSharp(),
  ])
}

function once<Result>(work: () => Promise<Result>): Once<Result> {
  const first: Once<Result> = () =>
    (first.result ??= work().catch((error: unknown) => {
      // The next one tries again: a file could not be opened, for example.
      first.result = undefined
      throw error
    }))
  return first
}
