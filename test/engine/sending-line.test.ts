import { expect, it } from 'vitest'
import { innermostLine, nameSendingLine } from '../../src/engine/sending-line.ts'

const submit = 'client.js:12 from client.js:40 from client.js:80'
const poll = 'client.js:12 from client.js:57 from client.js:80'

it('names the caller of a function that sends several requests', () => {
  expect(nameSendingLine(poll, [submit, poll, poll])).toBe('client.js:12 from client.js:57')
})

it('passes over a function that repeats requests for all callers', () => {
  const [retriedSubmit, retriedPoll] = [submit, poll].map((each) =>
    each.replace('from', 'from retry.js:7 from'),
  )
  expect(nameSendingLine(retriedPoll!, [retriedSubmit!, retriedPoll!])).toBe('client.js:12 from client.js:57')
})

it('names no caller of a line that sends one kind of request', () => {
  expect(nameSendingLine(poll, [poll, 'client.js:31 from client.js:80'])).toBe('client.js:12')
})

it('names no caller that is unknown', () => {
  expect(nameSendingLine('client.py:4', ['client.py:4', 'client.py:4 from client.py:9'])).toBe('client.py:4')
})

it('names the innermost line alone', () => {
  expect(innermostLine(poll)).toBe('client.js:12')
})
