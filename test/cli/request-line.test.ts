import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  formatRequest,
  formatTime,
  formatWarning,
  maskSecrets,
  toLogFields,
} from '../../src/cli/serve/log/request-line.ts'
import type { LoggedEntry } from '../../src/cli/serve/log/request-line.ts'
import { codePoint } from '../support/arbitraries.ts'

const noon = Date.UTC(2030, 0, 1, 12)
const task = 'task_5B2QOOwDwhkvvMlPyfWWHFHnFj5CAh1o'
const pipe = { hasColours: false, columns: undefined }

function entry(fields: Partial<LoggedEntry> = {}): LoggedEntry {
  return {
    number: 7,
    at: noon,
    wallAt: noon,
    transport: 'socket',
    operation: 'video.poll',
    role: 'poll',
    kind: 'video',
    method: 'GET',
    path: `/v1/video/generations/${task}`,
    namespace: 'default',
    key: 'sk-te…st',
    keyHash: 'abc',
    requestId: 'request-7',
    task,
    status: 200,
    rules: [],
    delayMs: 0,
    quota: 0,
    reportedStatus: 'IN_PROGRESS',
    model: null,
    prompt: null,
    hint: null,
    outcome: 'completed',
    bytes: 527,
    identity: '',
    authorized: true,
    parent: null,
    final: false,
    retryAfterMs: null,
    assumed: false,
    timing: 'wall',
    fault: null,
    approximated: false,
    content: 'complete',
    stream: null,
    firstByteAt: noon,
    settledAt: noon + 12,
    settledBefore: 8,
    ...fields,
  }
}

it('writes a poll as one line: time, method, path, status, duration and state', () => {
  expect(formatRequest(entry(), pipe)).toBe(
    `12:00:00.000 GET  /v1/video/generations/${task}   200   12ms  IN_PROGRESS`,
  )
})

it('says how a stream, a download and a webhook went', () => {
  const path = '/v1/chat/completions'
  const chat = {
    path,
    method: 'POST',
    operation: 'chat.complete',
    task: null,
    reportedStatus: null,
    model: 'sim-1',
  } as const
  const streamed = formatRequest(entry({ ...chat, stream: { chunks: 42, ended: 'finished' } }), pipe)
  expect(streamed).toMatch(/ {2}sim-1 {2}streamed 42 chunks$/)
  const cut = formatRequest(entry({ ...chat, stream: { chunks: 1, ended: 'cut' }, outcome: 'failed' }), pipe)
  expect(cut).toMatch(/ {2}streamed 1 chunk {2}then broke off$/)
  const download = {
    operation: 'video.content',
    role: 'download',
    reportedStatus: null,
    bytes: 1_234_567,
  } as const
  expect(formatRequest(entry(download), pipe)).toMatch(/ {2}1\.2 MB$/)
  expect(formatRequest(entry({ role: 'report' }), pipe)).toContain('callback')
})

it('names the rule and the fault, and gives the hint', () => {
  const late = {
    rules: ['flaky'],
    fault: 'reset',
    status: 0,
    outcome: 'failed',
    reportedStatus: null,
  } as const
  expect(formatRequest(entry(late), pipe)).toMatch(/ --- {3}12ms {2}◆ flaky: reset$/)
  const refused = { status: 400, hint: 'prompt is required', reportedStatus: null } as const
  expect(formatRequest(entry(refused), pipe)).toMatch(/ 400 {3}12ms {2}prompt is required$/)
  expect(formatRequest(entry({ hint: 'seconds is cut to 60' }), pipe)).toContain('hint: seconds is cut to 60')
})

it('colours what a rule did in violet, a mistake of the client in amber, a failure in red', () => {
  const terminal = { hasColours: true, columns: 100 }
  expect(formatRequest(entry({ status: 429, rules: ['busy'] }), terminal)).toContain('\u001b[35m429')
  expect(formatRequest(entry({ status: 401 }), terminal)).toContain('\u001b[33m401')
  expect(formatRequest(entry({ status: 500 }), terminal)).toContain('\u001b[31m500')
  expect(formatRequest(entry({ reportedStatus: 'FAILURE' }), terminal)).toContain('\u001b[31mFAILURE')
})

it('adds ids and headers to a verbose line, without secrets', () => {
  const prompt = 'a kite for sk-verysecretkey'
  const line = formatRequest(entry({ prompt }), pipe, { 'user-agent': 'curl/8', range: 'key=abcdefghijkl' })
  expect(line).toContain('#7  video.poll')
  expect(line).toContain('user-agent: curl/8')
  expect(line).not.toMatch(/verysecret|bcdefghij/)
})

it('masks keys of this and other services, tokens and parameters', () => {
  const text =
    'sk-abcdefghijkl AIzaSyA1234567890123456789 Bearer abcdefghijk ?key=0123456789ab&a=1 sk-sim-shop'
  expect(maskSecrets(text)).toBe('sk-ab…kl AIzaS…89 Bearer abc… ?key=01234…ab&a=1 sk-sim-shop')
})

it('fits every width: no line is longer, unless one word is', () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/)
  const sentence = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.integer({ min: 50, max: 220 }), sentence, sentence, (columns, hint, message) => {
      const options = { hasColours: false, columns }
      const more = { 'user-agent': 'OpenAI/JS 6.49.0' }
      const lines = [
        formatRequest(entry({ hint, rules: ['a'], status: 503 }), options, more),
        formatWarning(message, options),
      ]
      expect(
        lines
          .join('\n')
          .split('\n')
          .filter((line) => line.length > columns),
      ).toEqual([])
    }),
  )
})

it('has no control characters but line breaks and colours, whatever a client sends', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (path, hint) => {
      const line = formatRequest(entry({ path, hint, model: path, task: null }), pipe, { range: hint })
      // eslint-disable-next-line no-control-regex
      expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }),
  )
})

it('gives numbers, durations and states to a JSON log', () => {
  expect(toLogFields(entry({ stream: { chunks: 3, ended: 'finished' } }))).toMatchObject({
    number: 7,
    at: '2030-01-01T12:00:00.000Z',
    durationMs: 12,
    state: 'IN_PROGRESS',
    stream: { chunks: 3, ended: 'finished' },
  })
})

it.each([
  [0, '0ms'],
  [999, '999ms'],
  [999.6, '1.0s'],
  [61_234, '61.2s'],
  [185_000, '3m05s'],
  [7_500_000, '2h05m'],
])('writes %d ms as %s', (durationMs, text) => {
  expect(formatTime(durationMs)).toBe(text)
})
