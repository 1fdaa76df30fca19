import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nativeAnswer } from '../../src/apis/native-text/answer.ts'
import { writtenAnswer, writtenImprint } from '../../src/apis/native-text/written.ts'
import type { TextAnswer } from '../../src/text/spec.ts'

const plain = fc.record({
  text: fc.string({ unit: 'binary' }),
  calls: fc.constant([]),
  finish: fc.constantFrom('stop' as const, 'length' as const),
  thoughtTokens: fc.constant(0),
  answerTokens: fc.nat(999),
})

const any = fc.record(
  {
    text: fc.string({ unit: 'binary' }),
    thoughts: fc.constantFrom('', 'Let me see.'),
    calls: fc.constantFrom([], [{ name: 'f', args: { a: 1 }, id: '0123456789abcdef' }]),
    finish: fc.constantFrom('stop' as const, 'length' as const, 'safety' as const, 'tool_calls' as const),
    finishAs: fc.constantFrom('SAFETY', 'odd'),
    thoughtTokens: fc.nat(9),
    answerTokens: fc.nat(999),
    logprobs: fc.constant([{ token: 'a', logprob: -0.5, top: [] }]),
  },
  { requiredKeys: ['text', 'calls', 'finish', 'thoughtTokens', 'answerTokens'] },
)

const answer: fc.Arbitrary<TextAnswer> = fc
  .record({
    blocked: fc.constantFrom(undefined, undefined, 'safety' as const),
    candidates: fc.oneof(fc.tuple(fc.oneof(plain, any)), fc.array(any, { maxLength: 3 })),
    counts: fc.tuple(fc.nat(99), fc.constantFrom(0, 0, 258), fc.nat(99), fc.constantFrom(0, 0, 7)),
  })
  .map(({ blocked, candidates, counts: [text, image, said, thoughts] }) => {
    const prompt = { text, media: image === 0 ? {} : { image }, total: text + image }
    const usage = { prompt, answer: said, thoughts, total: prompt.total + said + thoughts }
    return blocked === undefined ? { candidates, usage } : { blocked, candidates: [], usage }
  })

it('writes every answer as JSON with two spaces of indent, imprint and all', () => {
  fc.assert(
    fc.property(answer, fc.string(), (given, modelVersion) => {
      const imprint = { modelVersion, responseId: 'abc-_123' }
      const whole = { ...nativeAnswer(given), ...imprint }
      expect(writtenAnswer(given) + writtenImprint(imprint)).toBe(`${JSON.stringify(whole, null, 2)}\n`)
    }),
    { numRuns: 500 },
  )
})
