// Makes the sheets that show what is drawn, to be looked at:
//
//   node scripts/contact-sheets.js [folder] [everyday|languages|people|styles|motion|operations]
//
// writes drawing-everyday.png and so on into docs/images or the folder: pictures of prompts that people often write, in
// Chinese, of people, in each style and version, moments of clips, and one picture through every operation.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { operationCells } from './operation-cells.js'
import {
  EVERYDAY_PROMPTS,
  LANGUAGE_PROMPTS,
  MOTION_PROMPTS,
  PEOPLE_PROMPTS,
  STYLE_PROMPTS,
} from './prompts.js'
import { fromSource } from './source.js'

const [folder = 'docs/images', only] = process.argv.slice(2)

const { nodeMedia } = await fromSource('media/node.ts')
const { textPath, drawable, fitText, COLUMN_WIDTH } = await fromSource('pictures/caption/glyphs.ts')
const { sceneOf } = await fromSource('pictures/places/scene.ts')
const { sceneSvg } = await fromSource('pictures/composition/draw.ts')
const { describePhoto } = await fromSource('pictures/words/photo-prompts.ts')
const media = nodeMedia({ cacheDir: false })

// Operations that load the painter at the same time would get it half loaded.
await media.picture({
  kind: 'picture',
  drawing: {
    base: { kind: 'imagine', prompt: 'a kite', model: '7', seed: 1, width: 64, height: 64 },
    edits: [],
  },
})

const GAP = 8
const CAPTION = 18

/** @typedef {{ caption: string, picture: Buffer | Uint8Array }} Cell */

/** A prompt, and after a bar the model. @param {string} line @param {string} [caption] @returns {Promise<Cell>} */
async function pictureCell(line, caption) {
  const [prompt = '', model = '7'] = line.split('|')
  const base = { kind: 'imagine', prompt, model, seed: 1, width: 1024, height: 1024 }
  const drawing = { base, edits: [{ do: 'upscale', tile: 1 }] }
  const { bytes } = await media.picture({ kind: 'picture', drawing, maxSide: 512 })
  return {
    caption: caption ?? (model === '7' ? prompt : `${prompt} --${/niji/.test(model) ? model : `v ${model}`}`),
    picture: bytes,
  }
}

/** One after the other, as a server draws them. @param {readonly string[]} lines @param {readonly string[]} [captions] */
async function pictureCells(lines, captions = []) {
  const cells = []
  for (const [index, line] of lines.entries()) cells.push(await pictureCell(line, captions[index]))
  return cells
}

/** The frames of a clip, the prompt below the first. @param {string} prompt @returns {Cell[]} */
function clipCells(prompt) {
  const scene = sceneOf({ prompt, model: '7', seed: '1', width: 640, height: 360 })
  return [0, 0.25, 0.5, 0.75, 1].map((time, index) => ({
    caption: index === 0 ? prompt : `at ${time * 100} %`,
    picture: Buffer.from(sceneSvg(scene, { time })),
  }))
}

/** @type {Record<string, { columns: number, tile: number, cells: () => Promise<Cell[]> }>} */
const SHEETS = {
  everyday: {
    columns: 8,
    tile: 190,
    cells: () => pictureCells(EVERYDAY_PROMPTS),
  },
  languages: {
    columns: 6,
    tile: 200,
    cells: () =>
      pictureCells(
        LANGUAGE_PROMPTS.map(([prompt]) => prompt),
        LANGUAGE_PROMPTS.map(([prompt, caption]) => `${caption.slice(0, 3)} ${prompt}`),
      ),
  },
  people: {
    columns: 6,
    tile: 200,
    cells: () => pictureCells(PEOPLE_PROMPTS),
  },
  styles: {
    columns: 6,
    tile: 200,
    cells: () => pictureCells(STYLE_PROMPTS),
  },
  motion: { columns: 5, tile: 230, cells: async () => MOTION_PROMPTS.flatMap(clipCells) },
  operations: { columns: 6, tile: 220, cells: () => operationCells(media, describePhoto) },
}

/** @param {string} name */
async function writeSheet(name) {
  const { columns, tile, cells } = /** @type {(typeof SHEETS)[string]} */ (SHEETS[name])
  const drawn = await cells()
  const high = name === 'motion' ? Math.round((tile * 9) / 16) : tile
  const layers = await Promise.all(
    drawn.map(async ({ caption, picture }, i) => {
      const left = GAP + (i % columns) * (tile + GAP)
      const top = GAP + Math.floor(i / columns) * (high + CAPTION + GAP)
      const { data, info } = await sharp(picture)
        .resize(tile, high, { fit: 'inside' })
        .png()
        .toBuffer({ resolveWithObject: true })
      const size = 11
      const text = fitText(drawable(caption), Math.floor(tile / (COLUMN_WIDTH * size)))
      const line = textPath(text, { x: 0, y: 13, size, fill: '#3a3632', opacity: 1 })
      const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${tile}" height="${CAPTION}">${line}</svg>`
      return [
        { input: data, left: left + ((tile - info.width) >> 1), top: top + ((high - info.height) >> 1) },
        { input: Buffer.from(label), left, top: top + high },
      ]
    }),
  )
  const width = GAP + columns * (tile + GAP)
  const height = GAP + Math.ceil(drawn.length / columns) * (high + CAPTION + GAP)
  await sharp({ create: { width, height, channels: 3, background: '#f3f1ec' } })
    .composite(layers.flat())
    .png({ palette: true, colours: 256, dither: 0.4, effort: 8 })
    .toFile(join(folder, `drawing-${name}.png`))
}

mkdirSync(folder, { recursive: true })
for (const name of Object.keys(SHEETS)) if (!only || only === name) await writeSheet(name)
await media.close()
