import { assumptions, clockModes } from '../engine/clock/clock-settings.ts'
import {
  aCount,
  aFlag,
  aFunction,
  aList,
  aMapping,
  aMeasure,
  anAmount,
  aText,
  checkedLater,
  kind,
  listOf,
  mappingOf,
  oneOf,
  orMapping,
  problemIn,
  type Kind,
  type KindsOf,
} from '../engine/kinds.ts'
import type { LifecycleDefinition } from '../engine/tasks/lifecycle.ts'
import type { KeyRecord } from '../gateway/accounts/keys.ts'
import type { Price } from '../gateway/accounts/prices.ts'
import type { RateOptions } from '../gateway/accounts/rates.ts'
import { textPaces, type TextOptions } from '../apis/text/settings.ts'
import { SettingsError, type ModelSettings } from '../apis/video/settings.ts'
import type { ClockOptions, ConfigFile, SimulatorOptions } from './options.ts'

type Group<Name extends keyof SimulatorOptions> = NonNullable<SimulatorOptions[Name]>
type OfVideo<Name extends keyof Group<'video'>> = NonNullable<Group<'video'>[Name]>

const texts = listOf(aText)
const flagOrHosts: Kind = (value, name) => (Array.isArray(value) ? texts : aFlag)(value, name)
const hosts = orMapping(flagOrHosts, mappingOf<{ allow: unknown }>({ allow: texts }, 'allow'))
const lifecycle = mappingOf<LifecycleDefinition>(
  { initial: aText, states: aMapping, unsafe: aFlag },
  'initial',
  'states',
)
const aSeed = kind(
  'a number, or a text that is not empty',
  (value) => Number.isFinite(value) || (typeof value === 'string' && value !== ''),
)

const keyList = listOf(
  orMapping(
    aText,
    mappingOf<KeyRecord>(
      {
        key: aText,
        namespace: aText,
        expires: checkedLater,
        revoked: aFlag,
        models: texts,
        balance: anAmount,
      },
      'key',
    ),
  ),
)

const ofSimulators: KindsOf<SimulatorOptions> = {
  seed: aSeed,
  clock: orMapping(
    oneOf(...clockModes),
    mappingOf<ClockOptions>({
      mode: checkedLater,
      rate: checkedLater,
      start: checkedLater,
      pollStep: checkedLater,
      assume: listOf(oneOf(...assumptions)),
      participants: checkedLater,
      limit: checkedLater,
    }),
  ),
  // A key is nobody's business, were it in the wrong place.
  keys: (value, name) => keyList(typeof value === 'string' ? 'sk-…' : value, name),
  strictKeys: aFlag,
  quirks: checkedLater,
  profile: checkedLater,
  timing: orMapping(aText),
  rules: aList,
  throttles: aList,
  text: mappingOf<TextOptions>({
    mode: checkedLater,
    timing: orMapping(oneOf(...Object.keys(textPaces))),
    answers: listOf(aMapping),
  }),
  nativeKeyHeaders: texts,
  prices: listOf(
    mappingOf<Price>(
      { models: aText, perTask: anAmount, perSecond: anAmount, input: anAmount, output: anAmount },
      'models',
    ),
  ),
  discount: anAmount,
  models: listOf(
    mappingOf<ModelSettings>(
      { name: aText, kind: checkedLater, image: aFlag, seconds: listOf(aCount), sizes: texts },
      'name',
    ),
  ),
  video: mappingOf<Group<'video'>>({
    seconds: mappingOf<OfVideo<'seconds'>>({ default: aCount, min: aCount, max: aCount }),
    size: mappingOf<OfVideo<'size'>>({ default: aText, min: aCount, max: aCount }),
    framesPerSecond: mappingOf<OfVideo<'framesPerSecond'>>({ full: aCount, fast: aCount }),
    listAndDelete: aFlag,
    lifecycle,
  }),
  drawing: mappingOf<Group<'drawing'>>({
    accountFilter: aFlag,
    notifyHook: hosts,
    proxyCalls: aFlag,
    bannedWords: texts,
    queue: mappingOf<NonNullable<Group<'drawing'>['queue']>>(
      { running: aCount, waiting: anAmount },
      'running',
      'waiting',
    ),
    lifecycle,
  }),
  retention: mappingOf<Group<'retention'>>({ tasks: aCount, age: checkedLater, idle: checkedLater }),
  quality: oneOf('full', 'fast'),
  caption: aFlag,
  promptDirectives: aFlag,
  identity: orMapping(texts, mappingOf<{ ignore: unknown }>({ ignore: texts })),
  limits: mappingOf<Group<'limits'>>({
    bodyMegabytes: aMeasure,
    bodiesMegabytes: aMeasure,
    promptCharacters: aCount,
    messages: aCount,
    textCharacters: aCount,
    rate: mappingOf<RateOptions>(
      { requests: aCount, per: checkedLater, retryAfter: aFlag, headers: aFlag },
      'requests',
    ),
    imageMegabytes: aMeasure,
    journalEntries: aCount,
    namespaces: aCount,
  }),
  fetchImages: hosts,
  shard: checkedLater,
  publicUrl: aText,
  controlOrigins: texts,
  controlToken: aText,
  media: aMapping,
  onWarning: aFunction,
}

/** What only a server makes anything of; a config file may be given whole to whoever has none. */
const ofServers: KindsOf<Omit<ConfigFile, keyof SimulatorOptions>> = {
  name: aText,
  description: aText,
  port: checkedLater,
  host: aText,
  ffmpeg: aText,
  cacheDir: kind('a folder, or false', (value) => value === false || typeof value === 'string'),
  state: aText,
  stateSync: aFlag,
  quiet: aFlag,
  json: aFlag,
  env: aMapping,
}

/**
 * @param own what is known beside the options of every simulator.
 * @throws {SettingsError} for options with a name that nobody knows, or a value that nobody can use.
 */
export function checkOptions(given: unknown, own: Readonly<Record<string, Kind>> = {}): void {
  const problem = problemIn(given, { ...ofSimulators, ...ofServers, ...own })
  if (problem !== undefined) throw new SettingsError(`Failed to read the options: ${problem}`)
}
