import { drive, type DriveContext, type TaskOutcome } from '../../src/judge/client/drive.ts'
import { exampleKey } from '../../src/cli/serve/config-file.ts'
import { scenarioOptions } from '../../src/cli/run/scenarios.ts'
import type { JournalEntry } from '../../src/gateway/journal.ts'
import type { DriveStep } from '../../src/scenario/vocabulary/types.ts'
import type { LoadedScenario } from '../../src/files/types.ts'
import type { Verdict } from '../../src/judge/index.ts'
import { openDirect, openMsw, openSocket } from './transports.ts'

/** How to run a scenario. */
export interface Played {
  readonly transport?: 'direct' | 'msw' | 'socket'
  readonly seed?: string
  /** The defect of the client. */
  readonly mutate?: (step: DriveStep, parts: DriveContext) => { step: DriveStep; parts: DriveContext }
}

const openers = { direct: openDirect, msw: openMsw, socket: openSocket }

/** Runs a scenario with the reference client, like `greenroom check`, and returns the verdict. */
export async function play(
  { scenario }: LoadedScenario,
  { transport = 'direct', seed, mutate = (step, parts) => ({ step, parts }) }: Played = {},
): Promise<{ verdict: Verdict; outcomes: TaskOutcome[]; journal: JournalEntry[] }> {
  const flags = seed === undefined ? {} : { seed }
  const { port: _port, host: _host, ...options } = scenarioOptions({ scenario } as LoadedScenario, flags)
  const { expect = {} } = scenario
  await using opened = await openers[transport]({ ...options, cacheDir: false })
  const { sim } = opened
  const run = sim.watch(expect)
  const outcomes: TaskOutcome[] = []
  for (const step of scenario.drive ?? []) {
    const { sleep, now, join } = sim.clock
    const given = mutate(step, {
      fetch: opened.fetch,
      url: opened.url,
      key: exampleKey(options),
      apis: options.apis,
      sleep,
      now,
      join: (name) => join(name).leave,
    })
    outcomes.push(...(await drive(given.step, given.parts)))
  }
  const verdict = await run.verdict()
  return { verdict, outcomes, journal: sim.journal() }
}

/** Describes the failures of a verdict. */
export function failuresOf({ results }: Verdict): string[] {
  return results.filter(({ fails }) => fails).map(({ title, actual }) => `${title} (${actual})`)
}
