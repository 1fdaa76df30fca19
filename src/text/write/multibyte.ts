import { hash128Hex } from '../../engine/random/hash.ts'
import type { TextChance, TextRequest } from '../spec.ts'
import type { Rng } from './random.ts'

const things = ['kite', 'crane', 'swallow', 'balloon', 'glider', 'heron', 'lantern', 'dragonfly']
const places = ['Tōkyō', 'Łódź', 'Málaga', 'Århus', 'Čáslav', 'Reykjavík', 'Đà Nẵng', 'İzmir']
const colours = ['red', 'green', 'yellow', 'blue', 'white', 'grey', 'purple', 'brown']
const roofs = ['house', 'barn', 'tower', 'school', 'mill', 'station', 'chapel', 'harbour']

/** A sentence with letters of two, three and four bytes. Clients that misread bytes, or lose parts, change it. */
export function multibyteSentence(rng: Rng): string {
  const [thing, place] = [rng.pick(things, 'thing'), rng.pick(places, 'place')]
  const [colour, roof] = [rng.pick(colours, 'colour'), rng.pick(roofs, 'roof')]
  return `A ${thing} flies over ${place} 🪁 – schön, größer, weiß, and lands on the roof of a ${colour} ${roof}.`
}

/** Such a sentence in another text. */
export const multibyteText =
  /A \w+ flies over [^.]* 🪁 – schön, größer, weiß, and lands on the roof of a \w+ \w+\./

/** UUIDs, ISO dates, and numbers as long as a Unix time: a client that sends them would never get the same text twice. */
const changing =
  /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|20\d\d-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{10,})\b/gi

/** Keys draws by the conversation, without what changes from run to run. */
export function conversationChance(
  chance: TextChance,
  { model, system = '', turns, seed }: TextRequest,
): TextChance {
  const withoutIds = turns.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => ({ ...part, id: undefined })),
  }))
  const text = JSON.stringify([model, system, withoutIds, seed]).replace(changing, '#')
  return { draws: chance.draws, n: chance.n, subject: hash128Hex(text) }
}
