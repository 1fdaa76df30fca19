import type { InjectionPlace, PlaceKind } from './places.ts'
import type { Schedule } from './schedules.ts'

/**
 * The faults that find most mistakes in real clients, the most useful first: a fault, or a family for its mildest one, and
 * the kinds of requests at which it shows most. Mistakes that cost money or never end come first.
 */
const probes: readonly (readonly [faultOrFamily: string, kinds: readonly PlaceKind[]])[] = [
  ['no answer', ['submit']],
  ['silence', ['poll', 'stream', 'text', 'download', 'submit']],
  ['crash after', ['submit', 'poll']],
  ['503', ['poll', 'stream', 'text', 'submit']],
  ['429 seconds', ['submit', 'stream', 'text', 'poll']],
  ['bytes', ['download', 'text', 'poll']],
  ['429 date', ['submit', 'stream', 'text', 'poll']],
  ['cut stream', ['stream']],
  ['no media', ['download']],
  ['fails', ['submit']],
  ['max tokens', ['stream', 'text']],
  ['network', ['poll', 'stream', 'text', 'download']],
  ['401', ['poll', 'stream', 'text', 'submit']],
  ['stuck', ['submit']],
  ['answer lost', ['submit']],
  ['login page', ['poll', 'text', 'download']],
  ['tool loop', ['stream', 'text']],
]

const indexOf = (sought: string): number => probes.findIndex(([name]) => name === sought)

/** The place of a schedule among the probes; undefined for pairs, for variants of the gateway, and for other faults. */
function probeOf({
  parts: [part, other],
}: Schedule): { probe: number; rank: number; place: InjectionPlace } | undefined {
  if (!part || other) return undefined
  const { id, family, rank } = part.injection
  const probe = indexOf(id) < 0 ? indexOf(family) : indexOf(id)
  return probe < 0 ? undefined : { probe, rank, place: part.place }
}

/**
 * The order in which to spend a budget: the most useful faults where they show most; the same faults elsewhere; the rest. Nothing of
 * it depends on time or chance.
 */
export function orderForBudget(schedules: readonly Schedule[]): Schedule[] {
  const probing = schedules.flatMap((schedule) => {
    const found = probeOf(schedule)
    return found ? [{ schedule, ...found }] : []
  })
  probing.sort((one, other) => one.probe - other.probe || one.rank - other.rank)
  const firsts = probes.flatMap(([, kinds], probe) => {
    const same = probing.filter((each) => each.probe === probe)
    const best = kinds.flatMap((kind) => same.filter(({ place }) => place.kind === kind))
    return (best[0] ?? same[0])?.schedule ?? []
  })
  const others = probing.toSorted((one, other) => one.probe - other.probe).map(({ schedule }) => schedule)
  return [...new Set([...firsts, ...others, ...schedules])]
}
