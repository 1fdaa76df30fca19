import { hitFirst } from '../../runs/run-context.ts'
import type { Habit } from '../habit.ts'

const finalStatuses = [400, 401, 403, 404]

export const repeatsFinalRefusals: Habit = {
  name: 'repeats-final-refusals',
  severity: 'misbehaved',
  rank: 11,
  isOverall: true,
  detects: (context) => {
    const { run, injections } = context
    if (run.ended === 'endless' || !injections.some(({ isFinal }) => isFinal)) return undefined
    const refused = hitFirst(context).filter(({ status }) => finalStatuses.includes(status))
    const times = new Map<string, number>()
    for (const { operation, identity } of refused) {
      const key = `${operation} ${identity}`
      times.set(key, (times.get(key) ?? 0) + 1)
    }
    const most = Math.max(0, ...times.values())
    return most < 3 ? undefined : `${most} requests, each refused with ${refused[0]!.status}`
  },
  says: () => 'The client repeats what the gateway refused for good.',
  advice:
    'Report 400, 401, 403 and 404 at once: they stay the same. Only an expired link of a result is worth another poll.',
  expects: ({ op, part, allow }) => {
    const status = part!.injection.effect(part!.place).respond!.status!
    return { requests: [{ op: op!, status, count: { max: 2 } }], command: 'fails', allow }
  },
}
