import { basename, extname, relative, resolve } from 'node:path'
import { readFile } from 'node:fs/promises'
import type { Flow } from '../../scenario/vocabulary/types.ts'
import { findScenario } from '../run/shipped.ts'
import {
  exitCodes,
  readText,
  UsageError,
  type Command,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { choose } from './choose.ts'
import { schemaLine, startFile } from './new-file.ts'
import {
  draftApis,
  draftScenario,
  troubleNames,
  troublesOf,
  troubleSummary,
  type TroubleName,
} from './scenario-draft.ts'

/** `greenroom new`: a scenario to begin with. */
export const newScenario: Command = {
  argumentHelp: 'File to write, such as flaky.yaml',
  options: {
    api: { choices: draftApis, describe: 'Choose what your client calls  [default: video]' },
    trouble: { choices: troubleNames, describe: 'Choose what goes wrong  [default: errors]' },
    from: {
      type: 'string',
      describe: 'Copy a scenario instead: a name that greenroom scenarios lists, or a file',
    },
    force: { type: 'boolean', describe: 'Replace the file if it exists' },
  },
  epilogue: [
    'Without --api, --trouble and --from, asks for them if it runs in a terminal.',
    `Troubles:\n${troubleNames.map((name) => `  ${name.padEnd(12)}${troubleSummary(name)}`).join('\n')}`,
    `Exit codes: ${exitCodes.usage} wrong flag, ${exitCodes.badFile} the file can't be written.`,
  ],
  examples: [
    ['greenroom new flaky --api chat --trouble rate-limit', 'write flaky.yaml'],
    ['greenroom new mine --from lost-polls', 'copy a scenario to change it'],
  ],
  run: async ({ flags, args }, terminal) => {
    const name = args[0]!
    const path = resolve(terminal.folder, extname(name) === '' ? `${name}.yaml` : name)
    if (!['.yaml', '.yml'].includes(extname(path)))
      throw new UsageError(`${name}: name a file that ends in .yaml.`)
    const text = await writeText(path, flags, terminal)
    const file = await startFile(path, { replace: flags['force'] === true })
    await file.put(Buffer.from(text)).finally(file.close)
    const short = relative(terminal.folder, path)
    terminal.print(`Wrote ${short}. Next:\n  greenroom check ${short}\n  greenroom run ${short} -- npm test`)
    return exitCodes.ok
  },
}

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
  const isSilent = !ask || flags['api'] !== undefined || flags['trouble'] !== undefined
  const api = isSilent
    ? ((flags['api'] ?? 'video') as Flow)
    : await choose(ask, 'What does your client call?', draftApis)
  const possible = troublesOf(api)
  const trouble = isSilent
    ? ((flags['trouble'] ?? 'errors') as TroubleName)
    : await choose(ask, 'What goes wrong?', possible, troubleSummary)
  if (possible.includes(trouble)) return { api, trouble }
  throw new UsageError(`--trouble ${trouble} is not for --api ${api}. Use one of ${possible.join(', ')}.`)
}
