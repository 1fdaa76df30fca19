import { definitionsOf } from '../../apis/define/own-apis.ts'
import type { Api } from '../../apis/define/api.ts'
import { drawBody } from '../../apis/define/sample-body.ts'
import type { Form } from '../../apis/define/form.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { createSimulator, type NodeSimulator } from '../../embedded/create-simulator.ts'
import type { OperationPattern } from '../../apis/index.ts'

/** The ages of a job at which its replies are tried: queued, at work, ended. */
const ages = ['0s', '3s', '1h']

/** A reply with the request that it answers, for messages and comparisons. */
interface TriedReply {
  readonly operation: string
  readonly status: number
  readonly text: string
}

/** The replies to all calls, and those that refuse a submission whose body should be accepted. */
interface TriedReplies {
  readonly all: readonly TriedReply[]
  readonly refused: readonly TriedReply[]
}

/** What calls of APIs of users show. */
interface Trial {
  /** A message for each reply that differs, and for each function that throws. */
  readonly mistakes: readonly string[]
  /** A message for each submission that made no job, so that its replies were not tried. */
  readonly untried: readonly string[]
}

/**
 * Calls each operation of APIs of users, twice: in two simulators with the same seed, at different real times.
 */
export async function tryApis(named: readonly (string | OwnApi)[]): Promise<Trial> {
  const trials: Trial[] = []
  for (const { definition, api } of definitionsOf(named)) trials.push(await tryApi(definition, api))
  return {
    mistakes: [...new Set(trials.flatMap(({ mistakes }) => mistakes))],
    untried: trials.flatMap(({ untried }) => untried),
  }
}

/** Why a submission was refused. */
function explainRefusal({ operation, status }: TriedReply, { operations }: Api): string {
  const form = operations.find(({ name }) => name === operation)?.form
  const problem = form && misfitOf(form)
  return problem === undefined
    ? `${operation} refuses the body for it with ${status}, so no job of it was tried. If a field decides, add .meta({ examples: [value] }) to its schema.`
    : `${operation} was not tried, since the body for it does not fit: ${problem}. Add .meta({ examples: [value] }) to the schema of this field.`
}

function misfitOf(form: Form): string | undefined {
  try {
    form.read(drawBody(form.schema) as JsonObject)
  } catch (error) {
    // A schema that throws is a mistake, which the call finds.
    if (error instanceof GatewayError && error.internalError === undefined) return error.message
  }
  return undefined
}

async function tryApi(definition: OwnApi, api: Api): Promise<Trial> {
  const messages: string[] = []
  const once = async (): Promise<TriedReplies> => {
    const sim = createSimulator({
      apis: [definition],
      clock: 'manual',
      cacheDir: false,
      onWarning: (message) => void messages.push(message),
    })
    try {
      return await callAll(sim, api)
    } finally {
      await sim.close()
    }
  }
  const first = await once()
  // A clock of milliseconds must have moved.
  await new Promise<void>((resolve) => hostTimers.setTimeout(resolve, 5))
  const second = await once()
  const odd = first.all.filter(({ status, text }, index) => {
    const other = second.all[index]
    return other === undefined || other.status !== status || other.text !== text
  })
  const differing = odd.map(
    ({ operation }) =>
      `${operation} gives another reply for the same request: its functions must be pure. Use the instants of job, and neither the real time nor random numbers.`,
  )
  return {
    mistakes: [...messages, ...differing],
    untried: first.refused.map((reply) => explainRefusal(reply, api)),
  }
}

async function callAll(sim: NodeSimulator, { name, operations }: Api): Promise<TriedReplies> {
  const all: TriedReply[] = []
  const refused: TriedReply[] = []
  const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
  const call = async (
    operation: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<TriedReply> => {
    const response = await sim.fetch(`http://api.example${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const reply = { operation, status: response.status, text: await response.text() }
    all.push(reply)
    return reply
  }
  const routeOf = (route: string, id: string): string =>
    route
      .split(' ')
      .at(-1)!
      .replaceAll('{id}', id)
      .replaceAll('{n}', '0')
      .replaceAll(/\{\w+\}/g, 'x')
  const withRole = (...roles: string[]) => operations.filter(({ facts }) => roles.includes(facts.role))
  for (const { name: operation, facts, form } of withRole('submit')) {
    const [method, path] = [facts.route.split(' ')[0]!, routeOf(facts.route, 'x')]
    const sent = form && drawBody(form.schema)
    const before = sim.tasks().length
    const reply = await call(operation, method, path, sent)
    // A function that throws is a mistake, which `messages` has.
    if (sim.tasks().length === before && reply.status < 500) refused.push(reply)
    sim.next(operation as OperationPattern, { task: { outcome: 'failure', reason: 'content policy' } })
    await call(operation, method, path, sent)
    // Refusals call `error`.
    await call(operation, method, path, {})
    await call(operation, 'GET', `${path}/nowhere`)
  }
  const ids = sim.tasks().flatMap(({ kind, id }) => (kind === name ? [id] : []))
  for (const age of ages) {
    await sim.clock.advance(age)
    for (const id of ids)
      for (const { name: operation, facts, schema } of withRole('poll', 'result')) {
        const inQuery = Object.keys(schema?.().query?._zod.def.shape ?? {})[0]
        const query = inQuery === undefined ? '' : `?${inQuery}=${id}`
        await call(operation, facts.route.split(' ')[0]!, routeOf(facts.route, id) + query)
      }
  }
  for (const id of ids)
    for (const { name: operation, facts } of withRole('cancel'))
      await call(operation, facts.route.split(' ')[0]!, routeOf(facts.route, id))
  return { all, refused }
}
