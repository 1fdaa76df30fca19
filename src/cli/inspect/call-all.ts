import type { Api } from '../../apis/define/api.ts'
import type { Operation } from '../../apis/define/operation.ts'
import type { OperationPattern } from '../../apis/index.ts'
import type { ExampleRequest } from '../../apis/define/operation-schema.ts'
import type { NodeSimulator } from '../../embedded/create-simulator.ts'
import type { Role } from '../../engine/operations/facts.ts'
import { drawBody } from '../../apis/define/sample-body.ts'

/** A reply with the request that it answers, for messages and comparisons. */
export interface TriedReply {
  readonly operation: string
  readonly status: number
  readonly text: string
}

/** The replies to all calls, and those that refuse a request whose body should be accepted. */
export interface TriedReplies {
  readonly all: readonly TriedReply[]
  readonly refused: readonly TriedReply[]
}

type Texts = Readonly<Record<string, string>>

/** The ages of a job at which its replies are tried: queued, at work, ended. */
const ages = ['0s', '3s', '15m', '7d'] as const

/** Most vendors keep files for an hour or longer. */
const downloadAge: (typeof ages)[number] = '15m'

const origin = 'http://api.example'

/** Calls each operation of an API: with jobs that succeed, that fail, and that are cancelled. */
export async function callAll(
  sim: NodeSimulator,
  { name, operations }: Api,
  examples: ReadonlyMap<string, ExampleRequest>,
): Promise<TriedReplies> {
  const all: TriedReply[] = []
  const refused: TriedReply[] = []
  const headers = {
    authorization: `Bearer ${sim.key}`,
    'content-type': 'application/json',
    ...Object.assign({}, ...[...examples.values()].map((example) => example.headers ?? {})),
  }
  const request = async (
    operation: string,
    method: string,
    path: string,
    body?: unknown,
    more: Texts = {},
  ) => {
    const init = {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const response = await sim.fetch(origin + path, init)
    const reply = { operation, status: response.status, text: await response.text() }
    all.push(reply)
    return reply
  }
  /** Calls an operation about a job. In its example, `{id}` is the id. */
  const call = (operation: Operation, id: string, given?: unknown) => {
    const { name: key, facts, schema } = operation
    const [method, path] = [facts.route.split(' ')[0]!, facts.route.split(' ').at(-1)!]
    const example = fillIn(examples.get(key), id)
    const inQuery = facts.taskInQuery ?? Object.keys(schema?.().query?._zod.def.shape ?? {})[0]
    const query = new URLSearchParams({
      ...(facts.role !== 'list' && inQuery !== undefined && id !== '' && { [inQuery]: id }),
      ...facts.match?.query,
      ...example?.query,
    })
    const filled = path
      .replaceAll(`{${facts.task ?? 'id'}}`, encodeURIComponent(id) || 'x')
      .replaceAll('{n}', '0')
      // If a function of the definition makes the id, such as an ARN, the parameter is the last part of the id.
      .replaceAll(/\{\w+\}/g, id.split(/[/:]/).at(-1) || 'x')
    const target = query.size === 0 ? filled : `${filled}?${query}`
    const ownBody = example?.body ?? (facts.role === 'list' ? {} : undefined)
    const body = given ?? (method === 'GET' ? undefined : ownBody)
    return request(key, method, target, body, facts.match?.header)
  }
  const bodyFor = ({ name: operation, form }: Operation, id = ''): unknown =>
    fillIn(examples.get(operation), id)?.body ?? (form && drawBody(form.schema))
  const withRole = (...roles: Role[]) => operations.filter(({ facts }) => roles.includes(facts.role))
  const idsOfJobs = (): string[] => sim.tasks().flatMap(({ kind, id }) => (kind === name ? [id] : []))

  const cancels = withRole('cancel')
  const isOfJob = ({ name: key, facts }: Operation): boolean =>
    facts.task !== undefined || JSON.stringify(examples.get(key) ?? {}).includes('{id}')
  // A job of another job comes after that.
  const submits = withRole('submit').toSorted((one, other) => Number(isOfJob(one)) - Number(isOfJob(other)))
  for (const operation of submits) {
    const of = idsOfJobs()[0] ?? ''
    const [body, before] = [bodyFor(operation, of), idsOfJobs().length]
    const reply = await call(operation, of, body)
    // A function that throws is a mistake, which the simulator warns of.
    if (idsOfJobs().length === before && reply.status < 500) refused.push(reply)
    sim.next(operation.name as OperationPattern, { task: { outcome: 'failure', reason: 'content policy' } })
    await call(operation, of, body)
    // Refusals call `error`.
    await call(operation, of, {})
    await request(operation.name, 'GET', `${operation.path.replaceAll(/\{\w+\}/g, 'x')}/nowhere`)
  }
  for (const operation of withRole('read', 'change')) {
    const reply = await call(operation, '', operation.form && bodyFor(operation))
    if (reply.status >= 400 && reply.status < 500) refused.push(reply)
    if (operation.form) await call(operation, '', {})
  }
  const ids = idsOfJobs()
  for (const age of ages) {
    await sim.clock.advance(age)
    for (const id of ids) for (const operation of withRole('poll', 'result')) await call(operation, id)
    if (age !== downloadAge) continue
    await downloadLinks(sim, all, headers)
    const downloads = withRole('download').filter(
      ({ name: operation }) => !all.some((reply) => reply.operation === operation),
    )
    for (const operation of downloads) for (const id of ids) await call(operation, id)
  }
  for (const operation of withRole('list')) await call(operation, '')
  // A job is cancelled while it is at work, and after its end.
  for (const cancel of cancels) {
    const [submission] = submits
    if (submission && ids.length > 0) await call(submission, ids[0]!, bodyFor(submission, ids[0]))
    const [young] = idsOfJobs().filter((id) => !ids.includes(id))
    for (const id of [...(young === undefined ? [] : [young]), ...ids]) await call(cancel, id)
  }
  return { all, refused }
}

/** An example for a job. */
function fillIn(example: ExampleRequest | undefined, id: string): ExampleRequest | undefined {
  return example && (JSON.parse(JSON.stringify(example).replaceAll('{id}', id)) as ExampleRequest)
}

/** No definition has more links in a reply. */
const maxLinks = 20

/** Downloads what replies link to. */
async function downloadLinks(
  sim: NodeSimulator,
  all: TriedReply[],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const links = new Set(all.flatMap(({ text }) => text.match(/http:\/\/api\.example\/[^"\\\s<>]+/g) ?? []))
  for (const link of [...links].slice(-maxLinks)) {
    const response = await sim.fetch(link, { headers })
    const text = await response.text()
    const { operation = null, role = null } = sim.journal().at(-1) ?? {}
    if (role === 'download' && operation !== null)
      all.push({ operation, status: response.status, text: text.slice(0, 10_000) })
  }
}
