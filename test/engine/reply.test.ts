import { expect, it } from 'vitest'
import { closedUnanswered, parserErrors, resetInBody } from '../../src/engine/connection-end.ts'
import { bytesOf, ConnectionBreak, mapTexts } from '../../src/engine/reply.ts'

it('ends a stream with an error where its connection breaks, unless the break says otherwise', () => {
  const broken = new ConnectionBreak(resetInBody)
  expect([broken.ended, broken.how, broken.message]).toEqual([
    'error',
    resetInBody,
    'The response breaks off here (reset).',
  ])
  expect(new ConnectionBreak(resetInBody, 'cut').ended).toBe('cut')
})

it('writes the end of a connection by its name, and knows what clients see of it', () => {
  expect(JSON.stringify([resetInBody, closedUnanswered])).toBe('["reset","close"]')
  expect([resetInBody.isReset, closedUnanswered.isReset]).toEqual([true, undefined])
  expect(closedUnanswered.requestError).toEqual({
    name: 'Error',
    message: 'socket hang up',
    fields: { code: 'ECONNRESET' },
  })
  expect(parserErrors('HPE_X', 'for fetch', 'for http')).toEqual({
    fetchCause: {
      name: 'HTTPParserError',
      message: 'Response does not match the HTTP/1.1 protocol (for fetch)',
      fields: { code: 'HPE_X' },
    },
    requestError: {
      name: 'Error',
      message: 'Parse Error: for http',
      fields: { code: 'HPE_X', reason: 'for http' },
    },
  })
  expect(parserErrors('HPE_X', 'one').requestError.message).toBe('Parse Error: one')
})

it('changes the texts of a stream, and nothing else of its pieces', () => {
  const pieces = [
    { text: 'a', afterMs: 5 },
    { text: 'b', afterMs: 7 },
  ] as unknown as Parameters<typeof mapTexts>[0]
  expect([...mapTexts(pieces, (text) => text.toUpperCase())]).toEqual([
    { text: 'A', afterMs: 5 },
    { text: 'B', afterMs: 7 },
  ])
  const bytes = Uint8Array.of(1)
  expect([bytesOf(bytes), [...bytesOf('é')]]).toEqual([bytes, [0xc3, 0xa9]])
})
