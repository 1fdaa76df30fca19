import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { version } from '../../version.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { ControlCore } from '../core.ts'

/** The maximum number of listed clocks, because each is a time series. */
const maxListedClocks = 100

/** Counted in steps: there may be a hundred thousand tasks, and other requests need turns. */
const maxTasksPerTurn = 5_000

/** Shared by all simulators, because these metrics observe the process until it ends. */
const processMetrics = new Registry()
collectDefaultMetrics({ register: processMetrics })

/** The metrics of a simulator and its process. Every label has a bounded number of values. */
export function createRegistry(core: ControlCore): Registry {
  const registry = new Registry()
  addInfo(registry)
  addTraffic(registry, core)
  addTasks(registry, core)
  addRenders(registry, core)
  addClocks(registry, core)
  return Registry.merge([processMetrics, registry])
}

function addInfo(registry: Registry): void {
  const info = new Gauge({
    name: 'greenroom_info',
    help: 'Always 1; the version of greenroom is a label.',
    labelNames: ['version'],
    registers: [registry],
  })
  info.set({ version }, 1)
}

function addTraffic(registry: Registry, { traffic, activity }: ControlCore): void {
  const registers = [registry]
  addCounter({
    name: 'greenroom_requests_total',
    help: 'Requests that have ended. The status is "none" without a response, the operation if none serves the path.',
    labelNames: ['operation', 'status', 'outcome'],
    registers,
    values: function* () {
      for (const { operation, status, outcome, count } of traffic.responses())
        yield [
          { operation: operation ?? 'none', status: status === 0 ? 'none' : String(status), outcome },
          count,
        ]
    },
  })
  addCounter({
    name: 'greenroom_faults_total',
    help: 'Responses that a fault of a rule broke, by its kind.',
    labelNames: ['fault'],
    registers,
    values: function* () {
      for (const [fault, count] of traffic.faults) yield [{ fault }, count]
    },
  })
  new Gauge({
    name: 'greenroom_requests_in_progress',
    help: 'Requests without a complete response, and other work that the clock waits for.',
    registers,
    collect() {
      this.set(activity.open)
    },
  })
}

function addTasks(registry: Registry, { tasks, namespaces }: ControlCore): void {
  new Gauge({
    name: 'greenroom_tasks',
    help: 'Stored tasks of all namespaces, by their present state.',
    labelNames: ['kind', 'state'],
    registers: [registry],
    async collect() {
      const times = new Map(namespaces.all().map(({ name, clock }) => [name, clock.now()]))
      const counts = new Map(
        [...tasks.lifecycles()].map(({ name, states }) => [
          name,
          new Map(Object.keys(states).map((state) => [state, 0])),
        ]),
      )
      let read = 0
      for (const task of tasks.all()) {
        if (++read % maxTasksPerTurn === 0) await nextTurn()
        const ofKind = counts.get(task.lifecycle.name)!
        const { state } = tasks.view(task, times.get(task.record.namespace) ?? task.record.submittedAt)
        ofKind.set(state, (ofKind.get(state) ?? 0) + 1)
      }
      this.reset()
      for (const [kind, ofKind] of counts)
        for (const [state, count] of ofKind) this.set({ kind, state }, count)
    },
  })
}

function addRenders(registry: Registry, { media }: ControlCore): void {
  const registers = [registry]
  addCounter({
    name: 'greenroom_renders_total',
    help: 'Renders of clips and images that have ended. What comes from a cache is not rendered.',
    labelNames: ['media', 'result'],
    registers,
    values: function* () {
      for (const [made, { done, failed, dropped }] of Object.entries(media.renders?.() ?? {})) {
        yield [{ media: made, result: 'done' }, done]
        yield [{ media: made, result: 'failed' }, failed]
        yield [{ media: made, result: 'dropped' }, dropped]
      }
    },
  })
  new Gauge({
    name: 'greenroom_renders_in_progress',
    help: 'Renders that run or wait for their turn.',
    labelNames: ['media', 'state'],
    registers,
    collect() {
      for (const [made, { running, waiting }] of Object.entries(media.renders?.() ?? {})) {
        this.set({ media: made, state: 'running' }, running)
        this.set({ media: made, state: 'waiting' }, waiting)
      }
    },
  })
}

function addClocks(registry: Registry, { namespaces }: ControlCore): void {
  const registers = [registry]
  new Gauge({
    name: 'greenroom_namespaces',
    help: 'Namespaces in use.',
    registers,
    collect() {
      this.set(namespaces.all().length)
    },
  })
  new Gauge({
    name: 'greenroom_clock_time_seconds',
    help: `Virtual time of each namespace in seconds since 1970; of the first ${maxListedClocks} namespaces.`,
    labelNames: ['namespace', 'mode'],
    registers,
    collect() {
      this.reset()
      for (const { name, clock } of namespaces.all().slice(0, maxListedClocks))
        this.set({ namespace: name, mode: clock.mode }, clock.now() / 1000)
    },
  })
}

/** Adds a counter whose values are counted elsewhere. */
function addCounter<Label extends string>({
  values,
  ...configuration
}: {
  readonly name: string
  readonly help: string
  readonly labelNames: Label[]
  readonly registers: Registry[]
  readonly values: () => Iterable<[labels: Record<Label, string>, count: number]>
}): void {
  new Counter({
    ...configuration,
    collect() {
      this.reset()
      for (const [labels, count] of values()) this.inc(labels, count)
    },
  })
}
