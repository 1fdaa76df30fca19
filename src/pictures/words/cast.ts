import type { CastMember, OwnDrawing } from './description.ts'
import { findIcon } from '../data/subjects.ts'
import type { Family } from '../composition/kinds.ts'
import { isCloseUp } from '../places/family-choice.ts'
import { mix } from '../places/numbers.ts'
import { COLOUR_WORDS } from './lexicon.ts'
import type { Mention } from './mentions.ts'
import type { Reading } from './reading.ts'

const maxMembers = 3
const skinTones = 5
const greyHair = '#dcdbe2'

/** Heads of animals, for portraits. The icons of the same name are whole bodies. */
const faces: Readonly<Record<string, string>> = Object.fromEntries(
  ['cat', 'dog', 'cow', 'tiger', 'horse', 'rabbit', 'mouse', 'pig', 'monkey'].map((animal) => [
    animal,
    `${animal}-face`,
  ]),
)

/** The subjects of a picture: at most three of the prompt, else its unknown noun in letters. */
export function castOf(
  reading: Reading,
  { prompt, family, hash }: { prompt: string; family: Family; hash: number },
): CastMember[] {
  const members = reading.mentions.map((mention, index) => memberOf(mention, mix(hash, 70 + index)))
  const { letters, unknownNoun } = reading
  if (letters)
    return [
      lettersOf(letters, hash, { isNeon: /neon/i.test(prompt), scale: 1.25 }),
      ...members.slice(0, maxMembers - 1),
    ]
  const cast = members.slice(0, maxMembers)
  if (cast.length === 0) {
    const hasOtherContent = family !== 'emblem' && !(unknownNoun?.isFirst && family !== 'abstract')
    return unknownNoun && !hasOtherContent ? [lettersOf(unknownNoun.text, hash)] : []
  }
  return cast.map((member) => inPose(member, { prompt, family, isAlone: cast.length === 1 }))
}

function memberOf(mention: Mention, seed: number): CastMember {
  const { icon, own, colour, hair, count, scale, at, on, isMoving, isOld } = mention
  const isOldPerson = (isOld || icon?.startsWith('old')) && mention.kind === 'person'
  return {
    ...(icon && { icon: isOldPerson && /^(?:wo)?man$/.test(icon) ? `old-${icon}` : icon }),
    ...(own && { own: own as OwnDrawing }),
    count,
    ...(colour && { colour: COLOUR_WORDS[colour] }),
    ...((hair ?? isOldPerson) && { hair: hair ?? greyHair }),
    tone: mix(seed, 60) % skinTones,
    scale,
    seed,
    ...(at && { at }),
    ...(on && { on }),
    ...(isMoving && { isMoving: true as const }),
  }
}

function lettersOf(letters: string, seed: number, { isNeon = false, scale = 1 } = {}): CastMember {
  return { letters, ...(isNeon && { isNeon: true as const }), count: 1, tone: 0, scale, seed }
}

/** Faces are large on emblems, whole bodies stand in landscapes. */
function inPose(
  member: CastMember,
  { prompt, family, isAlone }: { prompt: string; family: Family; isAlone: boolean },
): CastMember {
  const { icon, count, colour, seed } = member
  const scale = isAlone ? Math.max(0.8, member.scale) : member.scale
  if (!icon) return { ...member, scale }
  if (family === 'emblem') {
    const isPortrait = isAlone && count === 1 && /portrait|close|head|logo|icon/i.test(prompt) && !colour
    const face = isPortrait && Object.hasOwn(faces, icon) ? faces[icon] : undefined
    return { ...member, icon: face && findIcon(face) ? face : icon, scale }
  }
  if (family !== 'abstract' && /^(?:man|woman|person)$/.test(icon) && !isCloseUp(prompt)) {
    const pose = member.isMoving ? 'running' : mix(seed, 3) & 1 ? 'standing' : 'walking'
    return { ...member, icon: findIcon(`${icon}-${pose}`) ? `${icon}-${pose}` : icon, scale }
  }
  return { ...member, scale }
}
