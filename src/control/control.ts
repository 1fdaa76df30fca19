import { named } from '../scenario/schema/fields.ts'
import { integer, optionalText } from '../apis/define/operation-schema.ts'
import { instant, type FieldsOf } from './values.ts'
import * as z from 'zod/mini'
import type { ClockMode } from '../engine/clock/clock-settings.ts'
import type { EncoderStatus } from '../media/source.ts'
import { version } from '../version.ts'
import { ClockControl } from './clock.ts'
import { clockRoutes } from './clock-routes.ts'
import { invariantSchema, type ControlDeps, type InvariantState } from './deps.ts'
import { EventControl, eventRoutes } from './events/events.ts'
import { JournalControl, journalRoutes } from './journal.ts'
import { MetricsControl, metricsRoutes } from './metrics/metrics.ts'
import { MediaControl, mediaRoutes } from './media.ts'
import { OpenapiControl, openapiRoutes } from './openapi/openapi.ts'
import { controlPrefix, routesFor, type ControlRoute } from './route.ts'
import { RuleControl, ruleRoutes } from './rules.ts'
import { ScenarioControl, scenarioRoutes } from './scenario.ts'
import { stateRoutes, type StateControl } from './state.ts'
import { TaskControl, taskRoutes } from './tasks.ts'

/**
 * The response of `/_greenroom/health`.
 *
 * @example
 * const health: Health = sim.core.control.health()
 * health // → { ready: true, seed: '1', namespaces: 1, … }
 */
export interface Health {
  ready: true
  /** The version of greenroom. */
  version: string
  /** The version of Node. */
  node: string
  seed: string
  /** The encoder of `full` clips. */
  encoder: EncoderStatus
  /** The number of namespaces. */
  namespaces: number
}

/**
 * A namespace, in the list of namespaces.
 *
 * @example
 * const [summary]: NamespaceSummary[] = sim.core.control.namespaces()
 * summary // → { name: 'default', tasks: 0, requests: 0, mode: 'auto', … }
 */
export interface NamespaceSummary {
  readonly name: string
  /** How many tasks are stored. */
  readonly tasks: number
  /** The number of requests so far. */
  readonly requests: number
  /** The mode of its clock. */
  readonly mode: ClockMode
  /** Its virtual time, in milliseconds since 1970. */
  readonly now: number
}

/** The control API, with one part for each noun. Over HTTP, each method is a route under `/_greenroom`. */
export class Control {
  readonly #deps: ControlDeps
  readonly clock: ClockControl
  readonly tasks: TaskControl
  readonly rules: RuleControl
  readonly journal: JournalControl
  readonly state: StateControl
  readonly events: EventControl
  readonly media: MediaControl
  readonly scenario: ScenarioControl
  readonly metrics: MetricsControl
  readonly openapi: OpenapiControl

  constructor(deps: ControlDeps) {
    this.#deps = deps
    this.clock = new ClockControl(deps)
    this.tasks = new TaskControl(deps)
    this.rules = new RuleControl(deps)
    this.journal = new JournalControl(deps)
    this.state = deps.state
    this.events = new EventControl(this, deps)
    this.media = new MediaControl(deps)
    this.scenario = new ScenarioControl(deps)
    this.metrics = new MetricsControl(deps)
    this.openapi = new OpenapiControl(deps)
  }

  health(): Health {
    const { draws, media, namespaces } = this.#deps
    return {
      ready: true,
      version,
      node: globalThis.process?.version ?? '',
      seed: draws.seed,
      encoder: media.encoder(),
      namespaces: namespaces.all().length,
    }
  }

  /** The existing namespaces. */
  namespaces(): NamespaceSummary[] {
    const { namespaces, tasks } = this.#deps
    return namespaces.all().map(({ name, clock, journal }) => ({
      name,
      tasks: tasks.count(name),
      requests: journal.nextNumber - 1,
      mode: clock.mode,
      now: clock.now(),
    }))
  }

  /** The correct and wrong behaviour of a namespace's clients: the audit of `sim.watch()`. */
  verdict(namespace: string): { readonly invariants: readonly InvariantState[] } {
    return this.#deps.verdicts.of(namespace)
  }

  /** Forgets tasks, exchanges or both of a namespace, but keeps its time. */
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void {
    const { namespaces, tasks, forget, messages } = this.#deps
    if (!namespaces.has(namespace)) return
    const { journal, clock, acceptances, attempts, retries } = namespaces.get(namespace)
    if (what.journal) {
      journal.clear()
      messages?.forget(namespace)
    }
    if (!what.tasks) return
    // Without tasks, a namespace counts as new: the same request gets the same id and the same decisions again.
    tasks.clear(namespace, clock.now())
    acceptances.clear()
    attempts.clear()
    retries.clear()
    clock.forgetClients()
    forget(namespace)
  }
}

/** Works without a token, too. */
export const healthPath = '/health'

export const healthSchema = named(
  'Health',
  z.partial(
    z.object({
      ready: z.literal(true),
      version: z.string(),
      node: z.string(),
      seed: z.string(),
      encoder: z.object({
        candidate: z.string(),
        verified: z.boolean(),
        version: optionalText,
        reason: optionalText,
      }),
      namespaces: integer,
    } satisfies FieldsOf<Health>),
    { version: true, node: true, seed: true, encoder: true, namespaces: true },
  ),
  'Versions, seed and encoder. Without the control token only `ready`.',
)

export const namespaceSchema = z.object({
  name: z.string(),
  tasks: integer,
  requests: integer,
  mode: z.string(),
  now: instant,
} satisfies FieldsOf<NamespaceSummary>)

const route = routesFor<Control>()
const cleared = () => ({ answer: { json: z.object({ cleared: z.array(z.string()) }) } })

const ownRoutes: readonly ControlRoute<Control>[] = [
  route(
    `GET ${healthPath}`,
    'versions, seed, encoder; without the control token only that the server runs',
    () => ({ answer: { json: healthSchema } }),
    (control) => control.health(),
  ),
  route(
    'GET /namespaces',
    'the namespaces, with how many tasks and requests each has',
    () => ({ answer: { json: z.array(namespaceSchema) } }),
    (control) => control.namespaces(),
  ),
  route(
    'GET /verdict',
    'what clients did right and wrong',
    () => ({ answer: { json: z.looseObject({ invariants: z.array(invariantSchema) }) } }),
    (control, { namespace }) => control.verdict(namespace),
  ),
  route('DELETE /journal', 'forget the exchanges', cleared, (control, { namespace }) =>
    clear(control, namespace, { journal: true }),
  ),
  route('DELETE /tasks', 'forget the tasks', cleared, (control, { namespace }) =>
    clear(control, namespace, { tasks: true }),
  ),
  route('POST /reset', 'forget tasks and exchanges', cleared, (control, { namespace }) =>
    clear(control, namespace, { tasks: true, journal: true }),
  ),
]

function clear(control: Control, namespace: string, what: { journal?: boolean; tasks?: boolean }): unknown {
  control.clear(namespace, what)
  return { cleared: Object.keys(what) }
}

/** Converts routes of a part to routes of the whole API, with a prefix in their paths. */
function routesOf<Part>(
  routes: readonly ControlRoute<Part>[],
  partOf: (control: Control) => Part,
): ControlRoute<Control>[] {
  return routes.map((route) => ({
    ...route,
    path: controlPrefix + route.path,
    call: (control, call) => route.call(partOf(control), call),
  }))
}

/** All calls, without the index. */
export const controlRoutes: readonly ControlRoute<Control>[] = [
  ...routesOf(ruleRoutes, (control) => control.rules),
  ...routesOf(stateRoutes, (control) => control.state),
  ...routesOf(clockRoutes, (control) => control.clock),
  ...routesOf(taskRoutes, (control) => control.tasks),
  ...routesOf(journalRoutes, (control) => control.journal),
  ...routesOf(mediaRoutes, (control) => control.media),
  ...routesOf(scenarioRoutes, (control) => control.scenario),
  ...routesOf(openapiRoutes, (control) => control.openapi),
  ...routesOf(metricsRoutes, (control) => control.metrics),
  ...routesOf(eventRoutes, (control) => control.events),
  ...routesOf(ownRoutes, (control) => control),
]

/** Lists all calls. */
export const indexRoute: ControlRoute<Control> = {
  ...route(
    'GET /',
    'list all calls',
    () => ({
      answer: {
        json: z.object({
          greenroom: z.string(),
          namespaces: z.string(),
          calls: z.array(z.object({ call: z.string(), does: z.string() })),
        }),
      },
    }),
    () => ({
      greenroom: 'control API',
      namespaces: 'add ?namespace=NAME, or call under /ns/NAME',
      calls: controlRoutes.map(({ methods, path, does }) => ({ call: `${methods.join(',')} ${path}`, does })),
    }),
  ),
  path: controlPrefix,
}
