import { may } from '../../schema/fields.ts'
import { name } from '../expect-values.ts'
import { defineRequestCondition } from './condition.ts'

export const rule = defineRequestCondition({
  name: 'rule',
  place: 3,
  schema: may(name, 'The rule or throttle that fired.', 'flaky-polls'),
  isMet: (wanted, { rules }) => rules.includes(wanted),
  expected: (wanted) => `by rule ${wanted}`,
})
