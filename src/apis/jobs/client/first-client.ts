import type { FirstClient } from '../../define/flow.ts'
import type { JobRequest } from '../kit/call.ts'
import { firstWords } from '../job/state-words.ts'
import type { ApiDefinition, ApiOperation } from '../kit/definition.ts'
import { findLeaves, imagineJob, imaginedReason, replyFor } from '../replies/observe.ts'
import {
  downloadFor,
  findIdPlace,
  findLinkPlaces,
  pathFor,
  replaceAt,
  sampleSubmission,
  type ClientPlan,
  type ReplyPlace,
} from './plan.ts'

/**
 * The client that `greenroom init` writes for the API of a definition; undefined if its replies don't show by a word or a flag
 * that a job has ended.
 */
export function firstClientOf(definition: ApiDefinition, plan: ClientPlan): FirstClient | undefined {
  const sample = sampleSubmission(plan)
  const id = sample && findIdPlace(definition, sample)
  if (!sample || !id) return undefined
  const { poll, result } = plan
  const download = downloadFor(definition, plan, sample.request)
  const [link] = findLinkPlaces(definition, plan, sample.request)
  const end = findEnd(definition, plan, sample.request)
  if (!end) return undefined
  const body = printValue(replaceAt(sample.body, sample.promptAt, promptMark))
  const polled = [...end.places, ...(link && !result ? [link] : [])]
  const file = link
    ? `${read(result ? 'result' : 'job', link)}${link.keys.length > 1 ? '‹!›' : ''}`
    : download && printPath(definition, download.operation)
  const fetched = file === undefined ? 'JSON.stringify(job)' : `(await send(${file})).arrayBuffer()`
  const resultCall =
    result && link
      ? `    const result = await sendJson‹<${printType([link])}>›(${printPath(definition, result.operation)})\n`
      : ''
  return {
    title: 'makes a job although the gateway is busy at first',
    call: "makeJob('a red kite')",
    headers: plan.headers,
    measure: file === undefined ? 'length' : 'byteLength',
    code: `function makeJob(prompt‹: string›)‹: Promise<${file === undefined ? 'string' : 'ArrayBuffer'}>› {
  const made = await sendJson‹<${printType([id])}>›('${sample.path}', ${body})
  const id = ${read('made', id)}
  for (;;) {
    await sleep(5_000)
    const job = await sendJson‹<${printType(polled)}>›(${printPath(definition, poll.operation)})
    if (${end.failure}) throw new Error(\`job \${id} failed\`)
    if (${end.isPending}) continue
${resultCall}    return ${fetched}
  }
}`,
  }
}

/** How code knows that a job has ended, and what it reads for that. */
interface EndCode {
  readonly places: readonly ReplyPlace[]
  readonly isPending: string
  readonly failure: string
}

/** Finds the word for the state in replies. */
function findEnd(definition: ApiDefinition, { poll }: ClientPlan, request: JobRequest): EndCode | undefined {
  const { success, failure } = firstWords(definition.states)
  const leavesOf = (role: 'success' | 'failure'): Map<string, readonly [readonly string[], unknown]> =>
    new Map(
      [...findLeaves(replyFor(definition, poll.operation, imagineJob(definition, role, request)))].map(
        (leaf) => [leaf[0].join('/'), leaf] as const,
      ),
    )
  const [good, bad] = [leavesOf('success'), leavesOf('failure')]
  const state = [...good.values()].find(
    ([keys, value]) => value === success && bad.get(keys.join('/'))?.[1] === failure,
  )
  if (state) {
    const place = placeAt(state[0])
    const word = read('job', place)
    return {
      places: [place],
      isPending: `${word} !== ${printValue(success)}`,
      failure: `${word} === ${printValue(failure)}`,
    }
  }
  const reason = [...bad.values()].find(([, value]) => String(value).includes(imaginedReason))
  const done = [...good.values()].find(([, value]) => value === true)
  if (!reason || !done) return undefined
  const [failed, ended] = [placeAt(reason[0]), placeAt(done[0], 'boolean')]
  return { places: [failed, ended], isPending: `!${read('job', ended)}`, failure: read('job', failed) }
}

const placeAt = (keys: readonly string[], type?: 'boolean'): ReplyPlace => ({
  keys,
  before: '',
  after: '',
  ...(type && { type }),
})

/** Code that reads a place of a reply. Parents may be absent before the end. */
function read(name: string, { keys, before, after }: ReplyPlace): string {
  const path = keys.map((key, index) => {
    const sign = index === 0 ? '' : '?.'
    if (/^\d+$/.test(key)) return `${sign}[${key}]`
    return isIdentifier(key) ? `${sign || '.'}${key}` : `${sign}['${key}']`
  })
  const isWhole = before === '' && after === ''
  const code = name + path.join('')
  return isWhole ? code : `${code}.slice(${before.length}${after === '' ? '' : `, -${after.length}`})`
}

const isIdentifier = (key: string): boolean => /^[A-Za-z_$][\w$]*$/.test(key)

/** The type of a reply that has these places. */
function printType(places: readonly ReplyPlace[]): string {
  const leaf = places.find(({ keys }) => keys.length === 0)
  if (leaf) return leaf.type ?? 'string'
  const names = [...new Set(places.map(({ keys }) => keys[0]!))]
  const inside = (name: string): ReplyPlace[] =>
    places.filter(({ keys }) => keys[0] === name).map((place) => ({ ...place, keys: place.keys.slice(1) }))
  if (names.every((name) => /^\d+$/.test(name))) return `(${printType(inside(names[0]!))})[]`
  const fields = names.map((name) => {
    const key = isIdentifier(name) ? name : `'${name}'`
    const isParent = inside(name).every(({ keys }) => keys.length > 0)
    return `${key}${isParent ? '?' : ''}: ${printType(inside(name))}`
  })
  return `{ ${fields.join('; ')} }`
}

/** The path of an operation as a template with `id`. */
function printPath(definition: ApiDefinition, operation: ApiOperation): string {
  return `\`${pathFor(definition, operation, 'JOB_ID').replaceAll('JOB_ID', '${id}')}\``
}

/** Stands for the prompt in a body. */
const promptMark = '‹prompt›'

/** A value as code. */
function printValue(value: unknown): string {
  if (value === promptMark) return 'prompt'
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([key, each]) => {
    const [name, code] = [isIdentifier(key) ? key : `'${key}'`, printValue(each)]
    return name === code ? name : `${name}: ${code}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
