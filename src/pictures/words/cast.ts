import type { Family, CastMember } from './description.ts'
import { emblemsOfPlaces } from '../data/mention-words.ts'
import { isCloseUp } from '../places/family-choice.ts'
import { mix } from '../places/numbers.ts'
import { COLOUR_WORDS } from '../data/meanings.ts'
import type { Mention } from './joined-subjects.ts'
import type { Reading } from './reading.ts'

const maxMembers = 3
/** Skin tones for people whose tone the prompt doesn't name. */
const tones = [0, 1, 0, 2, 1, 3, 0, 2, 1, 4]
const greyHair = '#dcdbe2'

/** Animals whose head has an icon of its own, for portraits and hats. Their other icons are whole bodies. */
const animalsWithFace = /^(?:cat|dog|cow|tiger|horse|rabbit|mouse|pig|monkey|dragon)$/

/** People with whole figures in the icon set. Children are drawn smaller. */
const wholeFigures: Readonly<Record<string, readonly [figure: string, scale: number]>> = {
  man: ['man', 1],
  woman: ['woman', 1],
  person: ['person', 1],
  boy: ['man', 0.75],
  girl: ['woman', 0.75],
  child: ['person', 0.75],
}

/** The subjects of a picture: at most three from the prompt. Without any, its unknown noun in letters. */
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
    const emblem = family === 'emblem' && reading.words.find((word) => Object.hasOwn(emblemsOfPlaces, word))
    if (emblem) return [{ icon: emblemsOfPlaces[emblem]!, count: 1, tone: 0, scale: 1, seed: hash }]
    const hasOtherContent = family !== 'emblem' && !(unknownNoun?.isFirst && family !== 'abstract')
    return unknownNoun && !hasOtherContent ? [lettersOf(unknownNoun.text, hash)] : []
  }
  return cast.map((member) => inPose(member, { prompt, family, cast }))
}

function memberOf(mention: Mention, seed: number): CastMember {
  const { icon, kind, colour, hair, tone, count, scale, at, on, isMoving, isOld } = mention
  const isOldPerson = (isOld || icon.startsWith('old')) && kind === 'person'
  return {
    icon: isOldPerson && /^(?:wo)?man$/.test(icon) ? `old-${icon}` : icon,
    count,
    ...(colour && { colour: COLOUR_WORDS[colour] }),
    ...((hair ?? isOldPerson) && { hair: hair ?? greyHair }),
    tone: tone ?? tones[mix(seed, 60) % tones.length]!,
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

/** Chooses the pose: large faces on emblems and with hats, whole bodies in landscapes. */
function inPose(
  member: CastMember,
  { prompt, family, cast }: { prompt: string; family: Family; cast: readonly CastMember[] },
): CastMember {
  const { icon = '', count, colour, seed, on } = member
  const isAlone = cast.length === 1
  const posed = { ...member, scale: isAlone ? Math.max(0.8, member.scale) : member.scale }
  const carrier = on && withFace(on)
  if (member.at === 'worn' && carrier && icon !== 'wings') return { ...posed, on: carrier }
  const wears = cast.some((each) => each.at === 'worn' && each.on === icon && each.icon !== 'wings')
  const isPortrait = isAlone && count === 1 && /portrait|close|head|logo|icon/i.test(prompt) && !colour
  if (wears || (family === 'emblem' && isPortrait)) return { ...posed, icon: withFace(icon) }
  const isOutside = family !== 'abstract' && family !== 'emblem' && !isCloseUp(prompt)
  const isOnFoot = isOutside && count <= 6 && Object.hasOwn(wholeFigures, icon)
  if (!isOnFoot) return posed
  const isRunning = member.isMoving && /\b(?:run|rac|jog|sprint|chas|corr|cour|renn)/i.test(prompt)
  const pose = isRunning ? 'running' : member.isMoving || mix(seed, 3) & 1 ? 'walking' : 'standing'
  const [figure, scale] = wholeFigures[icon]!
  return { ...posed, icon: `${figure}-${pose}`, scale: posed.scale * scale }
}

function withFace(icon: string): string {
  return animalsWithFace.test(icon) ? `${icon}-face` : icon
}
