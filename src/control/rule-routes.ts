import { ControlError } from './control.ts'
import { readText } from './input.ts'
import type { ControlRoute } from './route.ts'

const ruleExample = '{"id": "flaky", "match": {"op": "video.poll"}, "attempts": [429, "reset", "ok"]}'
const nextExample = '{"op": "video.poll", "fault": "reset"}'

/** Lists, adds and removes rules at run time. */
export const ruleRoutes = (prefix: string): readonly ControlRoute[] => [
  {
    methods: ['GET'],
    path: `${prefix}/rules`,
    does: 'the rules, highest precedence first, and how often each was eligible and fired',
    call: (control, { named }) => control.rules(named),
  },
  {
    methods: ['POST'],
    path: `${prefix}/rules`,
    does: `add a rule with precedence over the file, for all namespaces or the given one: ${ruleExample}`,
    call: (control, { named, body }) => control.addRule(body, named),
  },
  {
    methods: ['DELETE'],
    path: `${prefix}/rules/{id}`,
    does: 'remove a rule',
    call: (control, { named, params }) => control.removeRule(params['id']!, named),
  },
  {
    methods: ['POST'],
    path: `${prefix}/next`,
    does: `change the next request only: ${nextExample}`,
    call: (control, { named, body: { op, ...effect } }) => {
      if ('match' in effect) throw new ControlError(400, `Give "op", not "match". Send ${nextExample}.`)
      return control.nextRule({ match: { op: readText('op', op, nextExample) }, ...effect }, named)
    },
  },
]
