import { caps } from '../engine/caps.ts'
import { canvasRaster } from './raster/canvas-raster.ts'
import { Clips } from './clips.ts'
import { clipFiles, MediaCache, pictureFiles, MemoryCache } from './cache/media-cache.ts'
import { Pictures } from './pictures.ts'
import { addProvenance } from './provenance/provenance.ts'
import { ReceivedPictures } from './received/received-pictures.ts'
import { mediaLimits, RenderFailed, type Media, type MediaSource } from './source.ts'
import { Stills } from './stills.ts'
import type { ClipSpec } from './spec.ts'

interface BrowserMediaOptions {
  /** The largest picture that a client may send, in bytes: 20 MiB. */
  imageBytes?: number | undefined
  /** Called once for each option that has no effect here. */
  onWarning?: ((message: string) => void) | undefined
}

/**
 * The media source of a page: pictures come from its canvas, clips from `h264`. There is no encoder, so all clips have
 * quality `fast`, with the same bytes as in Node.
 */
export function browserMedia(options: BrowserMediaOptions = {}): MediaSource {
  const memory = new MemoryCache<Media>(mediaLimits.memoryBytes)
  const limits = { bytes: options.imageBytes ?? caps.imageBytes, pixels: caps.imagePixels }
  const files = new ReceivedPictures({ raster: canvasRaster, limits })
  const received = async (): Promise<ReceivedPictures> => files
  const pictures = new Pictures({
    raster: canvasRaster,
    cache: new MediaCache({ memory, kind: pictureFiles }),
    memory,
    received,
  })
  const clips = new Clips({
    fullCache: new MediaCache({ memory, kind: clipFiles }),
    fastCache: new MediaCache({ memory, kind: clipFiles }),
    encoder: () => Promise.reject(new RenderFailed('Failed to render a clip: a browser has no encoder.')),
    render: async (spec, { pictures }) => {
      const { tiledClip } = await import('./h264/tiled-clip.ts')
      return tiledClip(spec, { raster: canvasRaster, pictures })
    },
    received,
    drawPicture: (spec) => pictures.picture(spec),
  })
  const stills = new Stills({ raster: canvasRaster, memory, clips })
  let warned = false
  const fast = (spec: ClipSpec): ClipSpec => {
    if (spec.quality !== 'full') return spec
    if (!warned) options.onWarning?.('Videos have quality "fast" in a browser: there is no encoder here.')
    warned = true
    return { ...spec, quality: 'fast' }
  }

  return {
    receiveImage: (bytes) => files.receive(bytes),
    receiveMask: (bytes, covered) => files.receiveMask(bytes, covered),
    received: (digest) => files.recall(digest),
    picture: async (spec, departure) => addProvenance(pictures.picture(spec, departure), spec),
    still: async (spec, departure) =>
      addProvenance(stills.still({ ...spec, clip: fast(spec.clip) }, departure), spec),
    clip: (spec, onFrame, departure) => addProvenance(clips.clip(fast(spec), onFrame, departure), fast(spec)),
    prefetch: (spec) => clips.prefetch(fast(spec)),
    forget: (spec) => void (spec.kind === 'clip' ? clips.forget(fast(spec)) : pictures.forget(spec)),
    encoder: () => ({ candidate: 'none', verified: false }),
    idle: async () => void (await Promise.all([clips.idle(), pictures.idle()])),
    async close() {
      clips.close()
      pictures.close()
      stills.close()
      await clips.idle()
      await pictures.idle()
    },
  }
}
