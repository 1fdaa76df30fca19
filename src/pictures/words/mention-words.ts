import type { Colour } from '../places/colour.ts'

// What the words around a subject say of it, in the languages that prompts are read in.

export const counts: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    2: 'two pair couple dos deux zwei dois duas 两 二 два две दो',
    3: 'three several bunch tres trois drei 三 три तीन ثلاثة ثلاث varios plusieurs mehrere 几',
    4: 'four group cuatro quatre vier quatro 四 четыре चार أربعة',
    5: 'five many herd flock swarm cinco cinq fünf funf 五 пять पाँच خمسة',
    6: 'six dozen seis sechs 六 шесть छह',
  }).flatMap(([count, words]) => words.split(' ').map((word) => [word, Number(count)])),
)

export const scales: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    0.6: 'tiny mini miniature',
    0.75: 'small little pequeno pequena petit petite kleiner kleine kleines 小 小さな छोटा маленький صغير',
    1.3: 'big large tall grande grosser grosse grosses grand 大 大きな बड़ा большой كبير',
    1.6: 'giant huge enormous massive gigante riesig riesiger 巨大',
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

export const hairWords =
  /^(?:hair|haired|beard|bearded|cabello|pelo|cabelo|barba|cheveux|barbe|haare?n?|bart|бород(?:а|ой)|волос(?:ы|ами)|头发|胡子|髪)$/
export const beardWords = /^(?:beard|bearded|barba|barbe|bart|бород(?:а|ой)|胡子)$/
export const oldWords =
  /^(?:old|elderly|viejo|vieja|velho|velha|alter|alte|vieux|vieille|стар(?:ый|ая)|عجوز|老|बूढ़ा)$/
export const onWords = /^(?:on|upon|auf|sur|sobre|en|na|no|на|على|sitting|riding)$/
export const aboveWords = /^(?:over|above|uber|encima|acima|над|فوق)$/
export const movingWords =
  /^(?:running|galloping|driving|walking|racing|jumping|corriendo|correndo|courant|rennend|奔跑|跑)/
export const ofWords = /^(?:of|de|di|du|da|do|d|с|из)$/

/** Colour words follow their noun. */
export const isRomance = /^(?:es|pt|fr|ar)$/

/** "A cup of coffee" is one thing: after a vessel the second noun counts. */
export const isVessel = /^(?:teacup|hot-bev|bowl|jar|wine-glass|glass|fork-and|cup-with)/

/** What can carry another subject. */
export const canCarry =
  /^(?:couch-and-lamp|chair|bed|sunflower|rock|house|castle|bicycle|horse|skateboard|door|window|desk|basket|wood|elephant|whale|turtle|rose|blossom|mushroom|books?|package|sailboat|herb)$/

/** Words of the lexicon that are subjects as well. */
export const isAlsoSubject = new Set(
  (
    'volcano bamboo rose kite satellite comet ufo alien campfire moon stars candy heart planet saturn gold icon fire flame ' +
    'bridge robot castle mosque'
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
export const isAdjective =
  /(?:ly|ful|ous|ive|able|ible|less|ish|ic|al|ing|ed|est|ian)$|^(?:the|and|with|for|from|into|through|against|that|this|very|its|his|her|tiny|old|young|cute|lone|lonely|epic|cozy|cosy|soft|vibrant|elegant|ancient|giant|huge|bright|dark|simple|stone|far|near|award|large|small|front|layered|shallow|deep|rim|god|over|under|above|below|next|behind|between|while|who|which|are|was|has|had|have|but|not|all|some|any|more|most|scene|image|bold|dense|quiet|stark|wide|angle|macro|mockup|product|commerce|gold|slate|says|design|monogram|logo|flat|poster|typography|swarm|art|deco|steel|brick|marble|glass|wood)$/

/** People of whom the icon set has a head only. */
export const isFace =
  /^(?:baby|child|boy|girl|person|man|woman|old-man|old-woman|older-person|(?:wo)?man-(?:beard|bald|red-hair|curly-hair|white-hair|blonde-hair)|person-(?:beard|bald|red-hair|white-hair|blonde-hair)|santa-claus|mrs-claus|baby-angel|clown-face)$/
