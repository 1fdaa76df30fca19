import * as z from 'zod/mini'
import { parseDuration } from '../../../engine/clock/duration.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import type { TaskView } from '../../../engine/tasks/timeline.ts'
import type { Core } from '../../../gateway/core.ts'
import { isAllowedTarget, type CallbackPlan } from '../../../gateway/callbacks/plan.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import { defineOperation, type Operation } from '../../define/operation.ts'
import { Job, type JobStates } from '../job/job.ts'
import { callDefined } from '../kit/call-defined.ts'
import type { WebhookChange, WebhookOptions } from '../kit/webhook.ts'
import { callOf, type ServedApi } from '../served.ts'
import { checkHeaders, contentTypeOf, failureOf, refuseJob, toReply } from './replies.ts'

const ends: readonly WebhookChange[] = ['success', 'failure', 'cancelled']

/** The operation that posts changes of jobs to clients. */
export function webhookOperation(webhook: WebhookOptions, served: ServedApi): Operation {
  const { prefix, kind, states, definition } = served
  const name = `${prefix}.webhook`
  return defineOperation(
    {
      name,
      summary: `Post a change of a job of ${definition.title ?? definition.name}`,
      role: 'report',
      tasks: kind,
      route: 'POST {webhook}',
      task: 'id',
      ...(webhook.sign && { isSigned: true as const }),
      schema: () => ({ answer: { json: z.unknown() } }),
    },
    (core) => ({
      keys: served.keys,
      task: { unknown: () => refuseJob(404, 'There is no such job') },
      callback: planOf(name, webhook, states, hostsOf(core, definition.name)),
      respond: (x) => {
        const task = x.task!
        const { id } = x.message!
        const message = { id, now: x.now, change: changeIn(x.view!, states) }
        const made = callDefined(name, 'webhook.body', () => webhook.body(new Job(x, task, served), message))
        const contentType = contentTypeOf(definition)
        return toReply(made, { x, task, operation: name, status: 200, contentType })
      },
    }),
  )
}

/** The hosts that may be called besides this machine. A function that delivers sends nothing to the network. */
function hostsOf({ options }: Core, api: string): readonly string[] | 'all' {
  const { deliver } = options as { readonly deliver?: unknown }
  return deliver ? 'all' : (options.webhooks?.[api]?.allow ?? [])
}

function planOf(
  name: string,
  webhook: WebhookOptions,
  states: JobStates,
  hosts: readonly string[] | 'all',
): CallbackPlan {
  const { on = ends, progress = [], sign, timeout = '5s', retries = [], accepts = isSuccess } = webhook
  return {
    changeOf: (_task: Task, view: TaskView) => {
      const change = changeIn(view, states)
      const reached = change === 'work' ? progress.filter((percent) => view.progress >= percent) : []
      if (reached.length > 0) return `${change} ${Math.max(...reached)}`
      return on.includes(change) ? change : undefined
    },
    mayCall: (url) => (hosts === 'all' ? URL.canParse(url) : isAllowedTarget(url, hosts)),
    advice: `webhooks.${name.slice(0, name.indexOf('.'))}.allow of the config allows hosts.`,
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

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The state of a job, by its role. */
function changeIn({ state }: TaskView, states: JobStates): WebhookChange {
  const [change] = Object.entries(states).find(([, word]) => word === state) ?? []
  return change as WebhookChange
}

/** The fields by which a submission's changes are posted; none without a URL. */
export function webhookFields(
  x: Exchange,
  { definition: { name, webhook }, prefix }: ServedApi,
  { options }: Core,
): { readonly hook?: string; readonly hookOrigin?: string } {
  if (!webhook) return {}
  const { to = () => undefined } = webhook
  const given = callDefined(`${prefix}.webhook`, 'webhook.to', () => to(callOf(x)))
  const url = typeof given === 'string' && given !== '' ? given : options.webhooks?.[name]?.url
  return url === undefined ? {} : { hook: url, hookOrigin: x.origin }
}
