import { ANIMALS } from '../subjects/animals.ts'
import { BUILDINGS } from '../subjects/buildings.ts'
import { CREATURES } from '../subjects/creatures.ts'
import { PEOPLE } from '../subjects/people.ts'
import { PLANTS } from '../subjects/plants.ts'
import type { Subject } from '../subjects/subject.ts'
import { THINGS } from '../subjects/things.ts'
import { VEHICLES } from '../subjects/vehicles.ts'

const CAST = { ...ANIMALS, ...CREATURES, ...PEOPLE, ...BUILDINGS, ...VEHICLES, ...PLANTS, ...THINGS }

/** The name of everything a picture can be about, as it stands in a prompt. */
export type SubjectName = keyof typeof CAST

/** All of them. */
export const SUBJECT_NAMES = Object.keys(CAST) as SubjectName[]

/** How it looks and where it belongs. */
export function subjectNamed(name: SubjectName): Subject {
  return CAST[name]
}

/** Whether a word, in lower case, is the name of a subject itself, not an alias of it. */
export function isSubjectName(word: string): word is SubjectName {
  return Object.hasOwn(CAST, word)
}
