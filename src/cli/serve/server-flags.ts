import type * as z from 'zod/mini'
import { hintOf } from '../../scenario/schema/fields.ts'
import { checkAgainst, mistakeSentence } from '../../scenario/schema/mistakes.ts'
import { kindsTaken, wordsOf } from '../../scenario/schema/schema-walk.ts'
import { configSchema } from '../../scenario/vocabulary/config-schema.ts'
import type { Options } from 'yargs'
import { clockMapping, maxRate, isValidInstant, servedClockModes } from '../../engine/clock/clock-settings.ts'
import { isTokenFit, shortestToken } from '../../scenario/schema/token.ts'
import { clockOver } from '../../scenario/files/clock-over.ts'
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

const listFlag = (describe: string, read: (texts: string[]) => Partial<Config>): ServerFlag => ({
  options: { type: 'string', array: true, nargs: 1, describe: `${describe}; repeatable` },
  read: (name, value) => read([value].flat().map((each) => requireText(name, each))),
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
  start: textFlag('Start at this virtual time, an ISO date', (text, { clock }) => ({
    clock: { ...clockMapping(clock), start: readDate(text) },
  })),
  key: listFlag('Accept this API key, instead of every key that starts with sk-', (keys) => ({ keys })),
  'control-origin': listFlag('Let web pages of this origin call the control API', (controlOrigins) => ({
    controlOrigins,
  })),
  'control-token': textFlag(
    'Require this bearer token for the control API; also GREENROOM_CONTROL_TOKEN (not visible in the process list)',
    (text) => ({ controlToken: readToken(text) }),
  ),
  cache: switchFlag('Cache finished clips on disk, not only in memory  [default: true]', (isOn) =>
    isOn ? {} : { cacheDir: false },
  ),
  'state-salvage': {
    options: { type: 'boolean', hidden: true, describe: 'Gone: a state has no damaged lines any more' },
    read: () => {
      throw new UsageError(
        '--state-salvage is gone: a state has no damaged lines any more. Leave it out; if a state is damaged, restore ' +
          'a copy of the folder or give another one.',
      )
    },
  },
  // A list of hosts in the file stays, because the flag only turns fetching on.
  'fetch-images': switchFlag(
    'Fetch images that requests name by URL, from public hosts only',
    (isOn, config) => ({
      fetchImages: isOn && (config.fetchImages || true),
    }),
  ),
  magic: switchFlag('Follow directives in prompts  [default: true]', (promptDirectives) => ({
    promptDirectives,
  })),
} satisfies Readonly<Record<string, ServerFlag>>

/** A flag for each key that is marked in the schemas. */
const markedFlags = Object.fromEntries(
  Object.entries(configSchema._zod.innerType.shape)
    .filter(([, schema]) => hintOf(schema).isFlag)
    .map(([key, schema]) => [toFlag(key), keyFlag(key, schema)]),
)

/** The headings of flags in the help. Flags in no list are under "Flags". */
const groups: Readonly<Record<string, readonly string[]>> = {
  Time: ['clock', 'rate', 'start', 'timing'],
  'Images and videos': ['quality', 'audio', 'caption', 'fetch-images', 'ffmpeg', 'cache', 'cache-dir'],
  'Gateway behaviour': ['seed', 'profile', 'magic', 'key'],
  Server: ['port', 'host', 'public-url', 'shard', 'control-origin', 'control-token', 'state', 'state-sync'],
  Output: ['log', 'verbose', 'quiet', 'json', 'open', 'bodies'],
}

const allFlags: Readonly<Record<string, ServerFlag>> = { ...ownFlags, ...markedFlags }

/** The flags of `serve` that a config file may also set. A new flag only needs its key in the schemas. */
export const serverFlags: Readonly<Record<string, ServerFlag>> = Object.fromEntries(
  Array.from(new Set([...Object.values(groups).flat(), ...Object.keys(allFlags)]), (name) => {
    const { options, read } = allFlags[name]!
    const group = Object.keys(groups).find((each) => groups[each]!.includes(name))
    return [name, { read, options: { ...options, group } }]
  }),
)

function keyFlag(key: string, schema: z.ZodMiniType): ServerFlag {
  const { description } = hintOf(schema)
  const describe = toHelp(description)
  if (kindsTaken(schema).every((kind) => kind === 'boolean')) {
    return switchFlag(describe, (isOn) => ({ [key]: isOn }))
  }
  const choices = wordsOf(schema).filter((word) => typeof word === 'string')
  if (choices.length > 0) return choiceFlag(choices, describe, (choice) => ({ [key]: choice }))
  const isNumber = kindsTaken(schema).every((kind) => kind === 'number')
  return textFlag(describe, (text) => {
    const value = isNumber && /^\d+$/.test(text) ? Number(text) : text
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
  return Object.fromEntries(names.map((name) => [name, serverFlags[name]!.options]))
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

function readDate(text: string): string {
  if (isValidInstant(Date.parse(text))) return text
  throw new UsageError(
    `--start must be an ISO date from 1970 to 9999, such as 2030-01-01T00:00:00Z, not "${text}".`,
  )
}

function readToken(text: string): string {
  if (isTokenFit(text)) return text
  throw new UsageError(
    `--control-token must have at least ${shortestToken} letters, digits or symbols, and no spaces.`,
  )
}
