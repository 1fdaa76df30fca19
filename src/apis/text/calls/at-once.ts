import type { TextDelta } from '../delta.ts'
import { defineCallDialect } from './dialect.ts'

export const atOnce = defineCallDialect({
  name: 'at-once',
  title: 'calls at once',
  description: 'each call comes in one piece, with all of its arguments',
  advice: 'The first piece of a call may have arguments: add them, too.',
  isWhole: true,
  arrange: (deltas) => {
    const texts = new Map<string, string>()
    return deltas.flatMap((delta): TextDelta[] => {
      if (delta.kind !== 'call') return [delta]
      const call = `${delta.candidate}/${delta.place}`
      const text = (texts.get(call) ?? '') + delta.text
      texts.set(call, text)
      return delta.isLastOfCall ? [{ ...delta, text, isFirstOfCall: true }] : []
    })
  },
})
