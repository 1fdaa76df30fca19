import { pickServerFlags } from '../serve/server-flags.ts'
import type { OwnApi } from '../../engine/operations/own-api.ts'
import { nameApiFile } from '../../files/code/load-apis.ts'
import { pluralize } from '../../engine/wording.ts'
import { resolve } from 'node:path'
import { nodeMedia } from '../../media/node.ts'
import { placeText } from '../../files/error.ts'
import type { LintFinding, LoadedScenario } from '../../files/types.ts'
import { lintLoaded } from '../../files/lint/lint.ts'
import { namesOf } from '../../files/names.ts'
import { clockOptions, mediaOptions } from '../../simulator/options.ts'
import { composeSimulator } from '../../simulator/simulator.ts'
import { run } from '../run/run.ts'
import { loadScenarios, scenarioOptions, shortenPath, type NamedScenario } from '../run/scenarios.ts'
import {
  type Command,
  exitCodes,
  type Flags,
  readTextFlags,
  showControls,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { formatProgram } from '../terminal/program.ts'

/** `greenroom check`: finds mistakes in scenario files. */
export const check: Command = {
  argumentHelp: 'Scenario files to check, or names of shipped scenarios',
  options: {
    drive: { type: 'boolean', describe: 'Run the steps of drive with the reference client  [default: true]' },
    ...pickServerFlags(['api']),
  },
  epilogue: [
    'Checks every key and value, finds entries without an effect, such as a rule that never fires, and then runs the steps of drive with the reference client. Mistakes fail the check; advice does not. It also calls each operation of APIs of yours twice, and says which replies differ, and what it could not try.',
    `Exit codes: those of run; ${exitCodes.badFile} a file is invalid, ${exitCodes.notAllTried} no operation of an API could be tried.`,
  ],
  examples: [
    ['greenroom check scenarios/*.yaml', 'check your scenarios'],
    ['greenroom check --api ./acme.ts', 'check the definition of an API'],
  ],
  run: async (input, terminal) => {
    const { flags } = input
    const { folder, print, warn } = terminal
    const names = input.args
    const apis = readTextFlags(flags, 'api')
    if (names.length === 0 && apis.length === 0)
      throw new UsageError(
        `greenroom check needs a scenario: a file, or a name that greenroom scenarios lists. See ${formatProgram(terminal.environment)} check --help.`,
      )
    const files = await loadScenarios(names, folder, apis)
    const tried = new Set([...apis, ...files.flatMap(({ loaded }) => loaded.scenario.config?.apis ?? [])])
    const trials = await reportTrials([...tried], terminal)
    let { mistakes } = trials
    for (const each of files) {
      const found = lintLoaded(each.loaded)
      const problem = await findStartProblem(each.loaded)
      if (problem) found.push({ ...problem, at: each.loaded.at(problem.place) })
      for (const { at, severity, message } of found) {
        const file = at.file === resolve(folder, each.file) ? each.file : shortenPath(folder, at.file)
        warn(showControls(`${placeText({ ...at, file })}: ${severity}: ${message}`))
      }
      const own = found.filter(({ severity }) => severity === 'mistake').length
      if (own === 0) print(summarize(each))
      mistakes += own
    }
    if (mistakes > 0) return exitCodes.badFile
    if (trials.isUntried) return exitCodes.notAllTried
    return flags['drive'] === false ? exitCodes.ok : driveFiles(files, flags, terminal)
  },
}

/** What trials of APIs of users found. */
interface Trials {
  readonly mistakes: number
  /** Whether no operation of some API could be tried. */
  readonly isUntried: boolean
}

/** Tries the APIs of users. */
async function reportTrials(
  apis: readonly (string | OwnApi)[],
  { folder, print, warn }: Terminal,
): Promise<Trials> {
  if (apis.length === 0) return { mistakes: 0, isUntried: false }
  const { tryApis } = await import('./try-apis.ts')
  let mistakes = 0
  let isUntried = false
  for (const api of apis) {
    const name = typeof api === 'string' ? nameApiFile(api, folder) : api.name
    const found = await tryApis([api])
    const count = found.untried.length
    for (const message of found.mistakes) warn(`${name}: mistake: ${message}`)
    for (const message of found.untried) warn(`${name}: hint: ${message}`)
    if (count > 0)
      print(`${name}: tried, apart from ${count} of ${pluralize(found.tried + count, 'operation')}`)
    else if (found.mistakes.length === 0) print(`${name}: ok`)
    mistakes += found.mistakes.length
    isUntried ||= found.tried === 0
  }
  return { mistakes, isUntried }
}

function summarize({ file, loaded: { scenario } }: NamedScenario): string {
  const { rules = [], throttles = [], drive = [] } = scenario
  const counts = [
    pluralize(rules.length, 'rule'),
    pluralize(throttles.length, 'throttle'),
    pluralize(drive.length, 'step'),
  ]
  return `${file}: ok, ${counts.join(', ')}`
}

/** Runs the files that have steps for the reference client. */
async function driveFiles(
  files: readonly NamedScenario[],
  { api }: Flags,
  terminal: Terminal,
): Promise<number> {
  const driven = files.filter(({ loaded }) => (loaded.scenario.drive ?? []).length > 0)
  if (driven.length === 0) return exitCodes.ok
  const args = driven.map(({ loaded }) => loaded.files[0]!)
  return run.run({ flags: { strict: false, ...(api !== undefined && { api }) }, args, wrapped: [] }, terminal)
}

/** Creates a simulator, to find problems that valid options can have, such as a missing encoder. */
async function findStartProblem({ scenario, ...loaded }: LoadedScenario): Promise<LintFinding | undefined> {
  const options = scenarioOptions({ scenario, ...loaded }, {})
  try {
    const media = nodeMedia({ ffmpeg: options.ffmpeg, cacheDir: false, ...mediaOptions(options) })
    await composeSimulator({ ...options, media, clock: clockOptions(options, 'auto') }).close()
    return undefined
  } catch (error) {
    const { message } = error as Error
    return { severity: 'mistake', place: findPlace(message, scenario), message }
  }
}

/** Finds the place of a message, which begins with a key of the config, or names the rule or limit. */
function findPlace(message: string, scenario: LoadedScenario['scenario']): PropertyKey[] {
  const [, id] = /^Failed to add (?:rule|limit) "([^"]+)"/.exec(message) ?? []
  const named = namesOf(scenario).find((name) => name.id === id)
  if (named) return [...named.place]
  const [path = ''] = /^[\w.[\]]+/.exec(message) ?? []
  return ['config', ...path.split(/[.[\]]+/).filter((key) => key !== '')]
}
