// How long pictures take and how large they are: `node bench/pictures.js`.
import { EVERYDAY_PROMPTS as PROMPTS } from '../scripts/prompts.js'
import { fromSource } from '../scripts/source.js'

const { pictureFile } = await fromSource('media/raster/drawn-picture.ts')
const { sharpRaster: raster } = await fromSource('media/raster/sharp-raster.ts')

const ROUNDS = 3

/** @type {Record<string, (base: object) => object>} */
const CASES = {
  'single 1024': (base) => ({ drawing: { base, edits: [{ do: 'upscale', tile: 1 }] } }),
  'grid 1024': (base) => ({ drawing: { base, edits: [] } }),
  'tile 512': (base) => ({ drawing: { base, edits: [] }, tile: 2 }),
  'enlarged 2048': (base) => ({
    drawing: {
      base,
      edits: [
        { do: 'upscale', tile: 1 },
        { do: 'enlarge', creative: false, seed: 1 },
      ],
    },
  }),
  'grid at 46 %': (base) => ({ drawing: { base, edits: [] }, progress: 46 }),
  'thumbnail 256': (base) => ({ drawing: { base, edits: [] }, maxSide: 256 }),
  'zoomed out twice': (base) => ({
    drawing: {
      base,
      edits: [
        { do: 'upscale', tile: 1 },
        { do: 'zoom', factor: 2, seed: 1 },
        { do: 'upscale', tile: 1 },
        { do: 'zoom', factor: 2, seed: 1 },
        { do: 'upscale', tile: 1 },
      ],
    },
  }),
  inpainted: (base) => ({
    drawing: {
      base,
      edits: [
        { do: 'upscale', tile: 1 },
        { do: 'inpaint', prompt: 'a fox', seed: 1 },
        { do: 'upscale', tile: 1 },
      ],
    },
  }),
}

for (const [name, specOf] of Object.entries(CASES)) {
  const rows = []
  for (const prompt of PROMPTS) {
    const base = { kind: 'imagine', prompt, model: '7', seed: 1, width: 1024, height: 1024 }
    const spec = /** @type {any} */ ({ kind: 'picture', ...specOf(base) })
    let [ms, bytes] = [Infinity, 0]
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now()
      bytes = (await pictureFile(spec, { raster, ingredients: new Map() })).length
      ms = Math.min(ms, performance.now() - start)
    }
    rows.push({ prompt, ms, kilobytes: bytes / 1000 })
  }
  const byMs = rows.toSorted((a, b) => a.ms - b.ms)
  const byBytes = rows.toSorted((a, b) => a.kilobytes - b.kilobytes)
  const [middle, slowest, largest] = [byMs[rows.length >> 1], byMs.at(-1), byBytes.at(-1)]
  console.log(
    `${name.padEnd(18)} median ${middle?.ms.toFixed(0)} ms, slowest ${slowest?.ms.toFixed(0)} ms (${slowest?.prompt}); ` +
      `median ${byBytes[rows.length >> 1]?.kilobytes.toFixed(0)} kB, largest ${largest?.kilobytes.toFixed(0)} kB (${largest?.prompt})`,
  )
}
