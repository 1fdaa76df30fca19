import type { Colour } from '../places/colour.ts'
import type { ColourWord } from './meanings.ts'

// What the words around a subject say of it, in English and Chinese.

export const counts: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    2: 'two pair couple 两 二',
    3: 'three several bunch 三 几',
    4: 'four group 四',
    5: 'five many herd flock swarm 五',
    6: 'six dozen 六',
  }).flatMap(([count, words]) => words.split(' ').map((word) => [word, Number(count)])),
)

export const scales: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    0.6: 'tiny mini miniature',
    0.75: 'small little 小',
    1.3: 'big large tall grand 大',
    1.6: 'giant huge enormous massive 巨大',
  }).flatMap(([scale, words]) => words.split(' ').map((word) => [word, Number(scale)])),
)

export const hairColours: Readonly<Record<string, Colour>> = {
  red: '#b5482a',
  orange: '#b5482a',
  gold: '#e8c56a',
  yellow: '#e8c56a',
  blue: '#3b78c9',
  pink: '#ee86b3',
  green: '#4aa06a',
  purple: '#7d4fb8',
  black: '#26222c',
  brown: '#6d4630',
  white: '#ece9ee',
  grey: '#a4a6ad',
  silver: '#c5cad2',
}

export const hairWords = /^(?:hair|haired|beard|bearded|头发|胡子)$/
export const beardWords = /^(?:beard|bearded|胡子)$/
export const oldWords = /^(?:old|elderly|老)$/
export const onWords = /^(?:on|upon|sitting|riding|crossing)$/
export const inWords = /^(?:in|inside|into|of)$/
export const wearingWords = /^(?:wearing|wears|with|in|holding|under)$/
export const flyingWords = /^(?:flying|flies|soaring|hovering)$/
export const aboveWords = /^(?:over|above)$/
export const movingWords = /^(?:running|galloping|driving|walking|racing|jumping|奔跑|跑)/
export const ofWords = /^(?:of|de)$/

/** "A cup of coffee" is one thing: after a vessel the second noun counts. Beginnings of icons: "glasses of milk", too. */
export const vesselIcons = /^(?:teacup|hot-bev|jar|wine-glass|glass|fork-and|cup-with)/

/** What can carry another subject, and how high up it does so, in parts of its height. */
export const seats: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    0.3: 'bicycle motor-scooter motorcycle bed couch-and-lamp chair throne bathtub',
    0.5: 'horse unicorn zebra camel deer cow dragon elephant pig bridge wood sailboat canoe skateboard rose sunflower blossom tulip hibiscus herb window',
    0.7: 'iceberg turtle whale castle basket lotus door',
    0.85: 'rock house houses mushroom books package pillow red-circle derelict-house',
  }).flatMap(([height, icons]) => icons.split(' ').map((icon) => [icon, Number(height)])),
)

/** What can hold other subjects, and up to five of them look out of it. */
export const containerIcons =
  /^(?:bowl|basket|amphora|package|shopping-cart|wheelbarrow|barrel|bucket|bathtub)$/

/** What is put on a head, and wings. A mention of it after "wearing" or "with" is no subject of its own. */
export const wearableIcons =
  /^(?:glasses|sunglasses|top-hat|crown|womans-hat|billed-cap|headphone|graduation-cap|umbrella|wings)$/

/** Clothes give their colour to who wears them. */
export const clothingIcons =
  /^(?:dress|coat|t-shirt|jeans|womans-clothes|kimono|sari|lab-coat|safety-vest|running-shirt)$/
export const clothingWords =
  /^(?:suit|shirt|uniform|robe|jacket|hoodie|sweater|cloak|outfit|blanket|raincoat|armou?r)s?$/

/** Vehicles and animals of icons that have a rider already. */
export const mountsOfActions: Readonly<Record<string, string>> = {
  'horse-racing': 'horse',
  'person-biking': 'bicycle',
  'person-surfing': 'water-wave',
}

/** What a thing may be made of, as a colour. */
export const materials: Readonly<Record<string, ColourWord>> = {
  ice: 'blue',
  snow: 'white',
  paper: 'white',
  glass: 'teal',
  crystal: 'purple',
  gold: 'gold',
  silver: 'silver',
  steel: 'silver',
  stone: 'grey',
  wood: 'brown',
  chocolate: 'brown',
  clay: 'orange',
  fire: 'orange',
  lava: 'red',
  leaves: 'green',
  moss: 'green',
}

/** The tone of skin, 0 light to 4 dark. */
export const skinWords: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    0: 'white pale fair caucasian european scandinavian nordic',
    1: 'asian chinese japanese korean light',
    2: 'latina latino hispanic mexican arab olive tanned tan',
    3: 'brown indian desi',
    4: 'black african dark',
  }).flatMap(([tone, words]) => words.split(' ').map((word) => [word, Number(tone)])),
)

/** Words of the lexicon that are subjects as well. */
export const lexiconSubjects = new Set(
  (
    'volcano bamboo fireplace waterfall iceberg aurora pyramid rose kite satellite comet ufo alien campfire moon stars candy heart planet saturn gold icon fire flame ' +
    'bridge robot castle mosque museum'
  ).split(' '),
)

/** Icons that are a place or weather in any language. */
export const placeIcons: Readonly<Record<string, string>> = {
  'beach-with-umbrella': 'beach',
  'water-wave': 'sea',
  desert: 'desert',
  mountain: 'mountain',
  'snow-capped-mountain': 'mountain',
  'national-park': 'landscape',
  cityscape: 'city',
  'cityscape-at-dusk': 'city sunset',
  'night-with-stars': 'city night',
  sunset: 'sunset',
  sunrise: 'sunrise',
  'sunrise-over-mountains': 'mountain sunrise',
  'milky-way': 'galaxy',
  foggy: 'fog',
  fog: 'fog',
  'cloud-with-rain': 'rain',
  'sun-behind-rain-cloud': 'rain',
  'cloud-with-lightning': 'storm',
  'cloud-with-lightning-and-rain': 'storm',
  snowflake: 'snow',
  'cloud-with-snow': 'snow',
  'wind-face': 'wind',
  'evergreen-tree': 'forest',
  droplet: 'water',
  'fallen-leaf': 'autumn',
  camping: 'forest',
  motorway: 'road',
  'umbrella-with-rain-drops': 'rain',
  'full-moon': 'moon',
  'crescent-moon': 'moon',
  sun: 'bright',
  'ringed-planet': 'planet',
}

/** English words that are hardly nouns. */
export const adjectives =
  /(?:ly|ful|ous|ive|able|ible|less|ish|ic|al|ing|ed|est|ian)$|^(?:the|and|with|for|from|into|through|against|that|this|very|its|his|her|tiny|old|young|cute|lone|lonely|epic|cozy|cosy|soft|vibrant|elegant|ancient|giant|huge|bright|dark|simple|stone|far|near|award|large|small|front|layered|shallow|deep|rim|god|over|under|above|below|next|behind|between|while|who|which|are|was|has|had|have|but|not|all|some|any|more|most|scene|image|bold|dense|quiet|stark|wide|angle|macro|mockup|product|commerce|gold|slate|says|design|monogram|logo|flat|poster|typography|swarm|art|deco|steel|brick|marble|glass|wood)$/

/** People of whom the icon set has a head only. */
export const faceIcons =
  /^(?:baby|child|boy|girl|person|man|woman|old-man|old-woman|older-person|(?:wo)?man-(?:beard|bald|red-hair|curly-hair|white-hair|blonde-hair)|person-(?:beard|bald|red-hair|white-hair|blonde-hair)|santa-claus|mrs-claus|baby-angel|clown-face)$/

/** What stands for a place on a logo, an icon or a sticker. */
export const emblemsOfPlaces: Readonly<Record<string, string>> = {
  mountain: 'mountain',
  hill: 'mountain',
  volcano: 'volcano',
  ocean: 'water-wave',
  sea: 'water-wave',
  wave: 'water-wave',
  beach: 'beach-with-umbrella',
  desert: 'cactus',
  forest: 'evergreen-tree',
  wood: 'evergreen-tree',
  pine: 'evergreen-tree',
  city: 'skyscraper',
  building: 'office-building',
  planet: 'ringed-planet',
  moon: 'crescent-moon',
  star: 'star',
  rain: 'cloud-with-rain',
  snow: 'snowflake',
  storm: 'cloud-with-lightning',
}
