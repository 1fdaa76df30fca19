// Bakes the subjects of pictures into src/pictures/data: icons.json (drawings) and words.json (what prompts call them in ten
// languages). Needed only when the icon set, the words or the rules below change; the packages are not dependencies:
//
//   mkdir /tmp/bake && cd /tmp/bake
//   npm install @iconify-json/fluent-emoji-flat@1.2.6 cldr-annotations-full@48.2.0 emojibase-data@17.0.0 svgo@4.1.0
//   cd - && node scripts/bake-icons.js /tmp/bake
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import sharp from 'sharp'

const packages = process.argv[2]
if (!packages)
  throw new Error('Failed to bake icons: no folder of packages. See the top of scripts/bake-icons.js.')

const { optimize } = createRequire(join(packages, 'index.js'))('svgo')
/** @param {string} path below the folder of packages. */
const readJson = (path) => JSON.parse(readFileSync(join(packages, 'node_modules', path), 'utf8'))

/** @typedef {{ kind: string, emoji: string, label: string }} Subject */
/** @typedef {{ hexcode: string, emoji: string, label: string, subgroup?: number }} Emoji */
/** @typedef {{ default?: string[], tts?: string[] }} Annotation */

/** The kinds of subjects by the subgroups of emojibase. Faces, hands, signs, arrows, flags and clocks are no subjects. */
const subgroups = {
  creature: [11],
  body: [22],
  person: [23, 25, 26, 27, 28, 29, 30],
  animal: [34, 37, 36],
  bird: [35],
  fish: [38],
  bug: [39],
  plant: [40, 41],
  food: [42, 43, 44, 45, 46, 47],
  thing: [
    48, 57, 58, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82,
  ],
  place: [49, 50],
  building: [51, 52, 53],
  vehicle: [54],
  boat: [55],
  aircraft: [56],
  sky: [59],
}
const kindOfSubgroup = new Map(
  Object.entries(subgroups).flatMap(([kind, groups]) =>
    groups.map((group) => /** @type {const} */ ([group, kind])),
  ),
)

/** Subjects of other subgroups. @type {Record<string, string>} */
const extraKinds = {
  'red-heart': 'thing',
  handshake: 'thing',
  collision: 'sky',
  'dashing-away': 'sky',
  eye: 'body',
  'red-square': 'shape',
  'red-circle': 'shape',
  'red-triangle-pointed-up': 'shape',
  'black-flag': 'thing',
  'pirate-flag': 'thing',
  skull: 'creature',
  'kiss-mark': 'thing',
  'person-standing': 'person',
}

/** Gestures, variants by sex or direction, and little framed pictures, which show a place rather than a subject. */
const excluded =
  /oclock|thirty|-face-|facepalm|gesturing|pouting|frowning|raising|shrugging|tipping|bowing|getting-|-deaf|pile-of-poo|facing-right|middle-finger|cigarette|no-smoking|wheelchair|white-cane|steamy|feeding|pregnant|breast|^women-|^men-|people-|mx-claus|love-hotel|oncoming-(?!auto)|speaker-low|muted|slash|mobile-phone-with|banknote|money-with|(closed|open)-mailbox-with|incoming|outgoing|inbox|outbox|with-arrow|-quarter|waxing|waning|new-moon|see-no|hear-no|speak-no|curly-hair|^(knot|white-flower|mirror-ball|piata|troll)$|person-(with-bunny|bouncing|with-veil|merpeople|in-suit|wrestling|playing)|^(fireworks|sparkler)$/

/** Which of the twins `man-x` and `woman-x` of a role stay: those that prompts name. */
const isTwin = (/** @type {string} */ name, /** @type {ReadonlySet<string>} */ names) => {
  const [, role] = /^(?:wo)?man-(.+)$/.exec(name) ?? []
  return role !== undefined && !/beard|hair|bald|standing|walking|running|dancing|superhero/.test(name)
    ? names.has(role) || names.has(`person-${role}`)
    : false
}

/** The water that boats of this set lie in is not their colour. */
const boatWater = ['#00a6ed', '#0084ce', '#0074ba', '#26c9fc', '#5092ff']

/** Windows are not the colour of what drives or flies. */
const windowColours = [
  '#26c9fc',
  '#28c5f9',
  '#00a6ed',
  '#0084ce',
  '#212121',
  '#321b41',
  '#433b6b',
  '#1c1c1c',
  '#8ecfff',
]

/** Where most of the pixels have another colour than the one that people mean. @type {Record<string, string>} */
const mainColours = {
  lighthouse: '#e0533d',
  'pirate-ship': '#7d4a38',
  bridge: '#a56953',
  aurora: '#4be3a0',
  zeppelin: '#b9a6c9',
  'kick-scooter': '#26c9fc',
}

/** Keywords of other kinds are too vague: "key" is a keyword of a dozen things. */
const hasTrustedKeywords = /^(animal|bird|fish|bug|food|plant|person|vehicle|boat|aircraft|creature)$/

const iconSet = readJson('@iconify-json/fluent-emoji-flat/icons.json').icons
const nameOfCharacter = readJson('@iconify-json/fluent-emoji-flat/chars.json')
/** @type {Emoji[]} */
const emojis = readJson('emojibase-data/en/data.json')

/** @param {string} hexcode */
const nameOf = (hexcode) => {
  const code = hexcode.toLowerCase()
  return nameOfCharacter[code] ?? nameOfCharacter[code.replaceAll('-fe0f', '')]
}

const aliases = readAliases()
const ownDrawings = readOwnDrawings()
const subjects = chooseSubjects()
const icons = await bakeIcons()
const words = bakeWords()
const data = new URL('../src/pictures/data/', import.meta.url)
writeFileSync(new URL('icons.json', data), `${JSON.stringify(icons)}\n`)
writeFileSync(
  new URL('words.json', data),
  `${JSON.stringify({ languages: words, phrases: readPhrases() })}\n`,
)
const total = Object.values(words).reduce((sum, { nouns }) => sum + Object.keys(nouns).length, 0)
console.log(`${Object.keys(icons).length} icons, ${total} words`)

/** @returns {Map<string, Subject>} */
function chooseSubjects() {
  const chosen = new Map()
  for (const { hexcode, emoji, label, subgroup = -1 } of emojis) {
    const name = nameOf(hexcode)
    if (!name || !iconSet[name] || chosen.has(name)) continue
    const kind = extraKinds[name] ?? kindOfSubgroup.get(subgroup)
    if (!kind || (excluded.test(name) && !extraKinds[name])) continue
    chosen.set(name, { kind, emoji: emoji.replaceAll('\ufe0f', ''), label })
  }
  const names = new Set(chosen.keys())
  for (const name of names) if (isTwin(name, names) && !aliases.has(name)) chosen.delete(name)
  for (const [name, { kind }] of ownDrawings)
    chosen.set(name, { kind, emoji: '', label: name.replaceAll('-', ' ') })
  return chosen
}

/** Each icon as [body, left, top, right, bottom, main colour, kind], in a box of 32. */
async function bakeIcons() {
  /** @type {Record<string, [string, number, number, number, number, string, string]>} */
  const baked = {}
  for (const [name, { kind }] of subjects) {
    const body = shortenBody(ownDrawings.get(name)?.body ?? iconSet[name].body)
    if (/url\(#|<use|<image/.test(body)) {
      console.warn(`${name}: left out, it refers to an id`)
      continue
    }
    const { box, main } = await measure(body, kind)
    baked[name] = [body, ...box, mainColours[name] ?? main, kind]
  }
  return baked
}

/** Paths with two decimals, without ids: several icons stand in one document. @param {string} body */
function shortenBody(body) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32">${withoutReferences(body)}</svg>`
  const { data } = optimize(svg, {
    multipass: true,
    floatPrecision: 2,
    plugins: [
      'cleanupNumericValues',
      'convertColors',
      'convertPathData',
      'collapseGroups',
      'removeUselessDefs',
      'cleanupIds',
      'removeEmptyContainers',
    ],
  })
  return data.replace(/^<svg[^>]*>/, '').replace(/<\/svg>$/, '')
}

/**
 * Ids of several icons would collide in one document: clips, filters and masks go, a gradient becomes its first colour.
 *
 * @param {string} body
 */
function withoutReferences(body) {
  const gradients = body.matchAll(/<(?:linear|radial)Gradient[^>]* id="([^"]+)"[^]*?stop-color="([^"]+)"/g)
  const flat = [...gradients].reduce(
    (text, [, id, colour = '']) => text.replaceAll(`url(#${id})`, colour),
    body,
  )
  return flat
    .replaceAll(/<(linearGradient|radialGradient)\b[^]*?<\/\1>/g, '')
    .replaceAll(/<(defs|clipPath|filter|mask)\b[^]*?<\/\1>/g, '')
    .replaceAll(/ (?:clip-path|filter|mask)="url\([^)]*\)"/g, '')
}

/** The box of what is drawn and the colour that most of it has. @param {string} body @param {string} kind */
async function measure(body, kind) {
  const size = 96
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32">${body}</svg>`
  const pixels = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer()
  let [left, top, right, bottom] = [size, size, 0, 0]
  /** @type {Map<string, number>} */
  const areas = new Map()
  for (let index = 0; index < size * size; index++) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(index * 4, index * 4 + 4)
    if (alpha < 128) continue
    const [x, y] = [index % size, Math.floor(index / size)]
    left = Math.min(left, x)
    right = Math.max(right, x + 1)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y + 1)
    if (alpha < 255) continue
    const colour = `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`
    if (kind !== 'boat' || !boatWater.includes(colour)) areas.set(colour, (areas.get(colour) ?? 0) + 1)
  }
  const isPaint = (/** @type {string} */ colour) => {
    const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    return !windowColours.includes(colour) && Math.max(...channels) - Math.min(...channels) > 60
  }
  const byArea = [...areas].sort(([, one], [, other]) => other - one).map(([colour]) => colour)
  const paint = /vehicle|aircraft/.test(kind) ? byArea.find(isPaint) : undefined
  const main = paint ?? byArea[0] ?? '#808080'
  const [l = 0, t = 0, r = 0, b = 0] = [left, top, right, bottom].map((value) => Math.round(value / 0.3) / 10)
  return { box: /** @type {[number, number, number, number]} */ ([l, t, r, b]), main }
}

/** @param {string} text */
function normalize(text) {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .replace(/[’']s\b/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

/** @returns {Record<string, { nouns: Record<string, string> } & Record<string, unknown>>} by language. */
function bakeWords() {
  const tables = readLanguageTables()
  /** @type {Record<string, string>} */
  const english = {}
  const available = [...subjects].filter(([name]) => icons[name])
  for (const [name, { label }] of available) english[normalize(label)] ??= name
  for (const [name] of available) english[normalize(name)] ??= name
  for (const [name, list] of aliases) {
    if (!icons[name]) console.warn(`aliases.txt: no icon ${name}`)
    else for (const alias of list) english[normalize(alias)] = name
  }
  return Object.fromEntries(
    Object.entries(tables).map(([language, { nouns, function: functionWords, ignored, places, colours }]) => [
      language,
      {
        nouns: { ...(language === 'en' ? english : wordsIn(language)), ...pairsIn(nouns, language) },
        places: pairsIn(places, language),
        colours: pairsIn(colours, language),
        functionWords: listIn(functionWords),
        ignored: listIn(ignored),
      },
    ]),
  )
}

/** @returns {Record<string, Record<string, string>>} the lines of languages.txt by language and kind. */
function readLanguageTables() {
  /** @type {Record<string, Record<string, string>>} */
  const tables = {}
  for (const line of readLines('languages.txt')) {
    const [, language = '', kind = '', text = ''] = /^(\w+) (\w+): (.*)$/.exec(line) ?? []
    ;(tables[language] ??= {})[kind] = text
  }
  return tables
}

/** @returns {Record<string, Record<string, string>>} */
function readPhrases() {
  return Object.fromEntries(
    readLines('phrases.txt').map((line) => {
      const [phrase = '', meaning = ''] = line.split(/:\s*/)
      return [
        phrase,
        Object.fromEntries(
          meaning
            .split('; ')
            .filter(Boolean)
            .map((pair) => pair.split('=')),
        ),
      ]
    }),
  )
}

function listIn(text = '') {
  return text.split(' ').filter(Boolean)
}

/** @param {string} language @returns {Record<string, string>} */
function pairsIn(text = '', language = 'en') {
  const pairs = text.split(', ').filter(Boolean)
  const toKey = language === 'zh' ? (/** @type {string} */ word) => word : normalize
  return Object.fromEntries(
    pairs.map((pair) => {
      const [word = '', meaning = ''] = pair.split('=')
      return [toKey(word), meaning]
    }),
  )
}

/** @param {string} file in scripts/icons. */
function readLines(file) {
  const text = readFileSync(new URL(`icons/${file}`, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line && !line.startsWith('#'))
}

/** @returns {Map<string, { kind: string, body: string }>} */
function readOwnDrawings() {
  return new Map(
    readLines('own.txt').map((line) => {
      const [, name = '', kind = '', body = ''] = /^(\S+) (\w+): (.*)$/.exec(line) ?? []
      return [name, { kind, body }]
    }),
  )
}

function readAliases() {
  return new Map(
    readLines('aliases.txt').map((line) => {
      const [name = '', list = ''] = line.split(': ')
      return /** @type {const} */ ([name, list.split(', ')])
    }),
  )
}

/**
 * The label of an icon names it best, then the head word of the label, then a rare keyword. Icons with English aliases are what
 * people ask for most, so they win a tie.
 *
 * @param {string} language
 * @returns {Record<string, string>}
 */
function wordsIn(language) {
  const annotations = readJson(`cldr-annotations-full/annotations/${language}/annotations.json`).annotations
    .annotations
  const isUnspaced = language === 'zh'
  /** @type {Map<string, { name: string, score: number }>} */
  const best = new Map()
  /** @type {Map<string, number>} */
  const frequency = new Map()
  const entries = [...subjects]
    .filter(([name]) => icons[name])
    .flatMap(([name, { emoji, kind }]) => {
      /** @type {Annotation | undefined} */
      const annotation = annotations[emoji]
      if (!annotation) return []
      const labels = (annotation.tts?.[0] ?? '').split(/[,،、]/).map(normalize)
      const keywords = [...new Set((annotation.default ?? []).map(normalize))]
      for (const keyword of keywords) frequency.set(keyword, (frequency.get(keyword) ?? 0) + 1)
      return [{ name, kind, labels, keywords }]
    })
  const vote = (/** @type {string} */ word, /** @type {string} */ name, /** @type {number} */ score) => {
    const isTooShort = !isUnspaced && word.length < 3
    if (!word || word.length > 30 || isTooShort || /^[a-z0-9]$/.test(word)) return
    if (score > (best.get(word)?.score ?? 0)) best.set(word, { name, score })
  }
  for (const { name, kind, labels, keywords } of entries) {
    const popularity = aliases.has(name) ? 25 : 0
    for (const label of labels) vote(label, name, 100 + popularity)
    const [label = ''] = labels
    const parts = isUnspaced ? [] : label.split(' ')
    const head = parts.at(-1)
    for (const keyword of keywords) {
      const isHead = isUnspaced ? label.endsWith(keyword) : keyword === head
      if (isHead) vote(keyword, name, 60 + popularity * 2 + (name.endsWith('-face') ? 8 : 0) - parts.length)
      else if ((frequency.get(keyword) ?? 0) <= 6 && popularity && hasTrustedKeywords.test(kind))
        vote(keyword, name, 50 + popularity - (frequency.get(keyword) ?? 0))
    }
  }
  return Object.fromEntries([...best].map(([word, { name }]) => [word, name]))
}
