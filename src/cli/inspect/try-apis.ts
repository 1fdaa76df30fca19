import { definitionsOf } from '../../apis/define/own-apis.ts'
import type { Api } from '../../apis/define/api.ts'
import type { Form } from '../../apis/define/form.ts'
import type { ExampleRequest } from '../../apis/define/operation-schema.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { GatewayError } from '../../gateway/replies/errors.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { createSimulator } from '../../embedded/create-simulator.ts'
import { callAll, type TriedReplies, type TriedReply } from './call-all.ts'
import { drawBody } from '../../apis/define/sample-body.ts'

/** What calls of APIs of users show. */
interface Trial {
  /** A message for each reply that differs, and for each function that throws. */
  readonly mistakes: readonly string[]
  /** A message for each operation that no call succeeded with, so that its replies were not tried. */
  readonly untried: readonly string[]
  /** The number of operations, without those of {@link untried}. */
  readonly tried: number
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
    tried: trials.reduce((sum, { tried }) => sum + tried, 0),
  }
}

const giveExample = 'Give one that it accepts: example: { body: { … }, headers: { … } }.'

/** Why a request with a body was refused. */
function explainRefusal(
  { operation, status, text }: TriedReply,
  { operations }: Api,
  examples: ReadonlyMap<string, ExampleRequest>,
): string {
  const form = operations.find(({ name }) => name === operation)?.form
  const problem = form && misfitOf(form)
  return problem === undefined
    ? `${operation} was not tried, since it refuses the request for it with ${status}${quoteReply(text)}.${quoteBody(form, examples.get(operation))} ${giveExample}`
    : `${operation} was not tried, since the body for it does not fit: ${problem}. ${giveExample}`
}

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text)

const quoteReply = (text: string): string => (text === '' ? '' : `: ${clip(text)}`)

/** The body that was sent, as a sentence. */
function quoteBody(form: Form | undefined, example: ExampleRequest | undefined): string {
  const body = example?.body ?? (form && drawBody(form.schema))
  return body === undefined ? '' : ` The request had the body ${clip(JSON.stringify(body))}.`
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

/** The example of each operation, by its name. */
function examplesOf({ operations }: OwnApi, api: Api): ReadonlyMap<string, ExampleRequest> {
  const keys = Object.entries(operations as Readonly<Record<string, { readonly example?: ExampleRequest }>>)
  const named = keys.flatMap(([key, operation]) => {
    const known = api.operations.find(({ name }) => name.endsWith(`.${key}`))
    return known && operation.example ? [[known.name, operation.example] as const] : []
  })
  return new Map(named)
}

async function tryApi(definition: OwnApi, api: Api): Promise<Trial> {
  const messages: string[] = []
  const examples = examplesOf(definition, api)
  const hasWebhook = api.operations.some(({ facts }) => facts.role === 'report')
  const once = async (): Promise<TriedReplies> => {
    const posted: TriedReply[] = []
    const sim = createSimulator({
      apis: [definition],
      clock: 'manual',
      cacheDir: false,
      onWarning: (message) => void messages.push(message),
      ...(hasWebhook && {
        webhooks: { [api.name]: { url: 'https://app.example/hook' } },
        deliver: async (request: Request) => {
          const operation = api.operations.find(({ facts }) => facts.role === 'report')!.name
          posted.push({ operation, status: 200, text: await request.text() })
          return new Response(null, { status: 200 })
        },
      }),
    })
    try {
      const { all, refused } = await callAll(sim, api, examples)
      return { all: [...all, ...posted], refused }
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
  const untried = explainUntried(first, api, examples)
  return { mistakes: [...messages, ...differing], untried, tried: api.operations.length - untried.length }
}

/** A message for each operation without a success. What throws is a mistake, which has a message of its own. */
function explainUntried(
  { all, refused }: TriedReplies,
  api: Api,
  examples: ReadonlyMap<string, ExampleRequest>,
): string[] {
  const explained = new Map(refused.map((reply) => [reply.operation, explainRefusal(reply, api, examples)]))
  return api.operations.flatMap(({ name, facts }) => {
    const own = explained.get(name)
    if (own !== undefined) return [own]
    const statuses = all.filter(({ operation }) => operation === name).map(({ status }) => status)
    if (statuses.some((status) => status < 400 || status === 500)) return []
    if (statuses.length > 0)
      return [`${name} was tried with refusals only: ${[...new Set(statuses)].join(', ')}.`]
    const isOfJob = facts.role === 'report' || facts.task !== undefined || facts.taskInQuery !== undefined
    return [`${name} was not tried${isOfJob ? ', since no submission made a job' : ''}.`]
  })
}
