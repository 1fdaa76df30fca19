import {
  aCount,
  aFlag,
  aList,
  aMapping,
  aText,
  checkedLater,
  listOf,
  mappingOf,
  oneOf,
  type KindsOf,
} from '../../engine/kinds.ts'
import type { Throttle } from '../throttles/throttle.ts'
import type { Rule } from './rule.ts'

/** What may stand behind the words of a rule; what is inside of them is checked by who reads it. */
export const ruleKinds: KindsOf<Rule> = {
  id: aText,
  optional: aFlag,
  match: checkedLater,
  on: (value, name) => (Array.isArray(value) ? listOf(aCount) : aCount)(value, name),
  every: aCount,
  times: aCount,
  chance: checkedLater,
  per: oneOf('namespace', 'key', 'task'),
  when: aMapping,
  continue: aFlag,
  set: aMapping,
  attempts: aList,
  respond: aMapping,
  task: aMapping,
  delay: checkedLater,
  stream: aMapping,
  media: aMapping,
  fault: checkedLater,
}

/** Likewise, of a limit. */
export const throttleKinds: KindsOf<Throttle> = {
  id: aText,
  optional: aFlag,
  match: checkedLater,
  per: oneOf('key', 'namespace'),
  bucket: mappingOf<NonNullable<Throttle['bucket']>>(
    { capacity: aCount, refill: aText },
    'capacity',
    'refill',
  ),
  concurrent: aCount,
  workers: aCount,
  outage: aText,
  respond: aMapping,
}
