import { basename, extname, resolve } from 'node:path'
import { readFile } from 'node:fs/promises'
import type { Flow } from '../../scenario/vocabulary/types.ts'
import { findScenario } from '../run/shipped.ts'
import {
  readText,
  UsageError,
  type Command,
  type Example,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { formatCommands, textStyle } from '../terminal/style.ts'
import { choose } from './choose.ts'
import { schemaLine, startFile } from './new-file.ts'
import { pathFrom } from './project.ts'
import {
  draftApis,
  draftScenario,
  troubleNames,
  troublesOf,
  troubleSummary,
  type TroubleName,
} from './scenario-draft.ts'

/** The flags of `greenroom init` for one scenario. */
export const scenarioFlags = {
  scenario: { type: 'string', describe: 'Write this scenario only, such as flaky.yaml, and nothing else' },
  trouble: { choices: troubleNames, describe: 'Choose what goes wrong in it  [default: errors]' },
  from: {
    type: 'string',
    describe: 'Copy a scenario instead: a name that greenroom scenarios lists, or a file',
  },
} as const satisfies Command['options']

/** The effect of each trouble, for help. */
export const troubleHelp = `Troubles:\n${troubleNames.map((name) => `  ${name.padEnd(12)}${troubleSummary(name)}`).join('\n')}`

/** Flags without meaning for a single scenario. */
const otherFlags = ['runner', 'env', 'ci', 'dry-run']

/**
 * Writes a scenario.
 * @param name the file. The default extension is .yaml.
 * @throws {UsageError} {FileError} for flags that exclude each other, and for a file that can't be written.
 */
export async function writeScenario(name: string, flags: Flags, terminal: Terminal): Promise<void> {
  const excluded = otherFlags.find((each) => flags[each] !== undefined)
  if (excluded !== undefined)
    throw new UsageError(`--scenario excludes --${excluded}, because it writes a scenario only.`)
  const path = resolve(terminal.folder, extname(name) === '' ? `${name}.yaml` : name)
  if (!['.yaml', '.yml'].includes(extname(path)))
    throw new UsageError(`--scenario is "${name}": name a file that ends in .yaml.`)
  const text = await writeText(path, flags, terminal)
  const file = await startFile(path, { replace: flags['force'] === true })
  await file.put(Buffer.from(text)).finally(file.close)
  const short = pathFrom(terminal.folder, path)
  terminal.print(`wrote ${short}\n\n${formatCommands('Next', nextSteps(short), textStyle(terminal))}`)
}

const nextSteps = (file: string): Example[] => [
  [`npx greenroom check ${file}`, 'try the scenario with the reference client'],
  [`npx greenroom run ${file} -- npm test`, 'run your tests against it'],
]

async function writeText(path: string, flags: Flags, terminal: Terminal): Promise<string> {
  const line = schemaLine(path, terminal.folder, 'scenario')
  const from = readText(flags, 'from')
  if (from !== undefined) {
    if (flags['api'] !== undefined || flags['trouble'] !== undefined)
      throw new UsageError('--from excludes --api and --trouble. Leave them out.')
    const text = await readFile(findScenario(from, terminal.folder), 'utf8')
    return `${line}\n${text.replace(/^# yaml-language-server:.*\n/, '')}`
  }
  const { api, trouble } = await chooseDraft(flags, terminal)
  const { stringify } = await import('yaml')
  const scenario = draftScenario(basename(path, extname(path)), api, trouble)
  const comment = `# What goes wrong: ${troubleSummary(trouble)}.`
  return `${line}\n${comment}\n${stringify(scenario, { lineWidth: 110 })}`
}

async function chooseDraft(flags: Flags, { ask }: Terminal): Promise<{ api: Flow; trouble: TroubleName }> {
  const isSilent = !ask || ['api', 'trouble', 'yes'].some((each) => flags[each] !== undefined)
  const api = isSilent
    ? ((flags['api'] ?? draftApis[0]) as Flow)
    : await choose(ask, 'What does your client call?', draftApis)
  const possible = troublesOf(api)
  const trouble = isSilent
    ? ((flags['trouble'] ?? 'errors') as TroubleName)
    : await choose(ask, 'What goes wrong?', possible, troubleSummary)
  if (possible.includes(trouble)) return { api, trouble }
  throw new UsageError(`--trouble ${trouble} is not for --api ${api}. Use one of ${possible.join(', ')}.`)
}
