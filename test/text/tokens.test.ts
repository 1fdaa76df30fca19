import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  charactersOf,
  countImageTokens,
  countPromptTokens,
  countTokens,
  firstTokens,
  tokenize,
  splitWords,
} from '../../src/text/tokens.ts'
import { ask } from './ask.ts'
import { spentMs } from '../support/processor-time.ts'
import { codePoint } from '../support/arbitraries.ts'

it.each([
  ['What is the capital of France?', ['What', ' is', ' the', ' capital', ' of', ' France', '?']],
  ['in 2026: 12345', ['in', ' 202', '6', ':', ' 123', '45']],
  ['internationalisation', ['internatio', 'nalisation']],
  ['two  spaces\r\n\nlines', ['two', ' ', ' spaces', '\r\n\n', 'lines']],
  ['你好 world', ['你', '好', ' world']],
  ['👨‍👩‍👧🇳🇴', ['👨‍👩‍👧', '🇳🇴']],
  ['{"a":1}', ['{"', 'a', '":', '1', '}']],
  ['', []],
])('%j is %j', (text, tokens) => {
  expect(tokenize(text)).toEqual(tokens)
})

const nasty = fc.constantFrom(
  'a', 'Word', ' ', '  ', '\r\n', '\n', '7', '!', '日', '本', 'é', 'e\u0301', '👍🏽', '👨‍👩‍👧', '🇳🇴', '🏳️‍🌈', '1️⃣', 'नमस्ते', 'क्षि', '각',
  '\u1112\u1161\u11ab', 'ไทย', 'й', '\u0308', '\u200d', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'ᄀ', '가', '—', '…', '©️', 'ß', 'العربية',
) // prettier-ignore

it('never begins a token in the middle of a character', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  fc.assert(
    fc.property(fc.array(nasty, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const starts = new Set([...segmenter.segment(text)].map(({ index }) => index))
      let at = 0
      for (const token of tokenize(text)) {
        if (!starts.has(at)) expect.fail(`${JSON.stringify(text)} at ${at}`)
        at += token.length
      }
    }),
    { numRuns: 500 },
  )
})

it('joins to exactly the text, whole characters, and counts what it cuts', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 60 }), (text) => {
      const tokens = tokenize(text)
      expect(tokens.join('')).toBe(text)
      expect(countTokens(text)).toBe(tokens.length)
      expect(tokens.some((token) => /^[\udc00-\udfff]|[\ud800-\udbff]$/.test(token))).toBe(false)
    }),
    { numRuns: 500 },
  )
})

it('counts texts of ASCII as it cuts them', () => {
  const part = fc.constantFrom(
    'a',
    'Word',
    'y'.repeat(25),
    ' ',
    '  ',
    '\r\n',
    '\r',
    '\t',
    ' '.repeat(20),
    '7',
    '1234',
    '!',
    '.,;:[]',
    '\0',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.nat(12), (parts, most) => {
      const text = parts.join('')
      const first = tokenize(text).slice(0, most)
      expect(countTokens(text)).toBe(tokenize(text).length)
      expect(firstTokens(text, most)).toEqual({ count: first.length, end: first.join('').length })
    }),
    { numRuns: 500 },
  )
})

it.each(['word and 12 more, ', '日本語のテキスト', 'кириллица ', '👨‍👩‍👧', 'a\u0301', ' ', '{"a":1},', '\ud800'])(
  'counts a megabyte of %j quickly',
  (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / new TextEncoder().encode(unit).length))
    countTokens(text.slice(0, 50_000))
    // It takes 10 to 40 ms on an idle machine.
    expect(spentMs(() => countTokens(text))).toBeLessThan(400)
  },
)

it.each([
  [undefined, undefined, 258],
  [384, 384, 258],
  [768, 768, 258],
  [1024, 768, 516],
  [1920, 1080, 1548],
])('counts a picture of %s x %s as %s tokens', (width, height, tokens) => {
  expect(countImageTokens(width, height)).toBe(tokens)
})

it('counts system text, turns, pictures and tools of a request', () => {
  const request = ask('Hello there', {
    system: 'Be kind.',
    tools: [{ name: 'find', description: 'Find it' }],
  })
  const withPicture = {
    ...request,
    turns: [
      {
        role: 'user' as const,
        parts: [...request.turns[0]!.parts, { type: 'image' as const, mimeType: 'image/png' }],
      },
    ],
  }
  expect(countPromptTokens(request)).toEqual({ text: 8, media: {}, total: 8 })
  expect(countPromptTokens(withPicture)).toEqual({
    text: 8,
    media: { image: 258 },
    total: 266,
  })
})

it('tells what else than text there is by what it is', () => {
  const request = ask('Hello there')
  const mimeTypes = ['audio/wav', 'video/mp4', 'application/pdf', 'Audio/MPEG', 'image/png', 'text/plain']
  const parts = mimeTypes.map((mimeType) => ({ type: 'other' as const, mimeType }))
  expect(countPromptTokens({ ...request, turns: [{ role: 'user', parts }] })).toEqual({
    text: 0,
    media: { audio: 516, video: 258, document: 516, image: 258 },
    total: 6 * 258,
  })
})

it('cuts words and characters that join to the text again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(splitWords(text).join('')).toBe(text)
      expect(charactersOf(text).join('')).toBe(text)
      expect(splitWords(text).length).toBeLessThanOrEqual(Math.max(1, charactersOf(text).length))
    }),
  )
  expect(splitWords(' a paper  boat \n')).toEqual([' a', ' paper', '  boat \n'])
  expect(charactersOf('e\u0301 👩‍🚀')).toEqual(['e\u0301', ' ', '👩‍🚀'])
})
