import { assumptions } from '../engine/clock-settings.ts'
import { duration, durationSpec } from '../engine/duration-form.ts'
import {
  aboveZero,
  aFunction,
  anything,
  either,
  flag,
  listOf,
  mapping,
  mappingOf,
  mappingOfAny,
  mistakesOf,
  number,
  text,
  word,
  type Form,
  type Named,
} from '../engine/form.ts'
import type { KeyRecord } from '../gateway/keys.ts'
import type { Price } from '../gateway/prices.ts'
import type { RateOptions } from '../gateway/rates.ts'
import { modelKinds } from '../surfaces/models/catalog.ts'
import type { TextOptions } from '../surfaces/text/settings.ts'
import { SettingsError, type ModelSettings } from '../surfaces/video/settings.ts'
import type { FixedAnswer, TextPace } from '../text/spec.ts'
import type { ConfigFile, SimulatorOptions } from './options.ts'

type Part<Name extends keyof SimulatorOptions> = NonNullable<SimulatorOptions[Name]>
type Video = Part<'video'>
type Drawing = Part<'drawing'>

const textOrNumber = either(text, number)
const texts = listOf(text)
const flagOrAllowed = either(flag, mapping<{ allow: unknown }>({ allow: texts }, ['allow']))

const clock = mapping<Part<'clock'>>({
  mode: text,
  rate: aboveZero,
  start: textOrNumber,
  pollStep: duration,
  assume: listOf(word(...assumptions)),
  participants: number,
  limit: duration,
})

const keys = listOf(
  either(
    text,
    mapping<KeyRecord>(
      { key: text, namespace: text, expires: textOrNumber, revoked: flag, models: texts, balance: number },
      ['key'],
    ),
  ),
)

const textOptions = mapping<TextOptions>({
  mode: text,
  pace: either(
    word('instant', 'natural'),
    mapping<TextPace>({
      firstToken: durationSpec,
      tokensPerSecond: number,
      jitter: durationSpec,
      tokensPerChunk: number,
    }),
  ),
  answers: listOf(
    mapping<FixedAnswer>({
      model: text,
      prompt: text,
      text,
      json: anything,
      calls: listOf(
        mapping<{ name: string; args: object }>({ name: text, args: mappingOfAny }, ['name', 'args']),
      ),
      thoughts: text,
      block: text,
      finish: text,
    }),
  ),
})

const prices = listOf(
  mapping<Price>({ models: text, perTask: number, perSecond: number, input: number, output: number }, [
    'models',
  ]),
)

const models = listOf(
  mapping<ModelSettings>(
    { name: text, kind: word(...modelKinds), image: flag, seconds: listOf(aboveZero), sizes: texts },
    ['name'],
  ),
)

const video = mapping<Video>({
  seconds: mapping<NonNullable<Video['seconds']>>({ default: aboveZero, min: aboveZero, max: aboveZero }),
  size: mapping<NonNullable<Video['size']>>({ default: text, min: aboveZero, max: aboveZero }),
  framesPerSecond: mapping<NonNullable<Video['framesPerSecond']>>({ full: aboveZero, fast: aboveZero }),
  listAndDelete: flag,
  lifecycle: mappingOfAny,
})

const drawing = mapping<Drawing>({
  accountFilter: flag,
  notifyHook: flagOrAllowed,
  proxyCalls: flag,
  bannedWords: texts,
  queue: mapping<NonNullable<Drawing['queue']>>({ running: aboveZero, waiting: number }, [
    'running',
    'waiting',
  ]),
  lifecycle: mappingOfAny,
})

const limits = mapping<Part<'limits'>>({
  bodyMegabytes: aboveZero,
  bodiesMegabytes: aboveZero,
  promptCharacters: aboveZero,
  messages: aboveZero,
  textCharacters: aboveZero,
  rate: mapping<RateOptions>({ requests: aboveZero, per: duration, retryAfter: flag, headers: flag }, [
    'requests',
  ]),
  imageMegabytes: aboveZero,
  journalEntries: aboveZero,
  namespaces: aboveZero,
})

/** A rule, a limit, a quirk and a pace are checked by those who read them. */
const options: Named<SimulatorOptions> = {
  seed: textOrNumber,
  clock,
  keys,
  strictKeys: flag,
  quirks: mappingOfAny,
  profile: text,
  pace: either(text, mappingOfAny),
  rules: listOf(anything),
  throttles: listOf(anything),
  text: textOptions,
  nativeKeyHeaders: texts,
  prices,
  discount: number,
  models,
  video,
  drawing,
  retention: mapping<Part<'retention'>>({ tasks: aboveZero, age: duration, idle: duration }),
  quality: word('full', 'fast'),
  caption: flag,
  magicPrompts: flag,
  identity: mapping<Part<'identity'>>({ ignore: texts }),
  limits,
  fetchImages: flagOrAllowed,
  shard: number,
  publicUrl: text,
  controlOrigins: texts,
  controlToken: text,
  media: mappingOfAny,
  onWarning: aFunction,
}

/** What only a server makes anything of; a config file may be given whole to whoever has none. */
const served: Named<Omit<ConfigFile, keyof SimulatorOptions>> = {
  name: text,
  description: text,
  port: number,
  host: text,
  ffmpeg: text,
  cacheDir: either(text, flag),
  state: text,
  stateSync: flag,
  quiet: flag,
  json: flag,
  env: mappingOf(text),
}

/**
 * Finds in options from plain JavaScript what a compiler would have found: names nobody knows, and values of another kind.
 * @param own what may be said beside the options of every simulator.
 * @throws {SettingsError} with a line for each mistake.
 */
export function checkOptions(given: unknown, own: Readonly<Record<string, Form>> = {}): void {
  const known = { ...options, ...served, ...own } as Named<Record<string, unknown>>
  const mistakes = mistakesOf(mapping(known), given)
  if (mistakes.length > 0) throw new SettingsError(`Failed to read the options: ${mistakes.join('\n')}`)
}
