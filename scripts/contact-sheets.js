// Makes the two sheets that show what the drawing channel draws, to be looked at:
//
//   node scripts/contact-sheets.js [folder] [prompts|operations]
//
// writes drawing-prompts.png, one picture for each of many prompts, and drawing-operations.png, pictures through every
// operation, into docs/images or the folder.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { operationCells } from './operation-cells.js'
import { PROMPTS } from './prompts.js'
import { fromSource } from './source.js'

const [folder = 'docs/images', only] = process.argv.slice(2)

const { nodeMedia } = await fromSource('media/node.ts')
const { textPath, drawable, fitted, CHARACTER_WIDTH } = await fromSource('pictures/caption/glyphs.ts')
const media = nodeMedia({ cacheDir: false })

/** For those whose signs have no glyph. */
const CAPTIONS = /** @type {Record<string, string>} */ ({ 雪山上的日出: 'sunrise over snow (in Chinese)' })

const GAP = 10
const TILE = 220
const CAPTION = 22

/**
 * @param {{ caption: string, picture: Buffer | Uint8Array }[]} cells each picture fits into a square
 * @param {{ columns: number, name: string }} sheet
 */
async function writeSheet(cells, { columns, name }) {
  const width = GAP + columns * (TILE + GAP)
  const height = GAP + Math.ceil(cells.length / columns) * (TILE + CAPTION + GAP)
  const layers = await Promise.all(
    cells.map(async ({ caption, picture }, i) => {
      const left = GAP + (i % columns) * (TILE + GAP)
      const top = GAP + Math.floor(i / columns) * (TILE + CAPTION + GAP)
      const { data, info } = await sharp(picture)
        .resize(TILE, TILE, { fit: 'inside' })
        .png()
        .toBuffer({ resolveWithObject: true })
      const size = 12
      const text = fitted(drawable(caption), Math.floor(TILE / (CHARACTER_WIDTH * size)))
      const line = textPath(text, { x: 0, y: 15, size, fill: '#3a3632', opacity: 1 })
      const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${TILE}" height="${CAPTION}">${line}</svg>`
      return [
        { input: data, left: left + ((TILE - info.width) >> 1), top: top + ((TILE - info.height) >> 1) },
        { input: Buffer.from(label), left, top: top + TILE },
      ]
    }),
  )
  const sheet = sharp({ create: { width, height, channels: 3, background: '#f3f1ec' } })
  await sheet
    .composite(layers.flat())
    .png({ palette: true, colours: 256, dither: 0.4, effort: 8 })
    .toFile(join(folder, name))
}

mkdirSync(folder, { recursive: true })
if (only !== 'operations') {
  const cells = []
  for (const prompt of PROMPTS) {
    const base = { kind: 'imagine', prompt, model: '7', seed: 1, width: 1024, height: 1024 }
    const drawing = { base, edits: [{ do: 'upscale', tile: 1 }] }
    const { bytes } = await media.picture({ kind: 'picture', drawing, maxSide: 2 * TILE })
    cells.push({ caption: CAPTIONS[prompt] ?? prompt, picture: bytes })
  }
  await writeSheet(cells, { columns: 6, name: 'drawing-prompts.png' })
}
if (only !== 'prompts') {
  const { describePhoto } = await fromSource('pictures/words/photo-prompts.ts')
  const cells = await operationCells(media, describePhoto)
  await writeSheet(cells, { columns: 6, name: 'drawing-operations.png' })
}
await media.close()
