import * as z from 'zod/mini'
import { parseDuration } from '../../../engine/clock/duration.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import type { TaskView } from '../../../engine/tasks/timeline.ts'
import type { Core } from '../../../gateway/core.ts'
import { isAllowedTarget, type CallbackPlan } from '../../../gateway/callbacks/plan.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { defineOperation, type Operation } from '../../define/operation.ts'
import { Job } from '../job/job.ts'
import type { JobStates } from '../job/states.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { WebhookChange, WebhookOptions } from '../kit/webhook.ts'
import { callOf } from '../request-call.ts'
import type { ServedApi } from '../served.ts'
import { checkHeaders, contentTypeOf, failureOf, refuseJob, toReply } from './replies.ts'

/** How long a receiver may take, unless the API says it. */
export const defaultTimeout = '5s'

const ends: readonly WebhookChange[] = ['success', 'failure', 'cancelled']

/** The operation that posts changes of jobs to clients. */
export function webhookOperation(webhook: WebhookOptions, served: ServedApi): Operation {
  const { prefix, kind, states, definition } = served
  const name = `${prefix}.${webhook.name ?? 'webhook'}`
  return defineOperation(
    {
      name,
      summary: `Post a change of a job of ${definition.title ?? definition.name}`,
      role: 'report',
      tasks: kind,
      route: 'POST {webhook}',
      task: 'id',
      ...(webhook.sign && { isSigned: true as const }),
      schema: () =>
        webhook.like === undefined
          ? { answer: { json: z.unknown() } }
          : { like: `${prefix}.${webhook.like}` },
    },
    (core) => ({
      keys: served.keys,
      task: { unknown: () => refuseJob(404, 'There is no such job') },
      callback: planOf(name, webhook, states, served.hostsOf(core)),
      respond: (x) => {
        const task = x.task!
        const { id } = x.message!
        const message = { id, now: x.now, change: changeIn(x.view!, states) }
        const made = callDefined(name, 'webhook.body', () => webhook.body(new Job(x, task, served), message))
        const contentType = webhook.contentType ?? contentTypeOf(definition, core)
        return toReply(made, { x, task, operation: name, status: 200, contentType })
      },
    }),
  )
}

/** The hosts that may be called besides this machine. A function that delivers sends nothing to the network. */
export function hostsOfWebhooks({ options }: Core, api: string): readonly string[] | 'all' {
  const { deliver } = options as { readonly deliver?: unknown }
  return deliver ? 'all' : (options.webhooks?.[api]?.allow ?? [])
}

function planOf(
  name: string,
  webhook: WebhookOptions,
  states: JobStates,
  hosts: readonly string[] | 'all' | undefined,
): CallbackPlan {
  const {
    on = ends,
    progress = [],
    sign,
    timeout = defaultTimeout,
    retries = [],
    accepts = isSuccess,
  } = webhook
  return {
    changeOf: (_task: Task, view: TaskView) => {
      if (on === 'all') return `${view.state} ${view.progress}`
      const change = changeIn(view, states)
      const reached = change === 'work' ? progress.filter((percent) => view.progress >= percent) : []
      if (reached.length > 0) return `${change} ${Math.max(...reached)}`
      return on.includes(change) ? change : undefined
    },
    mayCall: (url) => mayCall(url, hosts),
    advice:
      webhook.advice ?? `webhooks.${name.slice(0, name.indexOf('.'))}.allow of the config allows hosts.`,
    ...(sign && {
      sign: (message) => {
        const headers = callDefined(name, 'webhook.sign', () => sign(message))
        return checkHeaders(headers, failureOf(name, 'webhook.sign'))
      },
    }),
    timeoutMs: parseDuration(timeout),
    retriesMs: retries.map(parseDuration),
    accepts: (status) => callDefined(name, 'webhook.accepts', () => accepts(status)),
  }
}

function mayCall(url: string, hosts: readonly string[] | 'all' | undefined): boolean {
  if (hosts === undefined) return false
  return hosts === 'all' ? URL.canParse(url) : isAllowedTarget(url, hosts)
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The state of a job, by its role. */
function changeIn({ state }: TaskView, states: JobStates): WebhookChange {
  const [change] = Object.entries(states).find(([, word]) => word === state) ?? []
  return change as WebhookChange
}

/** The fields by which a submission's changes are posted; none without a URL. */
export function webhookFields(
  x: Exchange,
  served: ServedApi,
  core: Core,
): { readonly hook?: string; readonly hookOrigin?: string } {
  const { name, webhook } = served.definition
  if (!webhook || served.hostsOf(core) === undefined) return {}
  const given = givenUrl(x, webhook, served)
  const url = typeof given === 'string' && given !== '' ? given : core.options.webhooks?.[name]?.url
  return url === undefined ? {} : { hook: url, hookOrigin: x.origin }
}

function givenUrl(x: Exchange, { to = () => undefined }: WebhookOptions, { prefix }: ServedApi): unknown {
  return callDefined(`${prefix}.webhook`, 'webhook.to', () => to(callOf(x)))
}

/** Longer URLs would use memory with each task. */
const maxUrlLength = 2_000

/** Refuses a URL that may not be called, if the API does. */
export function checkHook(x: Exchange, served: ServedApi, core: Core): void {
  const { webhook } = served.definition
  const hosts = webhook?.refuses && served.hostsOf(core)
  if (hosts === undefined) return
  const given = givenUrl(x, webhook!, served)
  if (given === undefined || given === '') return
  if (typeof given === 'string' && given.length <= maxUrlLength && mayCall(given, hosts)) return
  throw callDefined(`${served.prefix}.webhook`, 'webhook.refuses', () => webhook!.refuses!(given))
}
