import { once } from '../engine/once.ts'
import { named } from '../scenario/schema/fields.ts'
import { integer } from '../scenario/schema/json-values.ts'
import { controlPrefix } from '../gateway/request.ts'
import { instant, type FieldsOf, routesFor, type ControlRoute } from './route.ts'
import * as z from 'zod/mini'
import { clockModes, type ClockMode } from '../engine/clock/clock-settings.ts'
import { clearTasks } from '../gateway/core.ts'
import type { EncoderStatus } from '../media/source.ts'
import { version } from '../version.ts'
import { ClockControl } from './clock.ts'
import { clockRoutes } from './clock-routes.ts'
import { invariantSchema, type ControlCore, type InvariantState } from './core.ts'
import { EventControl, eventRoutes } from './events/events.ts'
import { JournalControl, journalRoutes } from './journal.ts'
import { MediaControl, mediaRoutes } from './media.ts'
import { OpenapiControl, openapiRoutes } from './openapi/openapi.ts'
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
  readonly #core: ControlCore
  readonly clock: ClockControl
  readonly tasks: TaskControl
  readonly rules: RuleControl
  readonly journal: JournalControl
  readonly state: StateControl
  readonly events: EventControl
  readonly media: MediaControl
  readonly scenario: ScenarioControl
  readonly openapi: OpenapiControl

  constructor(core: ControlCore) {
    this.#core = core
    this.clock = new ClockControl(core)
    this.tasks = new TaskControl(core)
    this.rules = new RuleControl(core)
    this.journal = new JournalControl(core)
    this.state = core.state
    this.events = new EventControl(this, core)
    this.media = new MediaControl(core)
    this.scenario = new ScenarioControl(core)
    this.openapi = new OpenapiControl(core)
  }

  health(): Health {
    const { draws, media, namespaces } = this.#core
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
    const { namespaces, tasks } = this.#core
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
    return this.#core.verdicts.of(namespace)
  }

  /** Forgets tasks, exchanges or both of a namespace, but keeps its time. */
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void {
    const { namespaces, messages } = this.#core
    if (!namespaces.has(namespace)) return
    if (what.journal) {
      namespaces.get(namespace).journal.clear()
      messages?.forget(namespace)
    }
    if (what.tasks) clearTasks(this.#core, namespace)
  }
}

/** Works without a token, too. */
export const healthPath = '/health'

const healthSchema = once(() =>
  named(
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
          version: z.exactOptional(z.string()),
          reason: z.exactOptional(z.string()),
        }),
        namespaces: integer,
      } satisfies FieldsOf<Health>),
      { version: true, node: true, seed: true, encoder: true, namespaces: true },
    ),
    'Versions, seed and encoder. Without the control token only `ready`.',
  ),
)

const namespaceSchema = once(() =>
  z.object({
    name: z.string(),
    tasks: integer,
    requests: integer,
    mode: z.enum(clockModes),
    now: instant,
  } satisfies FieldsOf<NamespaceSummary>),
)

const route = routesFor<Control>()
const cleared = () => ({ answer: { json: z.object({ cleared: z.array(z.string()) }) } })

const ownRoutes: readonly ControlRoute<Control>[] = [
  route(
    `GET ${healthPath}`,
    'versions, seed, encoder; without the control token only that the server runs',
    () => ({ answer: { json: healthSchema() } }),
    (control) => control.health(),
  ),
  route(
    'GET /namespaces',
    'the namespaces, with how many tasks and requests each has',
    () => ({ answer: { json: z.array(namespaceSchema()) } }),
    (control) => control.namespaces(),
  ),
  route(
    'GET /verdict',
    'what clients did right and wrong',
    () => ({ answer: { json: z.looseObject({ invariants: z.array(invariantSchema()) }) } }),
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
