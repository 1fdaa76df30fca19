import type { LoadedScenario } from '../scenario-file/types.ts'
import { sweep, type SweepVerdict, type Verdict } from '../verdict/index.ts'
import { exitCodes, UsageError, wordsOf, wrappedOf, type Command, type Terminal } from './command.ts'
import { loadScenarios, type NamedScenario } from './load-scenarios.ts'
import { reproduceLine } from './reproduce.ts'
import { readRunFlags, runFlags, type RunRequest } from './run-flags.ts'
import { writeReports } from './run-reports.ts'
import { scenarioOptions } from './scenario-options.ts'
import { runTrial } from './trial.ts'

/** `greenroom run`: plays scenarios to a command, and judges what it makes of them. */
export const run: Command = {
  name: 'run',
  summary: 'play scenario files to a command, or to the reference client, and judge it',
  words: { name: 'files', describe: 'Scenario files', least: 1, most: 1_000 },
  wraps: true,
  options: runFlags,
  epilogue: `COMMAND is run once for each file, and each seed, with the gateway on a port of its own. It finds it by
GREENROOM_URL and GREENROOM_KEY, OPENAI_BASE_URL and OPENAI_API_KEY, GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY, MJ_SERVER
and MJ_API_SECRET, and by what config.env of the file says. Without COMMAND the reference client does what drive says.

Exit codes: that of COMMAND when it fails, ${exitCodes.expectationFailed} an expectation failed, ${exitCodes.usage} a flag is wrong, ${exitCodes.badFile} a file is,
${exitCodes.cannotStart} the server could not start, ${exitCodes.stalled} a limit or a deadlock, ${exitCodes.interrupted} interrupted.`,
  run: async (flags, terminal) => {
    const request = readRunFlags(flags)
    const command = wrappedOf(flags)
    // Before anything runs, all files are known to be good.
    const loaded = await loadScenarios(wordsOf(flags), terminal)
    for (const { file, loaded: each } of loaded) {
      if (command.length > 0 || (each.scenario.drive ?? []).length > 0) continue
      throw new UsageError(
        `${file} says nothing of drive, so there is nobody to play it to. Put a command behind "--", or add drive.`,
      )
    }
    if (request.journal !== undefined && loaded.length > 1) {
      throw new UsageError('--journal records one run. Name one file.')
    }
    return runAll(loaded, { request, command }, terminal)
  },
}

async function runAll(
  files: readonly NamedScenario[],
  how: { request: RunRequest; command: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  const judged: (Verdict | SweepVerdict)[] = []
  let worst: number = exitCodes.ok
  for (const { file, loaded } of files) {
    const { verdicts, code } = await runSeeds(file, loaded, how, terminal)
    if (code === exitCodes.interrupted) return code
    const swept = how.request.seeds ? sweep(verdicts) : undefined
    judged.push(...(swept ? [swept] : verdicts))
    const own = code === exitCodes.ok && swept && !swept.passed ? exitCodes.expectationFailed : code
    if (worst === exitCodes.ok) worst = own
  }
  await writeReports(judged, how.request.reports, terminal)
  return worst
}

/** Runs one file under each seed. The first run that fails says how all of it ends. */
async function runSeeds(
  file: string,
  loaded: LoadedScenario,
  { request, command }: { request: RunRequest; command: readonly string[] },
  terminal: Terminal,
): Promise<{ verdicts: Verdict[]; code: number }> {
  const verdicts: Verdict[] = []
  let worst: number = exitCodes.ok
  for (const wanted of request.seeds ?? [undefined]) {
    const options = scenarioOptions(loaded, {
      ...request.config,
      ...(wanted === undefined ? {} : { seed: wanted }),
    })
    const seed = String(options.seed ?? 1)
    const flags = clockFlags(request)
    const reproduce = reproduceLine({ seed, file, flags, command })
    const { limitMs, journal } = request
    const trial = { loaded, file, options, command, limitMs, journal, reproduce }
    const { code, verdict } = await runTrial(trial, terminal)
    if (code === exitCodes.interrupted) return { verdicts, code }
    if (verdict) verdicts.push(verdict)
    if (worst === exitCodes.ok) worst = code
  }
  return { verdicts, code: worst }
}

function clockFlags({ config: { clock } }: RunRequest): string[] {
  if (clock?.rate !== undefined) return ['--rate', String(clock.rate)]
  return clock?.mode === undefined ? [] : ['--clock', clock.mode]
}
