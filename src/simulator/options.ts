import {
  clockMapping,
  type Assumption,
  type ClockMode,
  type servedClockModes,
} from '../engine/clock/clock-settings.ts'
import type { LifecycleDefinition } from '../engine/tasks/lifecycle.ts'
import type { MediaSource } from '../media/source.ts'
import type { Quality } from '../media/spec.ts'
import type { Throttle } from '../scenario/throttles/throttle.ts'
import type { Rule } from '../scenario/rules/rule.ts'
import type { KeyRecord } from '../gateway/accounts/keys.ts'
import type { Price } from '../gateway/accounts/prices.ts'
import type { Profile, Quirks } from '../gateway/quirks.ts'
import type { RateOptions } from '../gateway/accounts/rates.ts'
import type { TextOptions } from '../apis/text/settings.ts'
import type { TimingOptions } from '../apis/video/lifecycle.ts'
import type { ModelSettings } from '../apis/video/settings.ts'

/** A clock in detail; its mode alone is enough for most. */
export interface ClockOptions {
  mode?: ClockMode
  /** How many virtual seconds pass in one of the host's, in mode `scaled`. */
  rate?: number
  /** The first instant: an ISO date, or milliseconds since 1970. */
  start?: string | number
  /** What `auto` takes a client to wait between two looks at a task. Default `5s`. */
  pollStep?: string | number
  /**
   * What `auto` takes for granted of clients that never sleep on the clock: `poll`, that they wait the poll step
   * between two looks at a task; `retry-after`, that they wait as long as a refusal says. Default `[poll]`.
   */
  assume?: readonly Assumption[]
  /**
   * How many clients share a clock in `auto`, of each namespace: time moves only when all of them are parked, asleep
   * on the clock or waiting for an answer. Default: unknown.
   */
  participants?: number
  /** How far `auto` moves time by itself, in each namespace. Default `24h`. */
  limit?: string | number
}

/**
 * Everything a simulator can be told. The config file takes the same keys, but for those that are code.
 *
 * @example
 * const options: SimulatorOptions = {
 *   seed: 7,
 *   timing: 'realistic',
 *   keys: ['sk-rich', { key: 'sk-poor', balance: 0.01 }],
 *   throttles: [{ match: { op: 'video.submit' }, concurrent: 2 }],
 *   rules: [{ match: { op: 'video.poll' }, chance: '10%', fault: 'reset' }],
 * }
 * await using sim = createSimulator(options)
 */
export interface SimulatorOptions {
  /** The number or text that all chance comes from. Default 1. */
  seed?: string | number
  /** How time moves, and from when on. Default: `auto` when embedded, `real` on a port. */
  clock?: ClockMode | ClockOptions
  /** The keys that work; without them every key that starts with `sk-` does. */
  keys?: readonly (string | KeyRecord)[]
  /** Whether keys of namespaces (`sk-sim-…`) are refused where keys are configured. Default false. */
  strictKeys?: boolean
  /** Where gateways differ, one by one. */
  quirks?: Partial<Quirks>
  /** A named set of quirks: `seed`, `upstream` or `page`. Default `seed`. */
  profile?: Profile
  /** How long videos take: `instant`, `quick`, `realistic`, durations, or any of these by model. */
  timing?: TimingOptions
  /** What goes wrong, in the order in which they are asked. */
  rules?: readonly Rule[]
  /** What the gateway gives only so much of: token buckets, tasks at a time, outages. Asked before the rules. */
  throttles?: readonly Throttle[]
  /** How texts are answered: by prose about the prompt, an echo, or word for word; and how fast. */
  text?: TextOptions
  /** Headers that may carry the key on native routes. Default `x-native-api-key` and `x-goog-api-key`. */
  nativeKeyHeaders?: readonly string[]
  /** What models cost, in dollars; the first that fits counts. Those of the gateway's own come behind. */
  prices?: readonly Price[]
  /** The share of every price that the account pays. Default 1. */
  discount?: number
  /** The models there are; without them every name is taken. */
  models?: readonly ModelSettings[]
  /** What clips there may be, and how their tasks live. */
  video?: {
    /**
     * Which lengths are accepted, in whole seconds: 1 to 3600. Clips have up to 60 s; with `max`, up to that.
     */
    seconds?: { default?: number; min?: number; max?: number }
    /**
     * Which sizes are accepted: the default as `WIDTHxHEIGHT`, the bounds of either side in pixels. Clips have sides from
     * 64 to 1920 pixels; with `min` and `max`, from and up to those.
     */
    size?: { default?: string; min?: number; max?: number }
    /** Frames per second, by quality. */
    framesPerSecond?: { full?: number; fast?: number }
    /** Whether `GET /v1/videos` lists and `DELETE /v1/videos/{id}` deletes, which the gateway doesn't. */
    listAndDelete?: boolean
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** What of the drawing channel differs from gateway to gateway. */
  drawing?: {
    /** Whether `accountFilter` is taken, which the gateway strips. Default false. */
    accountFilter?: boolean
    /**
     * Whether changes are reported to `notifyHook`, which the gateway strips: to addresses on this machine, and on the
     * hosts named in `allow`, or in a list alone. Default false.
     */
    notifyHook?: boolean | readonly string[] | { allow: readonly string[] }
    /** Whether `GET /mj/task/list`, `/mj/task/queue` and `POST /mj/task/{id}/cancel` work, as in the stand-alone proxies. Default false. */
    proxyCalls?: boolean
    /** Words that no prompt may have. */
    bannedWords?: readonly string[]
    /** How many tasks of a namespace are worked on at a time, and how many more may wait. Default: as many as come. */
    queue?: { running: number; waiting: number }
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** How much of the past each namespace keeps; without it, everything. A server keeps 100000 tasks, `idle` is `24h`. */
  retention?: {
    /** How many tasks; the oldest go first. */
    tasks?: number
    /** How long after their submission, on the namespace's clock. */
    age?: string | number
    /** After how long without a request, in real time, a namespace other than `default` is forgotten, tasks and all. */
    idle?: string | number
  }
  /** `full` is for people, `fast` for tests. */
  quality?: Quality
  /** Whether `full` clips carry prompt, model, task id and a time code. Default true. */
  caption?: boolean
  /** Whether directives such as `[[stuck]]` in a prompt are obeyed. Default true. */
  promptDirectives?: boolean
  /** What makes two requests the same. */
  identity?:
    | readonly string[]
    | {
        /** Body fields that differ from call to call and mean nothing. */
        ignore?: readonly string[]
      }
  /** How much is taken and kept. */
  limits?: {
    /** The largest request body. Default 32. */
    bodyMegabytes?: number
    /** How much of all bodies may be in memory at a time. Default 512. */
    bodiesMegabytes?: number
    /** The longest prompt. Default 32000. */
    promptCharacters?: number
    /** How many messages a conversation may have. Default 2000. */
    messages?: number
    /** How many characters the texts of one text request may have together. Default 4000000. */
    textCharacters?: number
    /** How many text requests a key may make in a time. Default: any number. */
    rate?: RateOptions
    /** The largest picture, decoded from base64. Default 20. */
    imageMegabytes?: number
    /** How many exchanges each namespace's journal remembers. Default 1000. */
    journalEntries?: number
    /** How many namespaces there may be. Default 10000. */
    namespaces?: number
  }
  /**
   * Whether pictures that requests name by address are fetched: from public addresses only, or from the hosts and
   * addresses named in `allow` too. Default false.
   */
  fetchImages?: boolean | readonly string[] | { allow: readonly string[] }
  /**
   * Which of several processes behind a balancer this is, from 0 to 99: ids and addresses carry it, so that requests
   * without a key find it. Default: it is the only one.
   */
  shard?: number
  /** What links begin with, when clients reach the simulator by another address than they call. */
  publicUrl?: string
  /** Pages that may call the control plane, such as `http://localhost:5173`. */
  controlOrigins?: readonly string[]
  /** What calls of the control plane must show, as `Authorization: Bearer …`: at least 16 signs. */
  controlToken?: string
  /** Where bytes come from. By default sharp and an encoder process. */
  media?: MediaSource
  /** Called with each warning and internal error, one line each. By default internal errors go to `console.error`. */
  onWarning?: (message: string) => void
}

/** The limits that can be set, where they aren't. */
export const defaultLimits = {
  bodyMegabytes: 32,
  bodiesMegabytes: 512,
  promptCharacters: 32_000,
  messages: 2_000,
  textCharacters: 4_000_000,
  imageMegabytes: 20,
  journalEntries: 1_000,
  namespaces: 10_000,
} as const satisfies NonNullable<SimulatorOptions['limits']>

type ServedClockMode = (typeof servedClockModes)[number]

/**
 * What a config file may say.
 *
 * @example
 * const config: ConfigFile = {
 *   port: 4700,
 *   clock: { rate: 60 },
 *   profile: 'upstream',
 *   env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
 * }
 */
export interface ConfigFile extends Omit<SimulatorOptions, 'media' | 'onWarning' | 'clock'> {
  /** As in the options, but for mode `host`, which works only in the process of the clients. */
  clock?: ServedClockMode | (Omit<ClockOptions, 'mode'> & { mode?: ServedClockMode })
  /** What it is for; nothing depends on it. */
  name?: string
  description?: string
  /** Where it listens. Default 4646; 0 takes a free one. */
  port?: number
  /** Default 127.0.0.1, which only this machine reaches. */
  host?: string
  /** `wasm`, or a path beside the file. */
  ffmpeg?: string
  /** Where clips are kept; `false` keeps them in memory only. */
  cacheDir?: string | false
  /** The folder in which the state is kept, beside the file. */
  state?: string
  stateSync?: boolean
  /** Whether `serve` prints only its address. */
  quiet?: boolean
  /** Whether `serve` prints what its banner says as one line of JSON. */
  json?: boolean
  /** What `run` sets for its command beside the usual; `${url}` and `${key}` stand for those of the server. */
  env?: Readonly<Record<string, string>>
}

/**
 * Gives a config file in TypeScript its types.
 *
 * @param config what the file says.
 * @returns what it is given.
 *
 * @example
 * export default defineConfig({ port: 4700, keys: ['sk-mine'], video: { seconds: { default: 5, max: 10 } } })
 */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config
}

/** What the options mean for whoever makes the bytes. */
export function mediaOptions({ limits, fetchImages, onWarning }: SimulatorOptions): {
  imageBytes: number | undefined
  fetchImages: boolean | { allow: readonly string[] } | undefined
  onWarning: ((message: string) => void) | undefined
} {
  const megabytes = limits?.imageMegabytes
  return {
    imageBytes: megabytes === undefined ? undefined : megabytes * 1024 * 1024,
    fetchImages: fetchImages === undefined ? undefined : allowedHosts(fetchImages),
    onWarning,
  }
}

/** The fields that make no difference between requests. */
export function ignoredFields({ identity = [] }: SimulatorOptions): readonly string[] {
  return 'ignore' in identity ? (identity.ignore ?? []) : Array.isArray(identity) ? identity : []
}

/** Hosts that are allowed, given as a list or as a mapping. */
export function allowedHosts(
  hosts: boolean | readonly string[] | { readonly allow: readonly string[] },
): boolean | { readonly allow: readonly string[] } {
  return Array.isArray(hosts)
    ? { allow: hosts as readonly string[] }
    : (hosts as boolean | { allow: readonly string[] })
}

/** The clock that the options ask for: a rate alone means scaled time. */
export function clockOptions(
  { clock: given }: SimulatorOptions,
  usual: ClockMode,
): ClockOptions & { mode: ClockMode } {
  const clock = clockMapping(given)
  return { mode: clock?.rate === undefined ? usual : 'scaled', ...clock }
}
