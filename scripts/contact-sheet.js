// Renders contact sheets of the scene engine, to be looked at.
//
//   node scripts/contact-sheet.js sheet.png [prompts|frames|grid|camera] [src folder]
//
// `prompts` is one picture for each of many prompts, `frames` six moments of some clips, `grid` the four
// pictures of a grid, `camera` zooms, pans and variations.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { PROMPTS } from './prompts.js'
import { fromSource } from './source.js'

const [output, kind = 'prompts', folder = 'src'] = process.argv.slice(2)
if (!output)
  throw new Error('Failed to render: no output path. Pass one: node scripts/contact-sheet.js sheet.png')

/** @param {string} file */
const scenePart = (file) => fromSource(`pictures/${file}`, pathToFileURL(`${resolve(folder)}/`))
const { sceneOf } = await scenePart('places/scene.ts')
const { sceneSvg } = await scenePart('composition/draw.ts')
const { grid, vary, zoomOut, pan, blend } = await scenePart('edits/edits.ts')

const CLIPS = [
  'a deer in a forest at dawn',
  'a sailboat at sunset, pink',
  'neon city at night',
  'a windy meadow',
]
const MOMENTS = [0, 0.2, 0.4, 0.6, 0.8, 1]

/**
 * @param {string} prompt
 * @param {number} [width]
 * @param {number} [height]
 */
function still(prompt, width = 1024, height = 1024) {
  return sceneOf({ prompt, seed: '1', width, height })
}

/** The SVG texts of a sheet, in rows. */
const SHEETS = {
  prompts: () => ({ columns: 6, pictures: PROMPTS.map((prompt) => sceneSvg(still(prompt))) }),
  frames: () => ({
    columns: MOMENTS.length,
    pictures: CLIPS.flatMap((prompt) => MOMENTS.map((time) => sceneSvg(still(prompt, 640, 360), { time }))),
  }),
  grid: () => ({
    columns: 4,
    pictures: ['a lighthouse by the sea', 'a fox in a forest', 'city skyline', 'a teapot'].flatMap((prompt) =>
      grid(still(prompt)).map((/** @type {unknown} */ scene) => sceneSvg(scene)),
    ),
  }),
  camera: () => {
    const parent = still('a cabin in the mountains')
    const other = still('neon city at night')
    const children = [
      parent,
      vary(parent, { index: 0 }),
      vary(parent, { index: 0, strong: true }),
      zoomOut(parent, 1.5),
      zoomOut(parent, 2),
      pan(parent, { x: 0.5, y: 0 }),
      pan(parent, { x: 0, y: 0.5 }),
      blend(parent, other),
    ]
    return { columns: 4, pictures: children.map((scene) => sceneSvg(scene)) }
  },
}

const GAP = 8
const TILE = 232

/** @type {{ columns: number, pictures: string[] }} */
const { columns, pictures } = SHEETS[/** @type {keyof typeof SHEETS} */ (kind)]()
const tiles = await Promise.all(
  pictures.map((svg) =>
    sharp(Buffer.from(svg)).resize({ width: TILE }).png().toBuffer({ resolveWithObject: true }),
  ),
)
const tileHeight = tiles[0]?.info.height ?? TILE
await sharp({
  create: {
    width: GAP + columns * (TILE + GAP),
    height: GAP + Math.ceil(tiles.length / columns) * (tileHeight + GAP),
    channels: 3,
    background: '#f3f1ec',
  },
})
  .composite(
    tiles.map(({ data }, i) => ({
      input: data,
      left: GAP + (i % columns) * (TILE + GAP),
      top: GAP + Math.floor(i / columns) * (tileHeight + GAP),
    })),
  )
  .png()
  .toFile(output)
