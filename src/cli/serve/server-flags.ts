import type * as z from 'zod/mini'
import { hintOf } from '../../scenario/schema/fields.ts'
import { checkAgainst, mistakeSentence } from '../../scenario/schema/mistakes.ts'
import { kindsTaken, literalsOf } from '../../scenario/schema/schema-walk.ts'
import { shippedOperations } from '../../apis/index.ts'
import { configSchema } from '../../scenario/vocabulary/config-schema.ts'
import type { Options } from 'yargs'
import { maxRate, servedClockModes, clockOver } from '../../engine/clock/clock-settings.ts'
import { requireText, UsageError, type Flags } from '../terminal/command.ts'
import type { Config } from './config-file.ts'

/** A flag for a key of the config file. */
interface ServerFlag {
  readonly options: Options
  /** Returns the part of the config that the flag sets. */
  readonly read: (name: string, value: unknown, config: Config) => Partial<Config>
}

const textFlag = (describe: string, read: (text: string, config: Config) => Partial<Config>): ServerFlag => ({
  options: { type: 'string', describe },
  read: (name, value, config) => read(requireText(name, value), config),
})

const choiceFlag = <Choice extends string>(
  choices: readonly Choice[],
  describe: string,
  read: (choice: Choice, config: Config) => Partial<Config>,
): ServerFlag => ({
  options: { choices, describe },
  read: (name, value, config) => read(requireText(name, value) as Choice, config),
})

const switchFlag = (
  describe: string,
  read: (isOn: boolean, config: Config) => Partial<Config>,
): ServerFlag => ({
  options: { type: 'boolean', describe },
  read: (_name, value, config) => read(value === true, config),
})

/** Flags that do more than set the key with their name. */
const ownFlags = {
  clock: choiceFlag(servedClockModes, 'Choose how time moves  [default: real]', (mode, { clock = {} }) => ({
    clock: clockOver(clock, { mode }),
  })),
  rate: {
    options: {
      type: 'string',
      nargs: 1,
      describe: 'Move this number of virtual seconds per real second; implies --clock scaled',
    },
    read: (_name, value, { clock = {} }) => ({ clock: clockOver(clock, { rate: readRate(value) }) }),
  },
  // The words of the command line name files; they are loaded before a command runs.
  api: {
    options: {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'Serve this API: a file that defines one, or a shipped one, such as replicate; repeatable',
    },
    read: (name, value, { apis = [] }) => ({
      apis: [...new Set([...apis, ...[value].flat().map((each) => requireText(name, each))])],
    }),
  },
  keys: {
    options: {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'Accept this API key, instead of every key that starts with sk-; repeatable',
    },
    read: (name, value) => ({ keys: [value].flat().map((each) => requireText(name, each)) }),
  },
  verbose: switchFlag(
    'Log ids, headers and timings of each request, and print banner lines to paste',
    (verbose) => ({ verbose }),
  ),
  open: switchFlag('Open the dashboard in a browser', (open) => ({ open })),
} satisfies Readonly<Record<string, ServerFlag>>

const { shape: shippedShape } = configSchema(shippedOperations)

/** A flag for each key that is marked in the schemas. */
const markedFlags = Object.fromEntries(
  Object.entries(shippedShape)
    .filter(([, schema]) => hintOf(schema).isFlag)
    .map(([key, schema]) => [toFlag(key), keyFlag(key, schema)]),
)

/** The flags of `serve` that a config file may also set, by their heading in the help. They often change between starts. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Time: ['clock', 'rate', 'timing'],
  'Gateway behaviour': ['seed', 'profile', 'keys', 'quality', 'api'],
  Server: ['port', 'host', 'shard', 'state', 'cache-dir'],
  Output: ['log', 'verbose', 'open'],
}

/** All flags that set a key of the config. */
const serverFlags: Readonly<Record<string, ServerFlag>> = { ...ownFlags, ...markedFlags }

export const serveFlagNames: readonly string[] = Object.values(groups).flat()

/** What to write instead of a flag for keys of the config that have none. */
export const serveFlagAdvice: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(shippedShape)
      .filter((key) => key !== 'apis' && !serveFlagNames.includes(toFlag(key)))
      .map((key) => [toFlag(key), `Set ${key} in the config file.`]),
  ),
  apis: 'Write --api.',
}

function keyFlag(key: string, schema: z.ZodMiniType): ServerFlag {
  const { description } = hintOf(schema)
  const describe = toHelp(description)
  if (kindsTaken(schema).every((kind) => kind === 'boolean')) {
    return switchFlag(describe, (isOn) => ({ [key]: isOn }))
  }
  const choices = literalsOf(schema).filter((word) => typeof word === 'string')
  if (choices.length > 0) return choiceFlag(choices, describe, (choice) => ({ [key]: choice }))
  const isNumber = kindsTaken(schema).every((kind) => kind === 'number')
  const takesFalse = literalsOf(schema).includes(false)
  return textFlag(describe, (text) => {
    const value =
      isNumber && /^\d+$/.test(text) ? Number(text) : takesFalse && text === 'false' ? false : text
    const checked = checkAgainst(schema, value)
    if ('mistakes' in checked) throw new UsageError(mistakeSentence(checked.mistakes[0]!, `--${toFlag(key)}`))
    return { [key]: value }
  })
}

function toFlag(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** A description as a line of help: `Default 5s.` becomes `[default: 5s]`. */
function toHelp(description: string): string {
  const [, sentence = '', usual] = /^(.*?)\.?(?: Default `?(.*?)`?\.)?$/.exec(description)!
  const text = sentence.replaceAll('`', '')
  return usual === undefined ? text : `${text}  [default: ${usual.replaceAll('`', '')}]`
}

/** The options of some flags, for yargs. */
export function pickServerFlags(names: readonly string[]): Record<string, Options> {
  const toGroup = (name: string): string | undefined =>
    Object.keys(groups).find((each) => groups[each]!.includes(name))
  return Object.fromEntries(
    names.map((name) => [name, { ...serverFlags[name]!.options, group: toGroup(name) }]),
  )
}

/**
 * Applies the flags of the server to a config. Other flags are ignored.
 * @throws {UsageError} for an invalid value.
 */
export function applyFlags(config: Config, flags: Flags): Config {
  const { rate, clock } = flags
  if (rate !== undefined && clock !== undefined && clock !== 'scaled') {
    throw new UsageError(`--rate needs --clock scaled, not --clock ${String(clock)}. Remove one of them.`)
  }
  return Object.entries(serverFlags)
    .filter(([name]) => flags[name] !== undefined)
    .reduce((applied, [name, { read }]) => ({ ...applied, ...read(name, flags[name], applied) }), config)
}

function readRate(value: unknown): number {
  const rate = Number(value)
  if (rate > 0 && rate <= maxRate) return rate
  throw new UsageError(`--rate is "${String(value)}": must be a number above 0 and up to ${maxRate}.`)
}
