import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { operations } from '../../src/index.ts'
import { lintScenario } from '../../src/files/lint/lint.ts'
import type { Rule } from '../../src/index.ts'
import { loadShipped } from '../support/own-apis.ts'
import { servedRows } from '../support/needs.ts'

function findings(op: string, respond: Rule['respond'], apis: readonly unknown[] = []): string[] {
  const rules = [{ match: { op }, respond }] as unknown as Rule[]
  return lintScenario({ version: 1, config: { apis }, rules } as never).map(
    ({ severity, place, message }) => `${severity} at ${place.map(String).join('.')}: ${message}`,
  )
}

it('finds fields to omit or set in responses that are bytes', () => {
  expect(findings('video.content', { omit: ['id'], set: { status: 'done' } })).toEqual([
    'mistake at rules.0.respond.omit.0: rule "rule-1" has omit, but video.content only answers with bytes, which have no fields. Match another operation, or write a fault.',
    'mistake at rules.0.respond.set.status: rule "rule-1" has set, but video.content only answers with bytes, which have no fields. Match another operation, or write a fault.',
  ])
})

it.each<[string, NonNullable<Rule['respond']>, string]>(
  servedRows([
    ['video.poll', { omit: ['data.fail_reson'] }, 'omit.0'],
    ['chat.complete', { omit: ['usages'] }, 'omit.0'],
    ['messages.create', { set: { 'delta.stop_raeson.x': 'end' } }, 'set.delta.stop_raeson.x'],
  ]),
)('advises on a field that no response of %s is documented to have: %j', (op, respond, place) => {
  expect(findings(op, respond)).toEqual([
    expect.stringContaining(`advice at rules.0.respond.${place}: rule "rule-1" may never change `),
  ])
})

it.each<[string, Rule['respond']]>([
  ['video.poll', { omit: ['data.fail_reason'], set: { 'data.newer': 1 } }],
  ['video.*', { omit: ['data.status'] }],
  ['chat.complete', { omit: ['usage', 'choices[0].delta.tool_calls[*].id'] }],
  ['video.content', { status: 503, omit: ['error.type'] }],
])('accepts fields that a response may have: %s %j', (op, respond) => {
  expect(findings(op, respond)).toEqual([])
})

it('knows the fields of attempts, and of further APIs', async () => {
  const attempts = ['ok', { respond: { omit: ['nothing.of.the.kind'] } }] as const
  const rules = [{ match: { op: 'video.poll' }, attempts }]
  const found = lintScenario({ version: 1, rules } as never)
  expect(found.map(({ place }) => place)).toEqual([['rules', 0, 'attempts', 1, 'respond', 'omit', 0]])
  expect(findings('replicate.get', { omit: ['urls.get'] }, await loadShipped(['replicate']))).toEqual([])
})

interface Golden {
  readonly response: {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: unknown
  }
}

const folder = fileURLToPath(new URL('../../fixtures/golden/', import.meta.url))

/** The paths of all fields of a JSON value. */
function pathsIn(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = Array.isArray(value) ? `${above}[${key}]` : `${above}${above && '.'}${key}`
    return /^\w+$/.test(key) ? [path, ...pathsIn(inner, path)] : []
  })
}

/** The golden exchanges whose successful response is JSON, with its fields. */
const fields = readdirSync(folder).flatMap((name): [string, string, string[]][] => {
  const { response } = JSON.parse(readFileSync(folder + name, 'utf8')) as Golden
  const op = operations.find((operation) => name.startsWith(`${operation}.`))
  const isJson = response.headers?.['content-type']?.startsWith('application/json') === true
  if (op === undefined || response.status !== 200 || !isJson || typeof response.body !== 'string') return []
  const paths = pathsIn(JSON.parse(response.body))
  return paths.length > 0 ? [[name, op, paths]] : []
})

it.each(fields)('accepts each field of the golden exchange %s', (_name, op, omit) => {
  expect(findings(op, { omit })).toEqual([])
})
