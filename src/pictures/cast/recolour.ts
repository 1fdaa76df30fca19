import {
  browsOfIcons,
  colouredHair,
  boatWater,
  hairColours,
  hairOfIcons,
  skinTones,
} from '../data/subject-tables.ts'
import { between, channels, darker, type Colour } from '../places/colour.ts'
import { clamp, mix } from '../places/numbers.ts'
import { gradeColour } from '../places/palettes.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'
import type { Icon } from '../data/subjects.ts'

type Hsl = readonly [hue: number, saturation: number, lightness: number]

function hslOf(colour: Colour): Hsl {
  const [red, green, blue] = channels(colour).map((value) => value / 255) as [number, number, number]
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const range = max - min
  const lightness = (max + min) / 2
  if (range === 0) return [0, 0, lightness]
  const saturation = range / (1 - Math.abs(2 * lightness - 1))
  if (max === red) return [(((green - blue) / range + 6) % 6) * 60, saturation, lightness]
  const sixth = max === green ? (blue - red) / range + 2 : (red - green) / range + 4
  return [sixth * 60, saturation, lightness]
}

function fromHsl([hue, saturation, lightness]: Hsl): Colour {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const digits = [0, 8, 4].map((offset) => {
    const k = (offset + hue / 30) % 12
    const value = Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
    return clamp(value, 0, 255).toString(16).padStart(2, '0')
  })
  return `#${digits.join('')}`
}

/**
 * Replaces colours near the main colour by the wanted one, and preserves differences in lightness. White stays white.
 */
function recolour(colour: Colour, { main, wanted }: { main: Colour; wanted: Colour }): Colour {
  const [hue, saturation, lightness] = hslOf(colour)
  const [mainHue, mainSaturation, mainLightness] = hslOf(main)
  const [wantedHue, wantedSaturation, wantedLightness] = hslOf(wanted)
  if (lightness > 0.88 && mainLightness < 0.85) return colour
  const apart = Math.abs(((hue - mainHue + 540) % 360) - 180)
  const isInk = lightness < 0.16 && mainLightness > 0.3
  const isMain =
    mainSaturation < 0.18
      ? saturation < 0.25 && Math.abs(lightness - mainLightness) < 0.3
      : saturation > 0.12 && apart < 34 && !isInk
  if (!isMain) return colour
  const contrast = wantedLightness > 0.85 || wantedLightness < 0.2 ? 0.6 : 0.9
  const moved = wantedLightness + (lightness - mainLightness) * contrast
  return fromHsl([wantedHue, wantedSaturation, clamp(moved, 0.06, 0.97)])
}

/** Colours for the shirts of figures that show mostly trousers. */
const shirts: readonly Colour[] = ['#00a6ed', '#8d65c5', '#ff822d']

/** Whether the main colour of a person is that of clothes, as opposed to skin, hair or grey trousers. */
function isClothes(main: Colour): boolean {
  return !skinTones[main] && !hairOfIcons.has(main) && hslOf(main)[1] > 0.3
}

/** The skin colour of a person, also for separately drawn hands and necks. */
export function skinOf(member: CastMember): Colour {
  return skinTones['#f59f00']![member.tone % 5]!
}

/** An icon in the colours of its member, in the light of the scene. */
export function paintIcon(view: View, member: CastMember, icon: Icon): string {
  const painted = new Map<string, Colour>()
  return icon.body.replace(/#(?:[0-9a-f]{6}|[0-9a-f]{3})\b/gi, (written) => {
    let colour = painted.get(written)
    if (!colour) {
      colour = paint(view, member, { icon, colour: longForm(written) })
      painted.set(written, colour)
    }
    return colour
  })
}

function longForm(written: string): Colour {
  const digits = written.slice(1).toLowerCase()
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`
}

function paint(view: View, member: CastMember, { icon, colour }: { icon: Icon; colour: Colour }): Colour {
  const { main, kind } = icon
  if (kind === 'boat' && boatWater.has(colour) && view.scene.family === 'sea')
    return view.scene.style === 'line' ? '#fffdf7' : between(view.palette.far, view.palette.near, 0.55)
  const isPerson = kind === 'person' || kind === 'body' || member.icon === 'handshake'
  const own = isPerson ? personColour(member, { colour, icon }) : undefined
  const wanted = member.colour
  const moved = own ?? (wanted && !isPerson ? recolour(colour, { main, wanted }) : colour)
  return inTheLight(view, moved, kind === 'sky')
}

function personColour(
  member: CastMember,
  { colour, icon }: { colour: Colour; icon: Icon },
): Colour | undefined {
  const hair = member.hair ?? hairColours[mix(member.seed, 5) % hairColours.length]!
  if (hairOfIcons.has(colour)) return hair
  if (colour === browsOfIcons) return darker(hair, 0.3)
  if (member.hair && colouredHair.has(colour)) return hair
  const tones = skinTones[colour]
  if (tones) return tones[member.tone % tones.length]
  if (!member.colour) return undefined
  const main = isClothes(icon.main) ? icon.main : shirts.find((shirt) => icon.body.includes(shirt))
  return recolour(colour, { main: main ?? icon.main, wanted: member.colour })
}

/** Tints a subject by the light of the scene: little by day, more at dusk, most at night. */
export function inTheLight(view: View, colour: Colour, isSky = false): Colour {
  const { grade } = view.scene
  const lit = isSky ? colour : lightUpon(view, colour)
  return grade ? gradeColour(lit, grade) : lit
}

function lightUpon({ palette, scene, isNight }: View, colour: Colour): Colour {
  if (scene.style === 'line') return between('#fffdf7', colour, 0.05)
  switch (scene.family) {
    case 'emblem':
    case 'abstract':
    case 'room':
    case 'wallpaper':
      return between(colour, palette.light, 0.04)
    case 'underwater':
      return between(colour, palette.near, 0.2)
    case 'space':
      return between(colour, palette.light, 0.05)
    default:
  }
  if (isNight) return between(between(colour, palette.ink, 0.3), palette.skyLow, 0.12)
  if (scene.time === 'dusk' || scene.time === 'dawn')
    return between(between(colour, palette.skyLow, 0.1), palette.near, 0.12)
  if (scene.weather === 'storm' || scene.weather === 'rain') return between(colour, palette.far, 0.2)
  if (scene.weather === 'fog') return between(colour, palette.skyLow, 0.18)
  return between(colour, palette.light, 0.05)
}
