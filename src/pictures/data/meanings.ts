import type { Colour } from '../places/colour.ts'
import type { Family, TimeOfDay, Weather } from '../words/description.ts'

/** What some words of a prompt mean for its picture. */
export interface Meaning {
  place?: Family
  weather?: Weather
  time?: TimeOfDay
  /** How much a palette with that tag is wished for. */
  tags?: Record<string, number>
}

/** What English words mean for the place, weather, hour and colours of a picture. */
export const MEANINGS: [words: string, meaning: Meaning][] = [
  [
    `mountain hill valley meadow field landscape countryside farm village canyon volcano cliff
     waterfall grassland park savanna savannah safari orchard ruins prairie vineyard alps himalaya fuji pasture steppe glacier`,
    { place: 'hills' },
  ],
  ['desert dune sahara sand pyramid oasis egypt', { place: 'dunes', tags: { desert: 1 } }],
  [
    `ocean sea beach wave lake coast island harbor harbour bay surf river shore water lagoon
     underwater pond puddle seaside shoreline reef swimming sailing`,
    { place: 'sea', tags: { ocean: 1 } },
  ],
  [
    `city skyline street building tokyo york skyscraper downtown urban town rooftop cyberpunk
     metropolis alley paris london architecture manhattan shanghai beijing hong berlin subway
     station office traffic road`,
    { place: 'city' },
  ],
  [
    'forest wood woodland jungle tree pine bamboo rainforest grove camp campfire trail',
    { place: 'forest', tags: { forest: 2 } },
  ],
  [
    `space galaxy planet star cosmos nebula universe orbit mars saturn moonscape asteroid alien
     cosmic solar astronomy satellite comet ufo`,
    { place: 'space', tags: { space: 1 } },
  ],
  [
    `abstract geometric pattern bauhaus shape minimalist cubist texture mosaic kandinsky fractal
     gradient logo poster`,
    { place: 'abstract', tags: { abstract: 1 } },
  ],
  ['room library workshop classroom stage theatre theater ballroom museum hall', { place: 'room' }],
  ['portrait closeup icon sticker emblem stilllife product headshot mascot avatar', { place: 'emblem' }],

  ['rain rainy raining drizzle monsoon downpour', { weather: 'rain', tags: { rain: 1 } }],
  ['storm thunder lightning tempest thunderstorm', { weather: 'storm', tags: { dramatic: 1, rain: 2 } }],
  ['snow snowy frozen winter blizzard ice arctic christmas', { weather: 'snow', tags: { winter: 2 } }],
  ['fog foggy mist misty haze hazy', { weather: 'fog', tags: { fog: 1 } }],
  ['wind windy breeze breezy gust kite', { weather: 'wind', tags: { day: 1, fresh: 1 } }],

  [
    'night midnight moonlight moonlit nocturnal starry stars dark evening moon',
    { time: 'night', tags: { night: 1 } },
  ],
  ['sunset dusk twilight sundown', { time: 'dusk', tags: { sunset: 2 } }],
  ['sunrise dawn morning', { time: 'dawn', tags: { dawn: 2 } }],

  ['neon cyberpunk synthwave vaporwave futuristic', { tags: { neon: 3 } }],
  ['retro vintage 70s poster', { tags: { retro: 3 } }],
  ['minimal minimalist simple clean', { tags: { minimal: 3 } }],
  ['dreamy dream surreal ethereal magical fantasy', { tags: { dream: 3 } }],
  ['magic aurora enchanted', { tags: { magic: 3 } }],
  ['cute kawaii adorable sweet candy', { tags: { cute: 3 } }],
  ['dramatic epic moody dark gothic', { tags: { dramatic: 3 } }],
  ['calm peaceful serene quiet zen', { tags: { calm: 3 } }],
  ['happy joyful cheerful sunny bright', { tags: { happy: 3 } }],
  ['love romantic rose valentine', { tags: { love: 3 } }],
  ['autumn fall harvest october', { tags: { autumn: 3 } }],
  ['spring blossom garden', { tags: { spring: 3 } }],
  ['summer tropical vacation', { tags: { summer: 3 } }],
  ['luxury gold golden elegant', { tags: { luxury: 3 } }],
  ['pastel soft gentle delicate', { tags: { soft: 3 } }],
  ['fire flame lava burning volcano', { tags: { fire: 3 } }],
]

/** The colours that words name. */
export const COLOUR_WORDS = {
  red: '#d8392f',
  orange: '#ee7f2d',
  yellow: '#f4c437',
  green: '#3f9b57',
  teal: '#2aa198',
  blue: '#3b78c9',
  purple: '#7d4fb8',
  pink: '#f08bb0',
  brown: '#8a5a3c',
  black: '#25242b',
  white: '#f6f1e8',
  grey: '#8d97a1',
  gold: '#e3ac3a',
  silver: '#b9c3cc',
} satisfies Record<string, Colour>

/** Other names of colours. */
export const shades: Readonly<Record<string, keyof typeof COLOUR_WORDS>> = {
  golden: 'gold',
  scarlet: 'red',
  crimson: 'red',
  navy: 'blue',
  turquoise: 'teal',
  violet: 'purple',
  beige: 'brown',
  copper: 'orange',
  emerald: 'green',
  ginger: 'orange',
  gray: 'grey',
}

/** Phrases that have a meaning as one word. */
export const phrasesOfMeaning: readonly (readonly [RegExp, string])[] = [
  [/still life/g, 'stilllife'],
  [/golden hour/g, 'sunset'],
  [/close up/g, 'closeup'],
  [/\bgray\b/g, 'grey'],
]

/** All meanings of a word in lower case. */
export function meaningsOf(word: string): readonly Meaning[] {
  return MEANINGS_BY_WORD.get(word) ?? []
}

export type ColourWord = keyof typeof COLOUR_WORDS

/** Whether a word, in lower case, names a colour. */
export function isColourWord(word: string): word is ColourWord {
  return Object.hasOwn(COLOUR_WORDS, word)
}

const MEANINGS_BY_WORD = new Map<string, Meaning[]>()
for (const [words, meaning] of MEANINGS) {
  for (const word of words.split(/\s+/)) {
    MEANINGS_BY_WORD.set(word, [...(MEANINGS_BY_WORD.get(word) ?? []), meaning])
  }
}
