import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describeFileError } from '../../files/file-error.ts'
import { packagePath } from '../../files/package-path.ts'
import { readVariables } from '../run/run-flags.ts'
import {
  exitCodes,
  FileError,
  readText,
  repeatable,
  UsageError,
  type Command,
  type Example,
  type Flags,
  type Terminal,
} from '../terminal/command.ts'
import { formatCommands, textStyle, wrap, type TextStyle } from '../terminal/style.ts'
import {
  choose,
  findDraft,
  scenarioFlags,
  troubleHelp,
  writeScenario,
  draftApis,
  firstApis,
  type DraftApi,
} from './scenario-draft.ts'
import type { Flow } from '../../scenario/vocabulary/types.ts'
import { findFlow } from '../../apis/index.ts'
import { draftFiles, type Choices, type FirstFile, type FirstFiles } from './first-files.ts'
import {
  dependency,
  isFromNpm,
  ownCopy,
  packLines,
  tarball,
  pathFrom,
  readProject,
  runnerPackages,
  testRunners,
  type Project,
  type TestRunner,
} from './project.ts'
import { startFile } from './new-file.ts'
import { findClient } from './find-client.ts'

/** `greenroom init`: writes the first files of a project. Its tests pass without changes. */
export const init: Command = {
  wrapsCommand: true,
  options: {
    api: {
      type: 'string',
      describe: `Choose what your client calls: ${draftApis.join(', ')}, a file that defines an API, or a shipped one, such as replicate  [default: video]`,
    },
    runner: {
      choices: testRunners,
      describe: 'Write the test for this runner  [default: what package.json names, else node]',
    },
    env: repeatable(
      'Set a variable by which your client finds the gateway, such as MY_GATEWAY=${url}/v1 or MY_KEY=${key}',
    ),
    ci: { type: 'boolean', describe: 'Write a workflow for GitHub Actions  [default: true]' },
    yes: { type: 'boolean', alias: 'y', describe: 'Take the defaults and ask nothing' },
    'dry-run': { type: 'boolean', describe: 'List the files and write none' },
    force: { type: 'boolean', describe: 'Replace files that exist' },
    ...scenarioFlags,
    agent: {
      type: 'boolean',
      describe: 'Write only a skill, with which coding agents find and fix mistakes of a client',
    },
  },
  epilogue: [
    'Writes a config, a scenario, a test and a workflow for CI. Asks two questions in a terminal, unless --yes or a flag answers them; files that exist stay. With --scenario, it writes one scenario only. With COMMAND, which starts your program, the workflow plays the scenario to it.',
    troubleHelp,
    `Exit codes: ${exitCodes.usage} wrong flag, ${exitCodes.badFile} a file can't be written.`,
  ],
  examples: [
    ['greenroom init -- node client.js', 'answer two questions, and write files for your program'],
    ['greenroom init --scenario flaky --api chat --trouble rate-limit', 'write flaky.yaml only'],
  ],
  run: async ({ flags, wrapped }, terminal) => {
    const only = (['agent', 'scenario'] as const).find((name) => flags[name] !== undefined)
    if (only !== undefined && wrapped.length > 0)
      throw new UsageError(`--${only} writes no workflow, so it takes no command after "--".`)
    if (flags['agent'] === true) {
      await writeFiles(agentFiles(readProject(terminal.folder).folder, flags), flags, terminal)
      terminal.print(`\n${agentAdvice}`)
      return exitCodes.ok
    }
    const scenario = readText(flags, 'scenario')
    if (scenario !== undefined) {
      await writeScenario(scenario, flags, terminal)
      return exitCodes.ok
    }
    const needless = (['trouble', 'from'] as const).find((name) => flags[name] !== undefined)
    if (needless !== undefined) throw new UsageError(`--${needless} needs --scenario with a file to write.`)
    const project = readProject(terminal.folder)
    const choices = { ...(await readChoices(flags, project, terminal)), client: wrapped }
    const drafts = await draftFiles(project, choices)
    await writeFiles([...packageFile(project, choices), ...drafts.files], flags, terminal)
    const isDryRun = flags['dry-run'] === true
    const style = textStyle(terminal)
    terminal.print(`\n${nextSteps(project, choices, drafts, { isDryRun, style })}`)
    return exitCodes.ok
  },
}

/** Where coding agents look for skills of a project: the folder that most of them share, and that of Claude Code. */
const skillFolders = ['.agents/skills', '.claude/skills']

const agentAdvice = `Ask your agent to "use the greenroom skill on" your client. An agent without skills needs a line in AGENTS.md:
  To check or fix a client of the gateway, follow ${skillFolders[0]}/greenroom/SKILL.md.`

/** Flags about other files. */
const otherFlags = ['scenario', 'trouble', 'from', 'api', 'runner', 'env', 'ci']

/**
 * The skill file for coding agents: how to explore a client, and to fix what is found.
 * @param folder that of the project.
 * @throws {UsageError} for a flag that is about other files.
 */
function agentFiles(folder: string, flags: Flags): FirstFile[] {
  const excluded = otherFlags.find((name) => flags[name] !== undefined)
  if (excluded !== undefined)
    throw new UsageError(`--agent excludes --${excluded}, because it writes the skill of an agent only.`)
  const text = readFileSync(packagePath('skills/greenroom/SKILL.md'), 'utf8')
  return skillFolders.map((skills) => ({ path: join(folder, skills, 'greenroom/SKILL.md'), text }))
}

/** Writes files, and prints what was done with each. */
async function writeFiles(files: readonly FirstFile[], flags: Flags, terminal: Terminal): Promise<void> {
  const isDryRun = flags['dry-run'] === true
  const { columns } = textStyle(terminal)
  for (const { path, text } of files) {
    const isNew = text !== undefined && (flags['force'] === true || !existsSync(path))
    if (isNew && !isDryRun) await writeNewFile(path, text, flags['force'] === true)
    const done = isNew ? (isDryRun ? 'would write' : 'wrote') : 'left'
    const why = isNew ? '' : text === undefined ? ' (it is your config)' : ' (it exists; --force replaces it)'
    terminal.print(wrap(`${done} ${pathFrom(terminal.folder, path)}${why}`, columns - 2, 2))
  }
}

async function readChoices(
  flags: Flags,
  project: Project,
  terminal: Terminal,
): Promise<Omit<Choices, 'client'>> {
  const given = flags['env'] === undefined ? undefined : readVariables(flags)
  const ask = flags['yes'] === true ? undefined : terminal.ask
  const describe = (name: Flow): string => findFlow(name).summary
  const word = readText(flags, 'api')
  const named = word === undefined ? undefined : await readApi(word, terminal.folder)
  const guess = findClient(project.folder, named ? [named.flow] : firstApis.map((name) => findFlow(name)))
  // The API that the project calls is the default.
  const apis = [...new Set([...(guess ? [guess.flow.name] : []), ...firstApis])]
  const chosen = ask && !named ? await choose(ask, 'What does your client call?', apis, describe) : apis[0]!
  const draft = named ?? { flow: findFlow(chosen), apis: [] }
  const found = guess?.flow === draft.flow ? guess : findClient(project.folder, [draft.flow])
  const defaults = found?.variables ?? draft.flow.first!.variables
  return {
    draft,
    isCalled: found !== undefined,
    runner: (flags['runner'] ?? project.runner) as TestRunner,
    variables: given ?? (ask ? await askForVariables(ask, defaults) : defaults),
    hasWorkflow: flags['ci'] !== false,
  }
}

/** @throws {UsageError} for an API without a first test. */
async function readApi(word: string, folder: string): Promise<DraftApi> {
  const draft = await findDraft(word, folder)
  if (draft.flow.first) return draft
  throw new UsageError(`--api ${word} needs --scenario. Without it, use one of ${firstApis.join(', ')}.`)
}

/** Asks for the name of each variable; the value stays that of the API. */
async function askForVariables(
  ask: NonNullable<Terminal['ask']>,
  defaults: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(defaults)) {
    const what =
      value === '${key}' ? 'API key' : `URL of the gateway${value.endsWith('/v1') ? ' (with /v1)' : ''}`
    let prompt = `Which environment variable gives your client the ${what}?\nName [${name}]: `
    let answer = ''
    for (;;) {
      answer = (await ask(prompt)).trim() || name
      if (/^[A-Za-z_]\w*$/.test(answer)) break
      prompt = `"${answer}" can't be a variable.\nName [${name}]: `
    }
    entries.push([answer, value])
  }
  return Object.fromEntries(entries)
}

/** Writes a package.json if there is none, because packages could not be installed without one. */
function packageFile({ folder, hasPackage }: Project, { runner }: Choices): FirstFile[] {
  if (hasPackage) return []
  const devDependencies = {
    greenroom: dependency,
    ...(isFromNpm(runner) && Object.fromEntries([runnerPackages[runner].split('@')])),
  }
  const text = `${JSON.stringify({ private: true, type: 'module', devDependencies }, null, 2)}\n`
  return [{ path: join(folder, 'package.json'), text }]
}

async function writeNewFile(path: string, text: string, replace: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
    throw new FileError(`Failed to write ${path}: ${describeFileError(error)}. Run greenroom init elsewhere.`)
  })
  const file = await startFile(path, { replace })
  await file.put(Buffer.from(text)).finally(file.close)
}

function nextSteps(
  { folder, hasPackage, hasGreenroom, missing }: Project,
  { runner, hasWorkflow }: Choices,
  { commands, testCommand }: FirstFiles,
  { isDryRun, style }: { isDryRun: boolean; style: TextStyle },
): string {
  const packages = missing(runner)
  const install = hasPackage ? `npm install --save-dev ${packages.join(' ')}` : 'npm install'
  const pack = hasGreenroom ? [] : packLines(ownCopy(folder))
  const steps: Example[] = [
    ...pack.map(
      (line) => [line, `pack this greenroom; commit ${tarball}, so that your CI finds it`] as const,
    ),
    ...(packages.length === 0 ? [] : [[install, 'install what is missing'] as const]),
    [commands[0]!, 'try the scenario with the reference client'],
    ...commands
      .slice(1)
      .map((command): Example =>
        command === testCommand
          ? [command, 'run the test, in which you then call your own client']
          : [command, 'play the scenario to your program'],
      ),
    ['npx greenroom serve', 'start the simulator for your application'],
  ]
  const ci = [commands.join(' && '), hasWorkflow ? 'a CI other than GitHub Actions' : 'your CI'] as const
  return [
    ...(isDryRun ? ['Nothing was written.'] : []),
    formatCommands('Next', steps, style),
    formatCommands('In CI', [ci], style),
  ].join('\n\n')
}
