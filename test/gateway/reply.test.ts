import { expect, it } from 'vitest'
import {
  hasContent,
  headerList,
  listWithout,
  mediaReply,
  overrideHeaders,
  type MediaBody,
} from '../../src/gateway/replies/reply.ts'
import {
  headerOf,
  isSafeMethod,
  mediaType,
  readTarget,
  type GatewayRequest,
} from '../../src/gateway/request.ts'

it.each([
  [200, true],
  [204, false],
  [205, false],
  [206, true],
  [304, false],
  [307, true],
])('lets a response with the status %i have a body: %s', (status, has) => {
  expect(hasContent(status)).toBe(has)
})

it('replaces headers in any case, in a list too', () => {
  const headers = { 'X-One': '1', 'x-two': '2', 'X-Three': 'X-One' }
  const instead = { 'x-one': 'a', 'X-TWO': 'b' }
  expect(overrideHeaders(headers, instead)).toEqual({ 'X-Three': 'X-One', ...instead })
  expect(headerList(headers)).toEqual(['X-One', '1', 'x-two', '2', 'X-Three', 'X-One'])
  expect(listWithout(headerList(headers), instead)).toEqual(['X-Three', 'X-One'])
})

it('passes the conditions of a request on with its media', () => {
  const request = {
    method: 'GET',
    headers: { range: 'bytes=0-1', 'if-range': '"a"', 'if-none-match': ['"b"', '"c"'] },
  } as unknown as GatewayRequest
  const media = {} as MediaBody['media']
  const failed = (() => undefined) as unknown as MediaBody['failed']
  const conditions = {
    method: 'GET',
    range: 'bytes=0-1',
    ifRange: '"a"',
    ifNoneMatch: '"b", "c"',
    headers: { 'X-Own': 'a' },
  }
  const how = { headers: { 'X-Own': 'a' }, failed }
  const body = { media, conditions, failed }
  expect(mediaReply(media, request, how)).toEqual({ status: 200, headers: {}, delayMs: 0, body })
})

it.each([
  ['GET', true],
  ['HEAD', true],
  ['POST', false],
  ['DELETE', false],
])('takes the method %s for safe: %s', (method, isSafe) => {
  expect(isSafeMethod({ method })).toBe(isSafe)
})

it('joins the values of a header, and reads a missing one as empty', () => {
  const request = { headers: { one: 'a', two: ['a', 'b'], none: undefined } }
  expect(['one', 'two', 'none', 'missing'].map((name) => headerOf(request, name))).toEqual([
    'a',
    'a, b',
    '',
    '',
  ])
})

it.each([
  ['', ''],
  [' Text/HTML ; charset=utf-8', 'text/html'],
  ['application/json, application/json', 'application/json'],
])('reads the media type of %j', (contentType, type) => {
  expect(mediaType(contentType)).toBe(type)
})

it.each([
  ['https://user@host:1?a=1', { path: '', query: 'a=1' }],
  ['HTTP+x.y-z://host/v1#x', { path: '/v1', query: '' }],
  ['1http://host/v1', { path: '1http://host/v1', query: '' }],
  ['/v1?a=1?b#c', { path: '/v1', query: 'a=1?b#c' }],
  ['/?a', { path: '/', query: 'a' }],
  ['/ns/?a', { path: '/ns/', query: 'a', namespace: undefined }],
  ['/ns/a?b=/c', { path: '/', query: 'b=/c', namespace: 'a', basePath: '/ns/a' }],
  ['/x/ns/a', { path: '/x/ns/a', namespace: undefined, basePath: '' }],
])('reads the target %s', (target, expected) => {
  expect(readTarget(target)).toMatchObject(expected)
})
