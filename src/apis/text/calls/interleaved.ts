import type { TextDelta } from '../delta.ts'
import { defineCallDialect } from './dialect.ts'

type CallDelta = TextDelta & { readonly kind: 'call' }

export const interleaved = defineCallDialect({
  name: 'interleaved',
  title: 'interleaved calls',
  description: 'the pieces of several calls come in turns',
  advice: 'Add each piece of arguments to the call with its index, not to the last call.',
  arrange: (deltas) => {
    const isCall = (delta: TextDelta): delta is CallDelta => delta.kind === 'call'
    const calls = deltas.filter(isCall)
    const inTurns = takeTurns(calls).map((delta, index) => {
      const { atMs, last } = calls[index]!
      return { ...delta, atMs, last }
    })
    let next = 0
    return deltas.map((delta) => (isCall(delta) ? inTurns[next++]! : delta))
  },
})

/** The first pieces of all calls, then the second ones, and so on. */
function takeTurns(deltas: readonly CallDelta[]): CallDelta[] {
  const counts = new Map<string, number>()
  return deltas
    .map((delta) => {
      const call = `${delta.candidate}/${delta.place}`
      const turn = counts.get(call) ?? 0
      counts.set(call, turn + 1)
      return { delta, turn }
    })
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ delta }) => delta)
}
