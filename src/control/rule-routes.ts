import { ControlError } from './control.ts'
import { readText } from './input.ts'
import type { ControlRoute } from './route.ts'

const ruleExample = '{"id": "flaky", "match": {"op": "video.poll"}, "attempts": [429, "reset", "ok"]}'
const nextExample = '{"op": "video.poll", "fault": "reset"}'

/** Rules at run time: look, add, take away, and break just the next request. */
export const ruleRoutes = (prefix: string): readonly ControlRoute[] => [
  {
    methods: ['GET'],
    path: `${prefix}/rules`,
    does: 'all rules, the strongest first, with how often each was eligible and fired',
    call: (control) => control.rules(),
  },
  {
    methods: ['POST'],
    path: `${prefix}/rules`,
    does: `add a rule in front of the file's: ${ruleExample}`,
    call: (control, { body }) => control.addRule(body),
  },
  {
    methods: ['DELETE'],
    path: `${prefix}/rules/{id}`,
    does: 'take a rule away',
    call: (control, { params }) => control.removeRule(params['id']!),
  },
  {
    methods: ['POST'],
    path: `${prefix}/next`,
    does: `what becomes of the next request only: ${nextExample}`,
    call: (control, { body: { op, ...effect } }) => {
      if ('match' in effect) throw new ControlError(400, `Give "op", not "match". Send ${nextExample}.`)
      return control.nextRule({ match: { op: readText('op', op, nextExample) }, ...effect })
    },
  },
]
