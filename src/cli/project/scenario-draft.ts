import type { ApiFlow } from '../../apis/define/flow.ts'
import { findFlow, flowsWith, operationsWith, shippedFlows } from '../../apis/index.ts'
import type { KindName, DriveStep, Flow, Rule, Scenario } from '../../scenario/vocabulary/types.ts'
import { basename, extname, resolve } from 'node:path'
import { isShippedApi, loadApis, shippedApis } from '../../files/code/load-apis.ts'
import { readFile } from 'node:fs/promises'
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
import { schemaLine, startFile } from './new-file.ts'
import { pathFrom } from './project.ts'
import { didYouMean } from '../../engine/did-you-mean.ts'

/** The flows that a draft can be about: those of the reference client. */
export const draftApis = shippedFlows.map(({ name }) => name)

/** The flows for which `greenroom init` writes a first test. */
export const firstApis = shippedFlows.filter(({ first }) => first !== undefined).map(({ name }) => name)

/** The addition of a trouble to a scenario. */
interface Trouble {
  readonly summary: string
  /** Returns undefined for an API that can't have the trouble. */
  readonly rule: (flow: ApiFlow) => Omit<Rule, 'id'> | undefined
  readonly drive?: Partial<DriveStep>
  /** Whether the task fails. */
  readonly isFailure?: true
}

const taskRule =
  (task: Rule['task']) =>
  ({ operations: { submit, poll } }: ApiFlow): Omit<Rule, 'id'> | undefined =>
    poll === undefined ? undefined : { match: { op: submit }, task: task! }

const troubles = {
  errors: {
    summary: 'the first requests are refused with 503',
    rule: ({ operations: { submit } }) => ({ match: { op: submit }, attempts: [503, 503, 'ok'] }),
  },
  'rate-limit': {
    summary: 'the first request is refused with 429 and Retry-After',
    rule: ({ operations: { submit } }) => ({
      match: { op: submit },
      attempts: [{ respond: { status: 429, retryAfter: '10s' } }, 'ok'],
    }),
  },
  reset: {
    summary: 'a connection is reset: of a poll, or of the request for a text',
    rule: ({ operations: { submit, poll = submit } }) => ({ match: { op: poll }, attempts: ['reset', 'ok'] }),
  },
  slow: {
    summary: 'the first response takes 20 s',
    rule: ({ operations: { submit } }) => ({ match: { op: submit }, on: 1, delay: '20s' }),
  },
  failure: {
    summary: 'the task fails with a reason',
    rule: taskRule({ outcome: 'failure', failAt: '60%', reason: 'content policy: prompt rejected' }),
    isFailure: true,
  },
  stuck: {
    summary: 'the task never leaves the queue',
    rule: taskRule({ queued: 'forever', expire: { after: '8m', reason: 'timeout: no worker' } }),
    drive: { giveUpAfter: '15m' },
    isFailure: true,
  },
  download: {
    summary: 'the first download ends early',
    rule: ({ operations: { download } }) =>
      download === undefined
        ? undefined
        : { match: { op: download }, attempts: [{ fault: { type: 'truncate', at: '40%' } }, 'ok'] },
  },
  stream: {
    summary: 'the stream is reset after some words',
    rule: ({ operations: { submit }, isStream }) =>
      isStream
        ? { match: { op: submit }, on: 1, stream: { error: { afterChunk: 3, kind: 'reset' } } }
        : undefined,
  },
} as const satisfies Readonly<Record<string, Trouble>>

export type TroubleName = keyof typeof troubles

export const troubleNames = Object.keys(troubles) as readonly TroubleName[]

export const troubleSummary = (name: TroubleName): string => troubles[name].summary

/** The troubles that an API can have. */
export function troublesOf(flow: ApiFlow): TroubleName[] {
  return troubleNames.filter((name) => (troubles[name] as Trouble).rule(flow) !== undefined)
}

/** What a draft is about. */
export interface DraftApi {
  readonly flow: ApiFlow
  /** The value of `apis` that serves it; none for an API of the gateway. */
  readonly apis: readonly string[]
  /** The word of `--api`, if it names a file or a shipped API. */
  readonly word?: string
}

/** Writes a scenario that a good client passes. */
export function draftScenario(name: string, { flow, apis, word }: DraftApi, trouble: TroubleName): Scenario {
  const { submit } = flow.operations
  const { rule, drive = {}, isFailure }: Trouble = troubles[trouble]
  const operations = operationsWith(apis)
  const kind = operations.find(submit)?.tasks
  const { success, failure } = operations.lifecycleOf(kind)?.roles ?? {}
  const hasSize = flow.reads.includes('size')
  return {
    version: 1,
    name,
    ...(word !== undefined && isShippedApi(word) && { config: { apis: [word] } }),
    rules: [{ id: trouble, ...rule(flow)! }],
    drive: [
      {
        flow: flow.name,
        prompt: 'a paper boat in the rain',
        ...(hasSize && { seconds: 1, size: '128x96' }),
        ...drive,
      },
    ],
    expect: {
      ...(kind === undefined
        ? { requests: [{ op: submit, status: 200, outcome: 'completed', count: { min: 1 } }] }
        : { tasks: [{ kind: kind as KindName, status: (isFailure ? failure : success)! }] }),
      always: [
        'auth-on-every-call',
        ...(kind === undefined ? [] : (['no-poll-after-terminal', 'no-duplicate-submit'] as const)),
      ],
    },
  }
}

/** The flags of `greenroom init` for one scenario. */
export const scenarioFlags = {
  scenario: { type: 'string', describe: 'Write this scenario only, such as flaky.yaml, and nothing else' },
  trouble: { choices: troubleNames, describe: 'Choose what goes wrong in the scenario  [default: errors]' },
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
  const { draft, trouble } = await chooseDraft(flags, terminal)
  const { stringify } = await import('yaml')
  const scenario = draftScenario(basename(path, extname(path)), draft, trouble)
  const comment = `# What goes wrong: ${troubleSummary(trouble)}.`
  return `${line}\n${comment}\n${stringify(scenario, { lineWidth: 110 })}`
}

async function chooseDraft(
  flags: Flags,
  terminal: Terminal,
): Promise<{ draft: DraftApi; trouble: TroubleName }> {
  const { ask } = terminal
  const isSilent = !ask || ['api', 'trouble', 'yes'].some((each) => flags[each] !== undefined)
  const api = isSilent
    ? (readText(flags, 'api') ?? draftApis[0]!)
    : await choose(ask, 'What does your client call?', draftApis)
  const draft = await findDraft(api, terminal.folder)
  const possible = troublesOf(draft.flow)
  const trouble = isSilent
    ? ((flags['trouble'] ?? 'errors') as TroubleName)
    : await choose(ask, 'What goes wrong?', possible, troubleSummary)
  if (possible.includes(trouble)) return { draft, trouble }
  throw new UsageError(`--trouble ${trouble} is not for --api ${api}. Use one of ${possible.join(', ')}.`)
}

/**
 * Finds what `--api` names: an API of the gateway, a file with a definition, or a shipped one.
 * @throws {UsageError} for another word, and for a definition that has nothing to submit and poll. {ScenarioError} for a file that can't be
 * read.
 */
export async function findDraft(word: string, folder: string): Promise<DraftApi> {
  if ((draftApis as readonly string[]).includes(word)) return { flow: findFlow(word as Flow), apis: [] }
  const shipped = shippedApis()
  if (isShippedApi(word) && !shipped.includes(word)) {
    const names = [...draftApis, ...shipped]
    throw new UsageError(
      `--api is "${word}": ${didYouMean(word, names).trim() || 'there is no such API.'} Use one of ${names.join(', ')}, or a file that defines an API.`,
    )
  }
  const apis = (await loadApis([word], folder)) as string[]
  const flow = flowsWith(apis)[shippedFlows.length]
  if (flow) return { flow, apis, word }
  throw new UsageError(`--api ${word} has no operation to submit a job, or none to poll it.`)
}

/** Asks until the answer is one of the choices, by name or number. The default is the first. */
export async function choose<Name extends string>(
  ask: NonNullable<Terminal['ask']>,
  question: string,
  names: readonly Name[],
  describe: (name: Name) => string = () => '',
): Promise<Name> {
  const width = Math.max(...names.map((name) => name.length)) + 2
  const list = names.map((name, index) => `  ${index + 1}  ${name.padEnd(width)}${describe(name)}`.trimEnd())
  let prompt = `${question}\n${list.join('\n')}\nNumber or name [${names[0]!}]: `
  for (;;) {
    const answer = (await ask(prompt)).trim()
    const chosen =
      answer === '' ? names[0] : (names[Number(answer) - 1] ?? names.find((name) => name === answer))
    if (chosen) return chosen
    prompt = `"${answer}" is none of them.${didYouMean(answer, names)}\nNumber or name [${names[0]!}]: `
  }
}
