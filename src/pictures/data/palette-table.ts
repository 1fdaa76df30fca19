import type { Colour } from '../places/colour.ts'

/** The eight colours of a picture. Air lies between the layers: from back to front they run far, near, ink. */
export interface Palette {
  skyTop: Colour
  skyLow: Colour
  sun: Colour
  far: Colour
  near: Colour
  ink: Colour
  accent: Colour
  light: Colour
}

/** A palette as it is offered to a prompt: the tags are what it suits, in the words of the lexicon. */
export interface NamedPalette extends Palette {
  name: string
  tags: string[]
}

/** What the colours of a palette are for, in the order of the table. */
export const PALETTE_ROLES = [
  'skyTop',
  'skyLow',
  'sun',
  'far',
  'near',
  'ink',
  'accent',
  'light',
] as const satisfies (keyof Palette)[]

/** All palettes. Their order counts: the jitter of the choice is drawn by index. */
export const PALETTE_TABLE: NamedPalette[] = [
  palette(
    'ember',
    'sunset warm red orange fire dramatic',
    '#3b1f4a #f2845c #ffd27d #b4506b #3a1838 #1f0d24 #ff5a4a #ffe9c9',
  ),
  palette(
    'apricot',
    'dawn soft orange warm calm',
    '#f4a988 #fde3c0 #fff4dc #d98f86 #6b3a4d #3a2033 #e4572e #fff6e6',
  ),
  palette(
    'meadow',
    'spring green day fresh happy dawn',
    '#8fd0e0 #e8f5dc #fff1b0 #9ccfa0 #23663f #12382c #f2b134 #fffbe9',
  ),
  palette(
    'alpine',
    'blue cold day clear epic ocean',
    '#5aa0d6 #dcefff #fff9e0 #8fb0d0 #1f3c5c #10233b #e85d4a #ffffff',
  ),
  palette(
    'midnight',
    'night blue dark calm ocean',
    '#0b1034 #2f3f8f #f7f0d0 #34458c #0a0f2a #060817 #ffc857 #dfe6ff',
  ),
  palette(
    'aurora',
    'night teal green magic',
    '#071a2e #1f7a78 #d9ffe8 #1c5a6b #05141f #030b12 #7dffb2 #d6fff2',
  ),
  palette(
    'lagoon',
    'teal blue day summer tropical ocean',
    '#2aa6b8 #c9f2e6 #fff6cf #4cc0b8 #0b4f63 #07303f #ff7f5c #f3fffb',
  ),
  palette(
    'neon',
    'night neon pink purple cyber',
    '#14062e #8a1c8c #ff4fa3 #4a1a86 #100526 #080214 #19e3ff #ffe6fb',
  ),
  palette(
    'rosewood',
    'pink red love soft dawn sunset',
    '#e88fa0 #fde0dc #fff5ee #d27b93 #6d2848 #3c1530 #c4344f #fff3ef',
  ),
  palette(
    'lavender',
    'purple dream soft magic sunset',
    '#8a7cc8 #f3dcf2 #fff3d6 #a58bc9 #43326f #251c45 #ff9e7a #fdf4ff',
  ),
  palette(
    'mustard',
    'yellow retro warm happy sunset',
    '#f0c04a #fbe9b4 #fff8e0 #d79a3a #6b3d1c #38200f #c8442e #fff6dc',
  ),
  palette(
    'autumn',
    'orange brown autumn warm sunset',
    '#e8a35a #fbe3bd #fff2cf #d07a3c #6a2a1a #35140f #b8321f #fff0d6',
  ),
  palette('pine', 'green calm forest fog', '#7fb3a6 #e3efd8 #fffbe0 #6fa28f #123a34 #0a221f #e9a03b #f6fff4'),
  palette(
    'mist',
    'grey white fog calm minimal',
    '#a9b7c0 #eceff0 #ffffff #b2bec6 #46545f #2a343d #d9734e #ffffff',
  ),
  palette(
    'storm',
    'grey rain dark dramatic',
    '#2e3d52 #8597a8 #dfe6ea #5f7386 #1a2635 #0f1722 #ffd166 #eaf1f6',
  ),
  palette(
    'frost',
    'white winter cold blue',
    '#9cc3e0 #f0f7fc #fffdf0 #b9d2e6 #4c739c #213f63 #e4604e #ffffff',
  ),
  palette(
    'dune',
    'brown yellow desert day warm',
    '#6fc0c6 #fbe6c2 #fff3d0 #e8b27a #a5512c #4a2016 #1f7a7a #fff4df',
  ),
  palette(
    'bauhaus',
    'abstract red yellow blue',
    '#f3ead8 #efe3cc #f2b632 #2b5d9b #d23c2c #1c1b1a #d23c2c #fbf6ea',
  ),
  palette(
    'riso',
    'abstract teal pink retro',
    '#ffe3cf #fff1e0 #ff6f59 #2ab7a9 #254e70 #1c2b45 #ff6f59 #fffaf2',
  ),
  palette(
    'cosmos',
    'space night purple epic',
    '#0a0820 #3b1f66 #ffd9a0 #6a3fa0 #120a2e #06040f #ff8a5c #f2e9ff',
  ),
  palette(
    'paper',
    'white black minimal abstract red',
    '#e9e4da #f7f4ed #c8372d #a9a59c #2b2a28 #111010 #c8372d #ffffff',
  ),
  palette('noir', 'night black dark grey', '#101216 #4b525c #f1f1ec #3d434c #0b0c0f #050506 #e63946 #f4f4f0'),
  palette(
    'mint',
    'teal green soft happy spring ocean',
    '#a8dcc9 #f5fbe9 #ffe9a8 #86c5b0 #2d6d6a #183f45 #ff7a6b #ffffff',
  ),
  palette(
    'candy',
    'pink cute soft happy dream',
    '#ffb3c7 #ffeccf #fff9e3 #9fd8e8 #6a6fc0 #38306e #ff6b9a #ffffff',
  ),
  palette(
    'gilded',
    'night gold black luxury',
    '#14110c #6a4d1e #ffd76a #7a5a22 #17120a #0a0805 #ffc23d #fff1c9',
  ),
  palette(
    'clay',
    'brown red earth warm abstract',
    '#d9a184 #f6e0cc #fff1dd #c0714f #5c2d27 #2f1716 #2f6f73 #fff5ea',
  ),
]

/** The colours in the order of `PALETTE_ROLES`. */
function palette(name: string, tags: string, colours: string): NamedPalette {
  const values = colours.split(' ') as Colour[]
  const pairs = PALETTE_ROLES.map((role, i) => [role, values[i]])
  return { name, tags: tags.split(' '), ...(Object.fromEntries(pairs) as Palette) }
}
