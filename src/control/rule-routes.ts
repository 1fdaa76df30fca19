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
    does: 'the rules, the strongest first, with how often each was eligible and fired; of one namespace where one is named',
    call: (control, { named }) => control.rules(named),
  },
  {
    methods: ['POST'],
    path: `${prefix}/rules`,
    does: `add a rule in front of the file's, for one namespace where one is named: ${ruleExample}`,
    call: (control, { named, body }) => control.addRule(body, named),
  },
  {
    methods: ['DELETE'],
    path: `${prefix}/rules/{id}`,
    does: 'take a rule away',
    call: (control, { named, params }) => control.removeRule(params['id']!, named),
  },
  {
    methods: ['POST'],
    path: `${prefix}/next`,
    does: `what becomes of the next request only: ${nextExample}`,
    call: (control, { named, body: { op, ...effect } }) => {
      if ('match' in effect) throw new ControlError(400, `Give "op", not "match". Send ${nextExample}.`)
      return control.nextRule({ match: { op: readText('op', op, nextExample) }, ...effect }, named)
    },
  },
]
