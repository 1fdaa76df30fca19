import type { Options } from 'yargs'
import {
  fastestRate,
  isValidInstant,
  clockMapping,
  servedClockModes,
} from '../../engine/clock/clock-settings.ts'
import { profiles, type Profile } from '../../gateway/quirks.ts'
import { isTokenFit, shortestToken } from '../../gateway/token.ts'
import { clockOver } from '../../scenario/files/clock-over.ts'
import { defaultPort } from '../../server/start.ts'
import { paces, type TimingName } from '../../apis/video/lifecycle.ts'
import { UsageError } from './command.ts'
import type { Config } from '../serve/config.ts'

/** A flag of `serve`: how yargs reads it, and what it says in the config. */
interface Flag {
  readonly options: Options
  readonly apply: (config: Config, value: unknown) => Config
}

const flag = (options: Options, apply: Flag['apply']): Flag => ({ options, apply })

/** The flags that say what the config file could say too. */
export const configFlags: Readonly<Record<string, Flag>> = {
  port: flag(
    { type: 'string', describe: `The port; 0 takes a free one  [default: ${defaultPort}]` },
    (config, value) => ({ ...config, port: portOf(value) }),
  ),
  host: flag(
    {
      type: 'string',
      describe: 'The address to listen on; any but loopback needs --key  [default: 127.0.0.1]',
    },
    (config, value) => ({ ...config, host: textOf('host', value) }),
  ),
  seed: flag(
    { type: 'string', describe: 'What all chance comes from: a number or a text  [default: 1]' },
    (config, value) => ({ ...config, seed: textOf('seed', value) }),
  ),
  clock: flag(
    { choices: servedClockModes, describe: 'How time moves  [default: real]' },
    (config, value) => ({
      ...config,
      clock: clockOver(config.clock ?? {}, {
        mode: textOf('clock', value) as (typeof servedClockModes)[number],
      }),
    }),
  ),
  rate: flag(
    { type: 'number', nargs: 1, describe: 'Virtual seconds in one of yours; implies --clock scaled' },
    (config, value) => ({
      ...config,
      clock: clockOver(config.clock ?? {}, { rate: rateOf(value) }),
    }),
  ),
  start: flag({ type: 'string', describe: 'The first instant, as an ISO date' }, (config, value) => ({
    ...config,
    clock: { ...clockMapping(config.clock), start: dateOf('start', value) },
  })),
  key: flag(
    {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'A key that works, instead of all that start with sk-; repeatable',
    },
    (config, value) => ({ ...config, keys: textsOf('key', value) }),
  ),
  'public-url': flag(
    { type: 'string', describe: 'What links begin with, when clients reach the server by another address' },
    (config, value) => ({ ...config, publicUrl: urlOf('public-url', value) }),
  ),
  shard: flag(
    { type: 'string', describe: 'Which of several servers behind a balancer this is, 0 to 99: ids carry it' },
    (config, value) => ({ ...config, shard: shardOf(value) }),
  ),
  'control-origin': flag(
    {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'A web page that may call the control plane; repeatable',
    },
    (config, value) => ({ ...config, controlOrigins: textsOf('control-origin', value) }),
  ),
  'control-token': flag(
    {
      type: 'string',
      describe:
        "What control calls must show as a bearer token; also GREENROOM_CONTROL_TOKEN, which others can't see",
    },
    (config, value) => ({ ...config, controlToken: tokenOf('control-token', value) }),
  ),
  ffmpeg: flag(
    { type: 'string', describe: 'The encoder: a path, or "wasm"; also GREENROOM_FFMPEG' },
    (config, value) => ({ ...config, ffmpeg: textOf('ffmpeg', value) }),
  ),
  'cache-dir': flag(
    { type: 'string', describe: 'Cache folder for finished clips: empty, new, or a cache already' },
    (config, value) => ({
      ...config,
      cacheDir: textOf('cache-dir', value),
    }),
  ),
  cache: flag(
    { type: 'boolean', describe: '--no-cache keeps finished clips in memory only' },
    (config, value) => (value === false ? { ...config, cacheDir: false } : config),
  ),
  state: flag(
    {
      type: 'string',
      describe: 'The folder in which tasks, time, balances and counts are stored; needs the package lmdb',
    },
    (config, value) => ({ ...config, state: textOf('state', value) }),
  ),
  'state-sync': flag(
    {
      type: 'boolean',
      describe: 'Flush every change to the disk before the response, so that it survives a loss of power',
    },
    (config, value) => ({ ...config, stateSync: value === true }),
  ),
  'state-salvage': flag({ type: 'boolean', hidden: true }, () => {
    throw new UsageError(
      '--state-salvage does nothing now: the store has no damaged lines. Leave it out; if the state is damaged, restore ' +
        'a copy of the folder or give another one.',
    )
  }),
  profile: flag(
    {
      choices: Object.keys(profiles),
      describe: 'A named set of quirks, where gateways differ  [default: seed]',
    },
    (config, value) => ({ ...config, profile: textOf('profile', value) as Profile }),
  ),
  timing: flag(
    { choices: Object.keys(paces), describe: 'How long videos take  [default: quick]' },
    (config, value) => ({ ...config, timing: textOf('timing', value) as TimingName }),
  ),
  'fetch-images': flag(
    {
      type: 'boolean',
      describe: 'Fetch the pictures that requests name by address, from public addresses only',
    },
    // A list of hosts in the file stays: the flag only says that it is meant.
    (config, value) => ({ ...config, fetchImages: value === true && (config.fetchImages || true) }),
  ),
  quality: flag(
    { choices: ['full', 'fast'], describe: 'full moves the whole scene; fast is for tests  [default: full]' },
    (config, value) => ({ ...config, quality: textOf('quality', value) as 'full' | 'fast' }),
  ),
  caption: flag(
    { type: 'boolean', describe: '--no-caption leaves prompt, model, task and time code out of the picture' },
    (config, value) => ({ ...config, caption: value === true }),
  ),
  magic: flag(
    { type: 'boolean', describe: '--no-magic takes directives in prompts as plain text' },
    (config, value) => ({ ...config, promptDirectives: value === true }),
  ),
  quiet: flag({ type: 'boolean', describe: 'Print only the address' }, (config, value) => ({
    ...config,
    quiet: value === true,
  })),
  json: flag(
    { type: 'boolean', describe: 'Print what the banner says as one line of JSON' },
    (config, value) => ({ ...config, json: value === true }),
  ),
}

/**
 * What was said on the command line, over what the config file says.
 * @throws {UsageError} for a value that can't be.
 */
export function applyFlags(config: Config, flags: Readonly<Record<string, unknown>>): Config {
  const { rate, clock } = flags
  if (rate !== undefined && clock !== undefined && clock !== 'scaled') {
    throw new UsageError(`--rate goes with --clock scaled, not with --clock ${String(clock)}. Leave one out.`)
  }
  let applied = config
  for (const [name, { apply }] of Object.entries(configFlags)) {
    if (flags[name] !== undefined) applied = apply(applied, flags[name])
  }
  return applied
}

/**
 * @param name the flag, for the error.
 * @throws {UsageError} when the value is missing or was given twice.
 */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`--${name} needs one value. Give it once.`)
}

function textsOf(name: string, value: unknown): string[] {
  return [value].flat().map((each) => textOf(name, each))
}

function portOf(value: unknown): number {
  // As a number, a variable that isn't set would count as 0, which is a port of the system's choice.
  if (typeof value === 'string' && /^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new UsageError('--port must be a whole number from 0 to 65535; 0 takes a free one.')
}

function shardOf(value: unknown): number {
  // Likewise, and two servers would take themselves for the same.
  if (typeof value === 'string' && /^\d{1,2}$/.test(value)) return Number(value)
  throw new UsageError('--shard must be a whole number from 0 to 99.')
}

function rateOf(value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= fastestRate) return value
  throw new UsageError(`--rate must be a number above 0 and up to ${fastestRate}.`)
}

function dateOf(name: string, value: unknown): string {
  const text = textOf(name, value)
  const instant = Date.parse(text)
  if (isValidInstant(instant)) return text
  throw new UsageError(
    `--${name} must be an ISO date from 1970 to 9999, such as 2030-01-01T00:00:00Z, not "${text}".`,
  )
}

function tokenOf(name: string, value: unknown): string {
  const text = textOf(name, value)
  if (isTokenFit(text)) return text
  throw new UsageError(
    `--${name} must have at least ${shortestToken} letters, digits or signs, and no spaces.`,
  )
}

function urlOf(name: string, value: unknown): string {
  const text = textOf(name, value)
  if (/^https?:\/\/[^?#]*$/i.test(text) && URL.canParse(text)) return text
  throw new UsageError(
    `--${name} must be an address without query, such as https://gateway.example, not "${text}".`,
  )
}
