import type { Family } from '../words/description.ts'
import type { Colour } from '../places/colour.ts'
import type { SubjectKind } from './subjects.ts'

/** The height of an icon's box in thousandths of the short side. */
export const sizeOfKind: Readonly<Record<SubjectKind, number>> = {
  person: 330,
  animal: 270,
  bird: 210,
  fish: 200,
  bug: 130,
  plant: 230,
  food: 210,
  thing: 220,
  building: 430,
  vehicle: 330,
  boat: 330,
  aircraft: 290,
  sky: 230,
  creature: 280,
  shape: 280,
  place: 400,
  body: 230,
}

export const sizeExceptions: readonly (readonly [icon: RegExp, size: number])[] = [
  [/^(?:elephant|giraffe|mammoth|sauropod|t-rex|dragon|whale|spouting-whale|orca)$/, 420],
  [
    /^(?:horse|camel|two-hump-camel|bison|ox|water-buffalo|cow|deer|moose|zebra|rhinoceros|hippopotamus|unicorn|polar-bear|bear|lion)$/,
    330,
  ],
  [/^(?:mouse|rat|hamster|frog|chipmunk|hedgehog|snail|baby-chick|lizard)$/, 170],
  [/^(?:cat|black-cat|rabbit|duck|goose|chicken|rooster|turtle)$/, 210],
  [/-tree$/, 430],
  [/^(?:waterfall|aurora)$/, 620],
  [/^(?:bridge|lighthouse|pirate-ship|windmill|skyscraper|iceberg)$/, 480],
  [/^(?:statue|fireplace|throne|drum-kit|street-lamp)$/, 330],
  [/^paper-/, 240],
  [/^(?:castle|japanese-castle|tokyo-tower|statue-of-liberty|ferris-wheel|roller-coaster)$/, 520],
  [/^(?:volcano|mountain|mount-fuji|snow-capped-mountain)$/, 620],
  [
    /^(?:bus|locomotive|bullet-train|articulated-lorry|ship|passenger-ship|ferry|fire-engine|high-speed-train)$/,
    400,
  ],
  [/^(?:couch-and-lamp|bed|bathtub)$/, 330],
  [/^(?:bicycle|motorcycle|motor-scooter|penguin)$/, 270],
]

/** What is in the air. */
export const fliers =
  /^(?:hot-air-balloon|zeppelin|paper-airplane|aurora|airplane|small-airplane|helicopter|parachute|rocket|flying-saucer|satellite|kite|balloon|comet|eagle|dove|bat|dragon|phoenix-bird|butterfly|honeybee|mosquito|fly|rainbow|star|glowing-star|shooting-star|full-moon|crescent-moon|cloud|sun|sun-with-face|ringed-planet|.*superhero|fairy|snowflake|airplane-departure)$/

/** What moves by itself looks to the left in the icon set and travels to the right here, but for these. */
export const looksRight = /^(?:paper-|submarine|airplane|rocket|comet|speedboat|satellite)/
export const climbs = /^(?:paper-airplane|airplane|small-airplane|rocket|comet)$/

/** The yellow skin of the icon set in five tones, light to dark. */
export const skinTones: Readonly<Record<string, readonly Colour[]>> = {
  '#ffc83d': ['#ffd7c2', '#eebfaa', '#c68d7b', '#966661', '#573739'],
  '#f59f00': ['#f4c6ad', '#e4b29a', '#bb806e', '#8b5c56', '#422426'],
  '#fcb100': ['#f4c6ad', '#e4b29a', '#b87a66', '#8b5c56', '#452829'],
  '#fdbb11': ['#f4c6ad', '#e4b29a', '#bb806e', '#8b5c56', '#4e3233'],
  '#ed9200': ['#e5af93', '#d19479', '#ab6a55', '#75443e', '#3d2123'],
  '#d67d00': ['#f1b99b', '#d6a089', '#a9715f', '#764c49', '#341a1c'],
}

export const hairOfIcons = new Set(['#f1a11e', '#ea9129', '#f3ad61', '#e8a21c'])
export const browsOfIcons = '#d37034'
/** Hair of icons that show a colour of their own, such as `woman-red-hair`. */
export const colouredHair = new Set(
  '#ff8687 #f3eef8 #fff478 #bb1d80 #e5d9ee #fff9ba #d3d3d3 #9b9b9b #c3593a #ad4b26 #cb4a2b #df6f50 #e6e6e6 #f7e5c4'.split(
    ' ',
  ),
)
export const boatWater = new Set<Colour>(['#00a6ed', '#0084ce', '#0074ba', '#26c9fc'])
export const hairColours: readonly Colour[] = ['#3a2a2c', '#593b39', '#8a5a3c', '#c98a3c', '#2d242d']

/** Heads of animals of which the icon set has no body: outdoors they sit. */
export const headsOnly = new Set(
  (
    'lion fox wolf bear polar-bear panda koala hamster unicorn moose boar raccoon chicken dog-face cat-face cow-face ' +
    'tiger-face horse-face rabbit-face mouse-face pig-face monkey-face dragon-face'
  ).split(' '),
)
export const furColours: Partial<Record<string, `#${string}`>> = { panda: '#3b3550', chicken: '#e8e4ec' }

/** People who are seen whole, not from the waist up. */
export const wholeFigureIcons =
  /walking|running|standing|dancing|biking|surfing|swimming|rowing|cartwheel|juggling|golfing|fencing|climbing|skier|snowboard|horse-racing|lifting|lotus|bouncing|handball|kneeling|wrestling|levitating|merpeople|fairy|taking-bath|in-bed|ballerina|statue/

export const closeWords =
  /\b(?:portrait|close-?up|headshot|logo|icon|sticker|product|emblem|mockup|macro|white background|black background|e-commerce|food photo\w*|on a (?:plate|table|desk)|top view|studio photo)\b/
export const indoorWords =
  /\b(?:room|kitchen|bathroom|bedroom|interior|office|living room|indoors|classroom|windowsill)\b/
export const underwaterWords = /\b(?:underwater|coral reef|deep sea|seabed)\b/

/** Where a kind of subject is at home. */
export const homes: Partial<Record<SubjectKind, Family>> = {
  boat: 'sea',
  vehicle: 'city',
  fish: 'underwater',
  aircraft: 'hills',
  building: 'hills',
}
export const spaceIcons = /^(?:rocket|.*astronaut|flying-saucer|satellite|alien|ringed-planet|comet)$/
export const countryIcons = /locomotive|tractor|horse|train/

export const familiesOfEmptyPrompts: readonly Family[] = [
  'hills',
  'sea',
  'abstract',
  'forest',
  'city',
  'space',
  'abstract',
  'dunes',
]

/** The height of the horizon of each family, in parts of the frame. */
export const HORIZONS: Record<Family, number> = {
  hills: 0.5,
  dunes: 0.55,
  sea: 0.5,
  city: 0.72,
  forest: 0.6,
  space: 0.8,
  abstract: 0.5,
  emblem: 0.5,
  room: 0.66,
  underwater: 0.72,
  wallpaper: 0.5,
}
