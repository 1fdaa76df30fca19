import { findIcon, type SubjectKind } from '../data/subjects.ts'
import type { View } from '../places/view.ts'
import type { CastMember } from '../words/description.ts'

/** The height of an icon's box in thousandths of the short side. */
export const sizeOfKind: Readonly<Record<SubjectKind, number>> = {
  person: 330,
  animal: 270,
  bird: 170,
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

const exceptions: readonly (readonly [icon: RegExp, size: number])[] = [
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

/** How high the box of a member is among others. */
export function baseSizeOf({ icon = '', letters, ...member }: CastMember): number {
  if (letters) return 320 * member.scale
  const exception = exceptions.find(([icons]) => icons.test(icon))?.[1]
  return (exception ?? sizeOfKind[findIcon(icon)?.kind ?? 'thing']) * member.scale
}

/** How high the box of a member is in a landscape, in units of the world. Few members are drawn larger than many. */
export function sizeOf(view: View, member: CastMember): number {
  const unit = Math.min(view.width, view.height) / 1000
  const base = baseSizeOf(member) / member.scale
  const figures = (view.scene.cast?.length ?? 1) + member.count - 1
  const boost = figures === 1 ? Math.max(1.18, 330 / base) : figures === 2 ? Math.max(1.06, 260 / base) : 1
  return unit * base * boost * (view.scene.family === 'room' ? 1.25 : 1) * member.scale
}
