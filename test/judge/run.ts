import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'
import type { Expect } from '../../src/index.ts'
import { type Watch, watchJournal } from '../../src/judge/watch.ts'
import { createWatch, findHorizon, judge } from '../../src/judge/judge.ts'
import type { Verdict } from '../../src/judge/verdict.ts'
import { Client, type Bug, type World } from './client.ts'

export interface ClientRun {
  readonly watch: Watch
  readonly sim: EmbeddedSimulator
  readonly verdict: Verdict
}

/** Runs clients against a simulator and judges them. Their trouble is their own: a mutant may give up. */
export async function run(
  options: EmbeddedOptions,
  story: (client: (as?: string, more?: Partial<World>) => Client) => Promise<unknown>,
  { expect = {}, bugs = [] }: { expect?: Expect; bugs?: readonly Bug[] } = {},
): Promise<ClientRun> {
  await using sim = createSimulator({ seed: 7, cacheDir: false, ...options })
  const watch = createWatch(expect)
  watchJournal(sim.core.namespaces.get('default').journal, watch)
  const client = (as = 'client', more: Partial<World> = {}): Client =>
    new Client({
      fetch: sim.fetch,
      sleep: (durationMs) => sim.clock.sleep(durationMs, { as }),
      bugs,
      ...more,
    })
  await story(client).catch(() => {})
  const horizon = findHorizon(watch)
  if (horizon !== null && horizon > sim.clock.now()) await sim.clock.advance(horizon - sim.clock.now())
  const rules = sim.core.rules.counts()
  const verdict = judge({ watch, tasks: sim.tasks(), rules, now: sim.clock.now(), name: 'a run', seed: 7 })
  return { watch, sim, verdict }
}
