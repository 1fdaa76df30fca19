import type { EncoderStatus } from '../media/source.ts'
import { version } from '../version.ts'
import { ClockControl, clockRoutes } from './clock.ts'
import type { ControlDeps } from './deps.ts'
import { JournalControl, journalRoutes } from './journal.ts'
import { controlPrefix, type ControlRoute } from './route.ts'
import { RuleControl, ruleRoutes } from './rules.ts'
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

/** The control API, one part for each noun. Over HTTP each method is a route under `/_greenroom`. */
export class Control {
  readonly #deps: ControlDeps
  readonly clock: ClockControl
  readonly tasks: TaskControl
  readonly rules: RuleControl
  readonly journal: JournalControl
  readonly state: StateControl

  constructor(deps: ControlDeps) {
    this.#deps = deps
    this.clock = new ClockControl(deps)
    this.tasks = new TaskControl(deps)
    this.rules = new RuleControl(deps)
    this.journal = new JournalControl(deps)
    this.state = deps.state
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

  /** Forgets tasks, exchanges or both of a namespace, but not its time. */
  clear(namespace: string, what: { journal?: boolean; tasks?: boolean }): void {
    const { namespaces, tasks, forget } = this.#deps
    if (!namespaces.has(namespace)) return
    const { journal, clock, acceptances, attempts, retries } = namespaces.get(namespace)
    if (what.journal) journal.clear()
    if (!what.tasks) return
    // Without its tasks a namespace is as new: the same request gets the same id and the same decisions again.
    tasks.clear(namespace, clock.now())
    acceptances.clear()
    attempts.clear()
    retries.clear()
    clock.forgetClients()
    forget(namespace)
  }
}

const ownRoutes: readonly ControlRoute<Control>[] = [
  {
    methods: ['GET'],
    path: '/health',
    does: 'versions, seed, encoder',
    call: (control) => control.health(),
  },
  {
    methods: ['DELETE'],
    path: '/journal',
    does: 'forget the exchanges',
    call: (control, { namespace }) => clear(control, namespace, { journal: true }),
  },
  {
    methods: ['DELETE'],
    path: '/tasks',
    does: 'forget the tasks',
    call: (control, { namespace }) => clear(control, namespace, { tasks: true }),
  },
  {
    methods: ['POST'],
    path: '/reset',
    does: 'forget tasks and exchanges',
    call: (control, { namespace }) => clear(control, namespace, { tasks: true, journal: true }),
  },
]

function clear(control: Control, namespace: string, what: { journal?: boolean; tasks?: boolean }): unknown {
  control.clear(namespace, what)
  return { cleared: Object.keys(what) }
}

/** Routes of a part as routes of the whole, with the prefix in their paths. */
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

/** All calls but the index. */
export const controlRoutes: readonly ControlRoute<Control>[] = [
  ...routesOf(ruleRoutes, (control) => control.rules),
  ...routesOf(stateRoutes, (control) => control.state),
  ...routesOf(clockRoutes, (control) => control.clock),
  ...routesOf(taskRoutes, (control) => control.tasks),
  ...routesOf(journalRoutes, (control) => control.journal),
  ...routesOf(ownRoutes, (control) => control),
]

/** Lists all calls. */
export const indexRoute: ControlRoute<Control> = {
  methods: ['GET'],
  path: controlPrefix,
  does: 'list all calls',
  call: () => ({
    greenroom: 'control plane',
    namespaces: 'add ?namespace=NAME, or call under /ns/NAME',
    calls: controlRoutes.map(({ methods, path, does }) => ({ call: `${methods.join(',')} ${path}`, does })),
  }),
}
