// Made by node scripts/write-types.js from the schemas of this folder.
import type { DurationSpec } from '../../engine/random/distribution.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { LifecycleDefinition } from '../../engine/tasks/lifecycle.ts'
import type { ClockMode, Assumption } from '../../engine/clock/clock-settings.ts'
import type { FaultType, Fault } from '../faults/index.ts'
import type { FixedAnswer, TextTiming } from '../../text/spec.ts'

export type Scalar = string | number | boolean

/**
 * One line of the script: which requests it matches, which of those it picks, and what happens to them.
 *
 * @example
 * const flaky: Rule = { id: 'flaky', match: { op: 'video.poll' }, attempts: [429, 503, 'reset', 'ok'] }
 * const second: Rule = { match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure' } }
 * await using sim = createSimulator({ rules: [flaky, second] })
 */
export interface Rule {
  /**
   * Its name in journal and reports, and the key of its random draws. Default: its place in the list, as
   * in `rule-1`.
   */
  id?: string
  /** Whether the run may pass although it never fired. */
  optional?: boolean
  /** Which requests it concerns. */
  match: RuleMatch
  /** Only matching requests with this number, from 1; or one of several. */
  on?: number | readonly number[]
  /** Only the matching request with this number and all later ones. With `per: task`, of each task. */
  from?: number
  /** Only every nth matching request. */
  every?: number
  /** The maximum number of times it fires. */
  times?: number
  /** The probability that it fires: 0 to 1, or a percentage. */
  chance?: number | string
  /**
   * What `on`, `from`, `every` and `times` count for. Default `namespace`; for `attempts`, each operation
   * on each subject.
   */
  per?: 'namespace' | 'key' | 'task'
  /** Only at this time, or while variables have these values. */
  when?: RuleWindow
  /** Whether later rules may add what it leaves open. */
  continue?: boolean
  /** Variables of the namespace that it sets or counts; null removes one. */
  set?: Readonly<Record<string, Scalar | null | {
    /** What is added to it; it counts from 0. */
    add: number
  }>>
  /** What happens to the first, second … attempt at the same thing; later attempts succeed. */
  attempts?: readonly Attempt[]
  /** A response in place of the gateway's. */
  respond?: Respond
  /** What happens to the task that the request creates. */
  task?: TaskShape
  /** The delay of the response, on the clock. */
  delay?: DurationSpec
  /** What the model answers, word for word. */
  answer?: ScriptedAnswer
  /** How a streamed text is sent. */
  stream?: StreamShape
  /** Other bytes than the task's own. */
  media?: MediaShape
  /** How the response breaks. */
  fault?: FaultType | Fault
}

/**
 * `ok`, a status, the name of a fault, or anything that a rule may do to a response.
 *
 * @example
 * const attempts: Attempt[] = [503, 'reset', { respond: { status: 429, retryAfter: '10s' } }, 'ok']
 * sim.addRule({ match: { op: 'video.poll' }, attempts })
 */
export type Attempt = 'ok' | number | FaultType | {
  /** A response in place of the gateway's. */
  respond?: Respond
  /** How the response breaks. */
  fault?: FaultType | Fault
  /** The delay of the response. */
  delay?: DurationSpec
}

/**
 * Which requests a rule or a throttle concerns: those for which all of it is true.
 *
 * @example
 * const match: RuleMatch = { op: ['video.submit', 'videos.create'], model: 'video-*', prompt: '*kite*' }
 * sim.addRule({ match, task: { outcome: 'failure', reason: 'no kites' } })
 * const { error } = await client.makeVideo('a red kite')
 * error // → 'no kites'
 */
export interface RuleMatch {
  /** The operation; `*` matches several, and a list names several. */
  op: string | readonly string[]
  /**
   * The requested model, or that of the task that the request is about; `*` stands for any run of
   * characters.
   */
  model?: string
  /** The prompt, or that of the task that the request is about; `*` stands for any run of characters. */
  prompt?: string
  /** The video or drawing that the request is about; for a submission, the one that it creates. */
  task?: TaskMatch
  /**
   * Fields of the body by path, such as `contents[*].parts[*].text`. A request without a body has that of
   * its task.
   */
  body?: Readonly<Record<string, ValueMatch>>
  /**
   * Fields of a form, urlencoded or multipart, by name. A number also equals its text; a file is a data
   * URL.
   */
  form?: Readonly<Record<string, ValueMatch>>
  /** Headers by name, in any case. */
  headers?: Readonly<Record<string, ValueMatch>>
  /** Query parameters by name. */
  query?: Readonly<Record<string, ValueMatch>>
  /** The API key, as the client sends it. */
  key?: ValueMatch
  /** The namespace of the request. */
  namespace?: ValueMatch
  /** The present state of the task that the request is about. */
  state?: ValueMatch
}

/**
 * Which task a request must be about.
 *
 * @example
 * const second: TaskMatch = { nth: 2 }
 * sim.addRule({ match: { op: 'video.poll', task: second }, respond: { status: 503 } })
 */
export interface TaskMatch {
  /**
   * Its number among the videos, or among the drawings, in the order of submission, from 1; or one of
   * several.
   */
  nth?: number | readonly number[]
  /** The prompt that it was submitted with; `*` stands for any run of characters. */
  prompt?: string
  /** The model that it was submitted with; `*` stands for any run of characters. */
  model?: string
}

/**
 * A value that must be equal, or what must be true of it.
 *
 * @example
 * const small: ValueMatch = { in: ['128x96', '320x240'] }
 * const given: ValueMatch = { exists: true }
 * sim.addRule({ match: { op: 'video.submit', body: { size: small, image: given } }, delay: '1s' })
 */
export type ValueMatch = Scalar | null | {
  /** The exact value. */
  equals: Scalar | null
} | {
  /** A pattern in which `*` stands for any run of characters. */
  glob: string
} | {
  /** A substring. */
  contains: string
} | {
  /** A regular expression to find in the first 10,000 characters, without look-around and back-references. */
  regex: string
  /** `i` ignores case. */
  flags?: string
} | {
  /** One of several values. */
  in: readonly (Scalar | null)[]
} | {
  /** Whether it is present. */
  exists: boolean
} | {
  /** A match that must not hold. */
  not: ValueMatch
}

/**
 * When a rule is active.
 *
 * @example
 * const when: RuleWindow = { clock: '30s..55s' }
 * sim.addRule({ match: { op: '*' }, when, respond: { status: 502 } })
 * await sim.clock.advance('40s')
 * await client.ask('Why do kites fly?') // throws Error: 502: …
 */
export interface RuleWindow {
  /** Only in this period of virtual time since the namespace began, its end excluded. */
  clock?: string
  /** Only while variables have these values; null: while it is not set. A number may be a range. */
  vars?: Readonly<Record<string, Scalar | null | {
    /** At least this; a variable that is not set is 0. */
    min?: number
    /** At most this. */
    max?: number
  }>>
}

/**
 * A response in place of the gateway's own. Missing keys are as the gateway would say them.
 *
 * @example
 * const respond: Respond = { status: 429, retryAfter: '10s', error: { message: 'Too many videos' } }
 * sim.next('video.submit', { respond })
 * const response = await client.post('/v1/video/generations', { model: 'video-1', prompt: 'a red kite' })
 * response.headers.get('retry-after') // → '10'
 */
export interface Respond {
  /** The HTTP status, from 200 to 599. Default: the gateway's own, or that of the error. */
  status?: number
  /** Headers on top of the usual ones, with templates such as `${task.id}`. */
  headers?: Readonly<Record<string, string>>
  /** The body: a text as it is, or anything else as JSON, with templates such as `${task.id}`. */
  body?: unknown
  /** Fields of the gateway's own JSON response to leave out, by path. */
  omit?: readonly string[]
  /** An error in the envelope of the API. */
  error?: {
    /** The message. */
    message?: string
    /** The error code. */
    code?: string
    /** The kind of error. */
    type?: string
  }
  /**
   * A `Retry-After`: a duration, or `auto` for the time until the limit or window lets the request
   * through.
   */
  retryAfter?: string | number
  /** The format of `Retry-After`. Default `seconds`. */
  retryAfterFormat?: 'seconds' | 'date'
  /**
   * Whether the response counts as broken, as a fault makes it: invariants then expect the client to send
   * the request again. Default false.
   */
  broken?: boolean
  /** The code of a drawing submission. */
  code?: number
  /** The description next to the code. */
  description?: string
}

/**
 * What the model answers, word for word: a text, a JSON value, function calls, or the refusal of the
 * prompt.
 *
 * @example
 * const answer: ScriptedAnswer = { calls: [{ name: 'weather', args: { city: 'Oslo' } }] }
 * sim.next('chat.complete', { answer })
 * sim.next('chat.complete', { answer: { text: 'It rains in Oslo.' } })
 * await client.ask('How is the weather?')
 * await client.ask('How is the weather?') // → 'It rains in Oslo.'
 */
export interface ScriptedAnswer {
  /** The text. */
  text?: string
  /** A value that is sent as JSON text. */
  json?: unknown
  /** The function calls. */
  calls?: readonly ({
    /** The name of the function. */
    name: string
    /** The arguments. */
    args: Readonly<Record<string, unknown>>
  })[]
  /** The thoughts. */
  thoughts?: string
  /** Refuses the prompt for this reason. */
  block?: 'safety' | 'other' | 'blocklist' | 'prohibited_content'
  /** The finish reason. Default `stop`. */
  finish?: 'stop' | 'length' | 'tool_calls' | 'safety' | 'other' | 'blocklist' | 'prohibited_content' | 'recitation' | 'language' | 'spii'
}

/**
 * How a streamed text is sent, and where it breaks. Missing keys are as the model would have them.
 *
 * @example
 * const stream: StreamShape = {
 *   text: 'Paris is the capital of France.',
 *   chunk: 'word',
 *   gap: '50ms',
 *   error: { afterChunk: 3, kind: 'reset' },
 * }
 * sim.next('chat.complete', { stream })
 */
export interface StreamShape {
  /** The text, in place of the model's words. */
  text?: string
  /** What a chunk is. Default `token`. */
  chunk?: 'token' | 'word' | 'character'
  /** The time until the first chunk. */
  firstToken?: DurationSpec
  /** The time between two chunks. */
  gap?: DurationSpec
  /** The speed in tokens per second; the gap is added to it. */
  tokensPerSecond?: number
  /** A pause after a chunk. */
  stall?: {
    /** After which chunk; 0 is before the first. */
    afterChunk: number
    /** The length of the pause. */
    for: DurationSpec
  }
  /** An error after a chunk: as an event, or the connection closed or reset. */
  error?: {
    /** After which chunk; 0 is before the first. */
    afterChunk: number
    /** An event with the error, or the connection closed or reset. Default `event`. */
    kind?: 'event' | 'close' | 'reset'
    /** The status in the event. */
    status?: number
    /** The message in the event. */
    message?: string
  }
  /** The stream ends after a chunk as if it were complete. A number alone is that of the chunk. */
  cut?: number | {
    /** After which chunk; 0 is before the first. */
    afterChunk: number
  }
  /** The finish reason, as the API spells it, such as `length`. */
  finishReason?: string
}

/**
 * Other bytes than those of the task: a file, or a clip of another length or size.
 *
 * @example
 * const media: MediaShape = { seconds: 2, size: '320x240', fps: 12 }
 * sim.addRule({ match: { op: 'video.submit' }, media })
 * const { request } = sim.task(await client.submitVideo('a red kite'))
 * request['made'] // → { width: 320, height: 240, seconds: 2, framesPerSecond: 12 }
 */
export interface MediaShape {
  /** A video or image in the folder of this file, sent as it is. */
  file?: string
  /** The length of the clip in seconds. */
  seconds?: number
  /** `WIDTHxHEIGHT` in pixels, with even sides. */
  size?: string
  /** The number of frames per second. */
  fps?: number
}

/**
 * A limit on rate or concurrency, on the virtual clock. Throttles are checked before the rules; the
 * first that is exceeded responds.
 *
 * @example
 * const limit: Throttle = { match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }
 * await using sim = createSimulator({ throttles: [limit] })
 */
export interface Throttle {
  /** Its name in journal and reports. Default: its place in the list, as in `throttle-1`. */
  id?: string
  /** Whether the run may pass although it never refused a request. */
  optional?: boolean
  /** Which requests it concerns. */
  match: RuleMatch
  /**
   * Only at this time, or while variables have these values, as for rules; so a limit changes in the
   * middle of a run.
   */
  when?: RuleWindow
  /** What it counts for: each key, or each namespace. Default `key`. */
  per?: 'key' | 'namespace'
  /** The number of requests in a window of virtual time. Invalid requests count, too. */
  rate?: RateOptions
  /** A token bucket on virtual time, full at first. */
  bucket?: {
    /** The number of requests that pass at once. */
    capacity: number
    /** The refill rate: 1/10s is one request every ten seconds. */
    refill: string
  }
  /** The number of unfinished tasks; more are refused. */
  concurrent?: number
  /** The number of tasks that render at a time; others wait in the queue. */
  workers?: number
  /** A period of virtual time in which all such requests are refused. */
  outage?: string
  /** The refusal. Default: 429, and 503 in an outage, with `retryAfter: auto`. */
  respond?: Respond
}

/**
 * A rate: how many requests each key, or each namespace, may make in a window of virtual time.
 *
 * @example
 * const rate: RateOptions = { requests: 1, per: '30s', headers: true }
 * await using sim = createSimulator({ throttles: [{ match: { op: 'chat.*' }, rate }] })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.ask('Why do kites fly?')
 * await client.ask('Why do they fall?') // throws Error: 429: You have reached the request limit: …
 */
export interface RateOptions {
  /** The maximum in each window; more get a 429. */
  requests: number
  /** The length of the window on the virtual clock; it opens with the first request. Default 1m. */
  per?: string | number
  /** Whether a refusal has a message and `Retry-After`; otherwise it is a bare 429. Default true. */
  retryAfter?: boolean
  /** Whether responses carry `x-ratelimit-*`. Default false. */
  headers?: boolean
}

/**
 * A scenario, as files in any language have it. `docs/reference/scenarios.md` has every key.
 *
 * @example
 * const scenario: Scenario = {
 *   version: 1,
 *   name: 'the second video fails',
 *   rules: [{ match: { op: 'video.submit' }, on: 2, task: { outcome: 'failure', reason: 'policy' } }],
 *   expect: { tasks: [{ channel: 'video', nth: 2, status: 'FAILURE' }] },
 * }
 * await using sim = createSimulator({ scenario })
 */
export interface Scenario {
  /** The version of the format. */
  version: 1
  /** The name in reports. */
  name?: string
  /** What it shows, and what a good client does. */
  description?: string
  /** Words to select scenarios by. */
  tags?: readonly string[]
  /**
   * Paths of scenario files to extend, lowest precedence first. Their rules and throttles come after
   * those of this file.
   */
  extends?: readonly string[]
  /** What the run needs. `wire`: a socket, so that no fault is only approximated. */
  requires?: readonly 'wire'[]
  /** The random seed, a number or a text. Default 1. */
  seed?: string | number
  /** How time moves. Default: mode `auto`. */
  clock?: 'real' | 'scaled' | 'manual' | 'auto' | ServedClockOptions
  /** How the gateway behaves apart from rules: the keys of the config file. */
  config?: ScenarioConfig
  /** Limits on rate and concurrency, checked before the rules. */
  throttles?: readonly Throttle[]
  /** The script, in order. Each rule counts every request it matches; the first that may fire decides. */
  rules?: readonly Rule[]
  /** The steps of the reference client, which tries the file without an application. */
  drive?: readonly DriveStep[]
  /** What must be true for the run to pass. */
  expect?: Expect
}

/**
 * The keys of the config file, except for those that a scenario has itself.
 *
 * @example
 * const config: ScenarioConfig = { profile: 'upstream', models: [{ name: 'video-1', seconds: [5, 10] }] }
 * defineScenario({ version: 1, config }).config // → { profile: 'upstream', … }
 */
export interface ScenarioConfig {
  /** The valid API keys. Default: every key that starts with `sk-`. */
  keys?: readonly (string | KeyRecord)[]
  /** Whether keys of namespaces (`sk-sim-NAME`) are refused if keys are configured. Default false. */
  strictKeys?: boolean
  /** Take a named set of quirks. Default `seed`. */
  profile?: Profile
  /** Where gateways differ, one by one. */
  quirks?: Partial<Quirks>
  /** Set how long tasks take, for all models or by pattern; the first match counts. Default `quick`. */
  timing?: TimingOptions
  /**
   * How much each namespace keeps. Default of `serve`: 100000 tasks, and 24h without a request; else
   * everything.
   */
  retention?: {
    /** The number of tasks; the oldest are removed first. */
    tasks?: number
    /** The age since submission, on the virtual clock. */
    age?: string | number
    /** The real time without a request after which a namespace other than `default` is removed. */
    idle?: string | number
  }
  /**
   * Whether images that requests name by URL are fetched: from public hosts, and from the allowed ones.
   * Default false.
   */
  fetchImages?: boolean | readonly string[] | {
    /** Private hosts and addresses that may be fetched from. */
    allow: readonly string[]
  }
  /**
   * Number this process behind a load balancer, from 0 to 99: ids and URLs contain the number. Default:
   * it is the only one.
   */
  shard?: number
  /** Begin links in responses with this URL, by which clients reach the server. */
  publicUrl?: string
  /**
   * Make `full` clips for people, `fast` ones for tests, or `card` ones to test players. Default `full`
   * on a port, `fast` when embedded.
   */
  quality?: 'full' | 'fast' | 'card'
  /** Choose the sound of videos; `none` leaves the audio track out. Default `none`. */
  audio?: 'none' | 'silence' | 'tone' | 'ambience'
  /** Print prompt, model, task and time code on `full` clips. Default true. */
  caption?: boolean
  /** Whether directives such as `[[stuck]]` in prompts take effect. Default true. */
  promptDirectives?: boolean
  /** The models. Default: every name is accepted. */
  models?: readonly ModelSettings[]
  /** Lengths, sizes and lifecycle of videos. */
  video?: {
    /** The lengths that are accepted, in whole seconds. */
    seconds?: {
      /** The length if a request has none. Default 5. */
      default?: number
      /** The shortest. Default 1. */
      min?: number
      /** The longest, which is also rendered. Default 3600, rendered up to 60. */
      max?: number
    }
    /** The sizes that are accepted. */
    size?: {
      /** The size if a request has none. Default 1280x720. */
      default?: string
      /** The shortest side, in pixels. Default 1, rendered with 64. */
      min?: number
      /** The longest side, in pixels. Default 16384, rendered with 1920. */
      max?: number
    }
    /**
     * Whether `GET /v1/videos` lists and `DELETE /v1/videos/{id}` deletes, which the gateway doesn't.
     * Default false.
     */
    listAndDelete?: boolean
    /** Frames per second, by quality. */
    framesPerSecond?: {
      /** In quality `full`. Default 24. */
      full?: number
      /** In quality `fast`. Default 12. */
      fast?: number
      /** In quality `card`. Default 24. */
      card?: number
    }
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** How the drawing channel behaves. */
  drawing?: {
    /** Whether `accountFilter` has an effect; the gateway strips it. Default false. */
    accountFilter?: boolean
    /**
     * Whether changes are posted to `notifyHook`, which the gateway strips: to this machine, and to the
     * allowed hosts. Default false.
     */
    notifyHook?: boolean | readonly string[] | {
      /** Hosts that may be notified, apart from this machine. */
      allow: readonly string[]
    }
    /** Whether the calls of the stand-alone proxies work: list, queue and cancel. Default false. */
    proxyCalls?: boolean
    /** Words that no prompt may contain. */
    bannedWords?: readonly string[]
    /** The queue of each namespace. Default: unlimited. */
    queue?: {
      /** The number of tasks of a namespace that render at a time. */
      running: number
      /** The number of tasks that may wait. */
      waiting: number
    }
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** How texts are generated, and how fast. */
  text?: TextOptions
  /**
   * Headers that may carry the key on native routes; the first present one counts. Default
   * `x-native-api-key` and `x-goog-api-key`.
   */
  nativeKeyHeaders?: readonly string[]
  /** Prices in dollars; the first match counts, then the built-in ones. */
  prices?: readonly Price[]
  /** The share of every price that the account pays. Default 1. */
  discount?: number
  /** What makes two requests the same: the fields to ignore. */
  identity?: readonly string[] | {
    /** Body fields to ignore, such as a nonce. */
    ignore?: readonly string[]
  }
  /** Sizes: how large and how many things may be. */
  limits?: {
    /** The largest request body. Default 32. */
    bodyMegabytes?: number
    /** The bodies of all requests in memory at a time. Default 512. */
    bodiesMegabytes?: number
    /** The longest prompt. Default 32000. */
    promptCharacters?: number
    /** The number of messages in a conversation. Default 2000. */
    messages?: number
    /** The number of characters of all texts in one text request. Default 4000000. */
    textCharacters?: number
    /** The largest image, decoded. Default 20. */
    imageMegabytes?: number
    /** The length of the journal of each namespace. Default 1000; of `serve` 10000. */
    journalEntries?: number
    /** The number of namespaces. Default 10000. */
    namespaces?: number
  }
  /** Origins of web pages that may call the control API. */
  controlOrigins?: readonly string[]
  /**
   * The token that the control API requires, as `Authorization: Bearer TOKEN`: at least 16 characters.
   * Better given as GREENROOM_CONTROL_TOKEN.
   */
  controlToken?: string
  /** Listen on this port; 0 takes a free one. Default 4646. */
  port?: number
  /** Listen on this address; any but loopback needs keys. Default 127.0.0.1. */
  host?: string
  /**
   * Encode with the program at this path, or with `wasm`. In a file, the path is relative to the file.
   * Also GREENROOM_FFMPEG.
   */
  ffmpeg?: string
  /**
   * Cache finished clips in this folder: new, empty, or an earlier cache; false caches them in memory
   * only.
   */
  cacheDir?: string | false
  /**
   * Persist tasks, time and balances in this folder. In a file, the path is relative to the file. Needs
   * the package lmdb.
   */
  state?: string
  /** Respond only when changes are on disk, so that they survive a loss of power. Default false. */
  stateSync?: boolean
  /**
   * Hold headers and bodies of the latest 2000 exchanges in memory, for the dashboard; false if CI is
   * set. Default true.
   */
  bodies?: boolean
  /**
   * Variables that `run` sets for its command, apart from the usual ones; `${url}` and `${key}` stand for
   * those of the server. Names are those of an application, such as `*_URL`, `*_KEY`, `*_TOKEN` and
   * `MY_*`.
   */
  env?: Readonly<Record<string, string>>
}

/**
 * One step of the reference client. Steps follow one another; the tasks of one step run at the same
 * time.
 *
 * @example
 * const step: DriveStep = { flow: 'drawing', prompt: 'a lighthouse at dusk', actions: ['upscale 2', 'repaint'] }
 */
export interface DriveStep {
  /** What is created, and in which API. */
  flow: Flow
  /** The model. Default: `video-1` for videos, `sim-text-1` for texts. */
  model?: string
  /**
   * The prompt. Default `a paper boat in the rain`. Of several tasks, all but the first are numbered: `…,
   * take 2`.
   */
  prompt?: string
  /** The number of tasks at the same time. Default 1. */
  n?: number
  /** Whether all are submitted at the same moment; otherwise each after the response to the one before. */
  submitTogether?: boolean
  /** The wait between two polls of a task. Default 5s. */
  pollEvery?: string | number
  /** The time since the submission after which it gives a task up. Default 10m. */
  giveUpAfter?: string | number
  /** The maximum number of retries of a request that was refused for now, lost or broken. Default 5. */
  retries?: number
  /** How it checks downloads: not at all, by length, or by length and entity tag. Default `etag`. */
  verify?: Verification
  /** Whether finished tasks are downloaded. Default true. */
  download?: boolean
  /** The length of videos in seconds. */
  seconds?: number
  /** The size of videos as `WIDTHxHEIGHT`. */
  size?: string
  /**
   * Actions on drawings, one after the other, each on the latest result with such a button: upscale 2,
   * vary 3, zoom 2, pan left, repaint, animate, or the label of a button.
   */
  actions?: readonly string[]
}

export type Flow = 'video' | 'openai-video' | 'drawing' | 'text' | 'text-stream' | 'chat' | 'chat-stream'

export type Verification = 'none' | 'length' | 'etag'

/**
 * What must be true of a run for it to pass. Durations are virtual time, written as in `30s`.
 *
 * @example
 * const expected: Expect = {
 *   tasks: [{ channel: 'video', count: 1, status: 'SUCCESS' }],
 *   requests: [{ op: 'video.poll', count: { min: 5 }, saw: ['queued', 'IN_PROGRESS', 'SUCCESS'] }],
 *   artifacts: [{ channel: 'video', downloaded: 'intact' }],
 *   sequence: 'submit poll+ content',
 *   always: ['auth-on-every-call', 'no-poll-after-terminal'],
 * }
 */
export interface Expect {
  /** The states of tasks at the end of the run. */
  tasks?: readonly TaskExpectation[]
  /** Requests and their responses. */
  requests?: readonly RequestExpectation[]
  /** Reports to the `notifyHook` of drawings. */
  webhooks?: readonly WebhookExpectation[]
  /** What the client must have downloaded of tasks that succeeded. */
  artifacts?: readonly ArtifactExpectation[]
  /** The operations of every task, in order; or a list of sequences by channel. */
  sequence?: string | readonly SequenceExpectation[]
  /**
   * How often rules and throttles fired. Those that are not listed must fire at least once, unless
   * `optional`.
   */
  rules?: Readonly<Record<string, {
    /** The number of times it fired. */
    fired: Count
  }>>
  /** Periods without such requests: the client has given up or finished. */
  quiet?: readonly QuietExpectation[]
  /** Invariants, which are checked on every request. */
  always?: readonly (InvariantName | AlwaysExpectation)[]
  /** What at least one of several seeds must show: proof that they reach the interesting case. */
  sometimes?: readonly SometimesExpectation[]
  /** The maximum virtual time from the first request to the last response. */
  within?: string
  /**
   * How the command of `greenroom run` ends: `passes` with code 0, `fails` with another, or `any`; or its
   * exit code, its output, and a file that it writes.
   */
  command?: 'passes' | 'fails' | 'any' | CommandExpectation
  /** What does not fail the run. */
  allow?: Allowances
}

/**
 * `channel`, `op`, `model` and `nth` select tasks; all other keys must match. At least one selected
 * task must match; with `count`, that number; with `each`, all; with `nth`, that one.
 */
export interface TaskExpectation {
  /** Selects by kind. */
  channel?: Channel
  /** Selects by the operation that created the task; `*` matches several. */
  op?: string | readonly string[]
  /** Selects by the requested model; `*` stands for any run of characters. */
  model?: string
  /** Selects by number in its channel, in the order of submission, from 1. */
  nth?: number
  /** The status at the end of the run, or one of several. */
  status?: string | readonly string[]
  /** Why the task failed. */
  reason?: ValueMatch
  /** Virtual time from submission to end. */
  elapsed?: DurationRange
  /** The number that must match. Default: at least one. */
  count?: Count
  /** Whether all of them must match. */
  each?: boolean
}

/**
 * `op`, `channel`, `taskNth` and `model` select requests; all other keys must match. At least one
 * selected request must match; with `count`, that number; with `each`, all; with `nth`, that one.
 */
export interface RequestExpectation {
  /** Selects by operation; `*` matches several. */
  op: string | readonly string[]
  /** Selects requests about a task of this kind. */
  channel?: Channel
  /** Selects requests about this task: its number in its channel, in the order of submission, from 1. */
  taskNth?: number
  /** Selects by model; `*` stands for any run of characters. */
  model?: string
  /** The number of the request among the selected ones, from 1. */
  nth?: number
  /** The status of the response, a class of statuses, or one of several. */
  status?: StatusMatch | readonly StatusMatch[]
  /** Whether the response was sent completely, the client left before, or the bytes could not be made. */
  outcome?: 'completed' | 'aborted' | 'failed'
  /** Whether the body of the response arrived complete. */
  content?: 'complete' | 'partial' | 'altered'
  /** What became of a streamed text. */
  stream?: {
    /** The number of chunks sent. */
    chunks?: Count
    /** How the stream ended. */
    ended?: 'finished' | 'error' | 'cut' | 'aborted'
  }
  /** Virtual time from admission to the first byte of the response. */
  ttfb?: DurationRange
  /** Fields of the request body by path, such as `messages[0].content`. */
  body?: Readonly<Record<string, ValueMatch>>
  /** Request headers by name, in any case. */
  headers?: Readonly<Record<string, ValueMatch>>
  /** Query parameters by name. */
  query?: Readonly<Record<string, ValueMatch>>
  /** The rule or throttle that fired. */
  rule?: string
  /** The injected fault. */
  fault?: 'reset' | 'close' | 'hang' | 'slow-start' | 'drip' | 'truncate' | 'half-headers' | 'garbage' | 'malformed-chunk' | 'corrupt' | 'wrong-type' | 'invalid-json' | 'redirect-loop' | 'duplicate-events' | 'split-character' | 'stale'
  /** The number that must match. Default: at least one. */
  count?: Count
  /** Whether all of them must match. */
  each?: boolean
  /** States that the polls of each task must have returned, in this order; others may occur in between. */
  saw?: readonly string[]
}

export interface WebhookExpectation {
  /** Only those of this drawing: its number in the order of submission, from 1. */
  taskNth?: number
  /** The state of the task that they report, or one of several. */
  state?: string | readonly string[]
  /** How the receiver answers: a status, a class, or one of several. Without an answer, none fits. */
  status?: StatusMatch | readonly StatusMatch[]
  /** The number that must match. Default: at least one. */
  count?: Count
}

export type StatusMatch = number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

/**
 * The end of the command after `--` in `greenroom run`: its exit code, its output, and a file that it
 * writes.
 */
export interface CommandExpectation {
  /** The exit code; `nonzero` is any code except 0, and no signal; `any` is any end. Default: 0. */
  exit?: number | 'nonzero' | 'any'
  /** The text that the command writes to standard output. */
  stdout?: {
    /** A substring. */
    contains?: string
    /** A regular expression to find in one of the lines, without look-around and back-references. */
    matches?: string
  }
  /** A file that the command must write during the run. */
  file?: {
    /**
     * Relative to the working folder, or else to the folder of the scenario. It must lie inside one of
     * them.
     */
    path: string
    /** The SHA-256 of its bytes, in hexadecimal. */
    sha256?: string
    /** Its text. */
    equals?: string
  }
}

export interface ArtifactExpectation {
  /** The kind of task. */
  channel: Channel
  /** Only for this task: its number in its channel, in the order of submission, from 1. */
  taskNth?: number
  /** `intact`: complete and unaltered by the end; `any`: at least one successful download; `never`: none. */
  downloaded: 'intact' | 'any' | 'never'
}

export interface SequenceExpectation {
  /** Only for tasks of this kind. */
  channel?: Channel
  /** Only for this task: its number in its channel, in the order of submission, from 1. */
  taskNth?: number
  /**
   * Words with `+`, `*`, `?`, `|` and parentheses. A word is the last part of an operation, or submit,
   * poll, download, any.
   */
  is: string
}

export interface QuietExpectation {
  /** The operation; `*` matches several. */
  op: string | readonly string[]
  /** Only for tasks of this kind. */
  channel?: Channel
  /** Only for this task: its number in its channel, in the order of submission, from 1. */
  taskNth?: number
  /** The start, since the submission of the task; for operations without a task, since the first request. */
  after: string
  /** The length of the period. */
  for: string
}

export interface AlwaysExpectation {
  /** The invariant. */
  name: InvariantName
  /** For `poll-interval`: the shortest wait between two polls of a task. Default 5s. */
  min?: string
  /** For `poll-interval`: the longest. Default 10s. */
  max?: string
  /** Whether it may remain not exercised. */
  optional?: boolean
}

export type SometimesExpectation = {
  /** Such a task. */
  task: TaskExpectation
} | {
  /** Such a request. */
  request: RequestExpectation
} | {
  /** The rule or throttle that fires. */
  rule: string
  /** The number of times. Default: at least once. */
  fired?: Count
}

export interface Allowances {
  /** Requests that match no operation. */
  unmatched?: boolean
  /** Rules that never fired. */
  unusedRules?: boolean
  /** Expectations that no request, task or fault exercised. */
  notExercised?: boolean
  /** In a strict run: invariants that can't be judged, such as waits that the clock does not show. */
  notApplicable?: boolean
  /** In a strict run: faults that were only approximated. */
  approximated?: boolean
}

/**
 * The name of something that a good client never breaks.
 *
 * @example
 * const always: InvariantName[] = ['auth-on-every-call', 'backs-off']
 * using run = sim.watch({ always })
 */
export type InvariantName = 'auth-on-every-call' | 'one-key' | 'no-poll-after-terminal' | 'poll-interval' | 'honours-retry-after' | 'backs-off' | 'no-duplicate-submit' | 'no-early-download' | 'modal-follows-its-action' | 'reads-stream-to-end'

export type Channel = 'video' | 'drawing'

/** An exact number, or an inclusive range. */
export type Count = number | {
  /** The minimum. */
  min?: number
  /** The maximum. */
  max?: number
}

/** An inclusive range of virtual time. */
export interface DurationRange {
  /** The minimum. */
  min?: string
  /** The maximum. */
  max?: string
}

export interface GatewayOptions {
  /** Set the random seed, a number or a text. Default 1. */
  seed?: string | number
  /** The valid API keys. Default: every key that starts with `sk-`. */
  keys?: readonly (string | KeyRecord)[]
  /** Whether keys of namespaces (`sk-sim-NAME`) are refused if keys are configured. Default false. */
  strictKeys?: boolean
  /** Take a named set of quirks. Default `seed`. */
  profile?: Profile
  /** Where gateways differ, one by one. */
  quirks?: Partial<Quirks>
  /** Set how long tasks take, for all models or by pattern; the first match counts. Default `quick`. */
  timing?: TimingOptions
  /**
   * How much each namespace keeps. Default of `serve`: 100000 tasks, and 24h without a request; else
   * everything.
   */
  retention?: {
    /** The number of tasks; the oldest are removed first. */
    tasks?: number
    /** The age since submission, on the virtual clock. */
    age?: string | number
    /** The real time without a request after which a namespace other than `default` is removed. */
    idle?: string | number
  }
  /**
   * Whether images that requests name by URL are fetched: from public hosts, and from the allowed ones.
   * Default false.
   */
  fetchImages?: boolean | readonly string[] | {
    /** Private hosts and addresses that may be fetched from. */
    allow: readonly string[]
  }
  /** The script, in order; the first rule that may fire decides. */
  rules?: readonly Rule[]
  /** Limits on rate and concurrency, checked before the rules. */
  throttles?: readonly Throttle[]
  /**
   * Number this process behind a load balancer, from 0 to 99: ids and URLs contain the number. Default:
   * it is the only one.
   */
  shard?: number
  /** Begin links in responses with this URL, by which clients reach the server. */
  publicUrl?: string
  /**
   * Make `full` clips for people, `fast` ones for tests, or `card` ones to test players. Default `full`
   * on a port, `fast` when embedded.
   */
  quality?: 'full' | 'fast' | 'card'
  /** Choose the sound of videos; `none` leaves the audio track out. Default `none`. */
  audio?: 'none' | 'silence' | 'tone' | 'ambience'
  /** Print prompt, model, task and time code on `full` clips. Default true. */
  caption?: boolean
  /** Whether directives such as `[[stuck]]` in prompts take effect. Default true. */
  promptDirectives?: boolean
  /** The models. Default: every name is accepted. */
  models?: readonly ModelSettings[]
  /** Lengths, sizes and lifecycle of videos. */
  video?: {
    /** The lengths that are accepted, in whole seconds. */
    seconds?: {
      /** The length if a request has none. Default 5. */
      default?: number
      /** The shortest. Default 1. */
      min?: number
      /** The longest, which is also rendered. Default 3600, rendered up to 60. */
      max?: number
    }
    /** The sizes that are accepted. */
    size?: {
      /** The size if a request has none. Default 1280x720. */
      default?: string
      /** The shortest side, in pixels. Default 1, rendered with 64. */
      min?: number
      /** The longest side, in pixels. Default 16384, rendered with 1920. */
      max?: number
    }
    /**
     * Whether `GET /v1/videos` lists and `DELETE /v1/videos/{id}` deletes, which the gateway doesn't.
     * Default false.
     */
    listAndDelete?: boolean
    /** Frames per second, by quality. */
    framesPerSecond?: {
      /** In quality `full`. Default 24. */
      full?: number
      /** In quality `fast`. Default 12. */
      fast?: number
      /** In quality `card`. Default 24. */
      card?: number
    }
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** How the drawing channel behaves. */
  drawing?: {
    /** Whether `accountFilter` has an effect; the gateway strips it. Default false. */
    accountFilter?: boolean
    /**
     * Whether changes are posted to `notifyHook`, which the gateway strips: to this machine, and to the
     * allowed hosts. Default false.
     */
    notifyHook?: boolean | readonly string[] | {
      /** Hosts that may be notified, apart from this machine. */
      allow: readonly string[]
    }
    /** Whether the calls of the stand-alone proxies work: list, queue and cancel. Default false. */
    proxyCalls?: boolean
    /** Words that no prompt may contain. */
    bannedWords?: readonly string[]
    /** The queue of each namespace. Default: unlimited. */
    queue?: {
      /** The number of tasks of a namespace that render at a time. */
      running: number
      /** The number of tasks that may wait. */
      waiting: number
    }
    /** Replaces the states' times, weights and progress. */
    lifecycle?: LifecycleDefinition
  }
  /** How texts are generated, and how fast. */
  text?: TextOptions
  /**
   * Headers that may carry the key on native routes; the first present one counts. Default
   * `x-native-api-key` and `x-goog-api-key`.
   */
  nativeKeyHeaders?: readonly string[]
  /** Prices in dollars; the first match counts, then the built-in ones. */
  prices?: readonly Price[]
  /** The share of every price that the account pays. Default 1. */
  discount?: number
  /** What makes two requests the same: the fields to ignore. */
  identity?: readonly string[] | {
    /** Body fields to ignore, such as a nonce. */
    ignore?: readonly string[]
  }
  /** Sizes: how large and how many things may be. */
  limits?: {
    /** The largest request body. Default 32. */
    bodyMegabytes?: number
    /** The bodies of all requests in memory at a time. Default 512. */
    bodiesMegabytes?: number
    /** The longest prompt. Default 32000. */
    promptCharacters?: number
    /** The number of messages in a conversation. Default 2000. */
    messages?: number
    /** The number of characters of all texts in one text request. Default 4000000. */
    textCharacters?: number
    /** The largest image, decoded. Default 20. */
    imageMegabytes?: number
    /** The length of the journal of each namespace. Default 1000; of `serve` 10000. */
    journalEntries?: number
    /** The number of namespaces. Default 10000. */
    namespaces?: number
  }
  /** Origins of web pages that may call the control API. */
  controlOrigins?: readonly string[]
  /**
   * The token that the control API requires, as `Authorization: Bearer TOKEN`: at least 16 characters.
   * Better given as GREENROOM_CONTROL_TOKEN.
   */
  controlToken?: string
}

/**
 * What a config file may contain.
 *
 * @example
 * const config: ConfigFile = {
 *   port: 4700,
 *   clock: { rate: 60 },
 *   profile: 'upstream',
 *   env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
 * }
 */
export interface ConfigFile extends GatewayOptions {
  /** The name of the config. */
  name?: string
  /** Its purpose; nothing depends on it. */
  description?: string
  /** Listen on this port; 0 takes a free one. Default 4646. */
  port?: number
  /** Listen on this address; any but loopback needs keys. Default 127.0.0.1. */
  host?: string
  /** How time moves: a mode alone, or in detail. */
  clock?: 'real' | 'scaled' | 'manual' | 'auto' | ServedClockOptions
  /**
   * Encode with the program at this path, or with `wasm`. In a file, the path is relative to the file.
   * Also GREENROOM_FFMPEG.
   */
  ffmpeg?: string
  /**
   * Cache finished clips in this folder: new, empty, or an earlier cache; false caches them in memory
   * only.
   */
  cacheDir?: string | false
  /**
   * Persist tasks, time and balances in this folder. In a file, the path is relative to the file. Needs
   * the package lmdb.
   */
  state?: string
  /** Respond only when changes are on disk, so that they survive a loss of power. Default false. */
  stateSync?: boolean
  /**
   * Hold headers and bodies of the latest 2000 exchanges in memory, for the dashboard; false if CI is
   * set. Default true.
   */
  bodies?: boolean
  /**
   * Variables that `run` sets for its command, apart from the usual ones; `${url}` and `${key}` stand for
   * those of the server. Names are those of an application, such as `*_URL`, `*_KEY`, `*_TOKEN` and
   * `MY_*`.
   */
  env?: Readonly<Record<string, string>>
  /**
   * Log requests for people, as JSON lines, or not at all; with `quiet` not at all, with `json` as JSON
   * lines. Default pretty.
   */
  log?: 'pretty' | 'json' | 'silent'
  /** Log ids, headers and timings of each request, and print banner lines to paste. */
  verbose?: boolean
  /** Open the dashboard in a browser. */
  open?: boolean
  /** Print only the URL. */
  quiet?: boolean
  /** Print the banner as one line of JSON. */
  json?: boolean
}

export interface ClockOptions {
  /**
   * `real` keeps the host's pace, `scaled` a multiple of it; `manual` moves on request, `auto` whenever
   * nothing else can happen.
   */
  mode?: ClockMode
  /** The speed in mode `scaled`: virtual seconds per second of the host. */
  rate?: number
  /** The first instant: an ISO date, or milliseconds since 1970. */
  start?: string | number
  /** In mode `auto`, the assumed wait between two polls of a task. Default 5s. */
  pollStep?: string | number
  /**
   * In mode `auto`, what is assumed of clients that never sleep on the clock: `poll`, that they wait the
   * poll step; `retry-after`, that they wait as a refusal says. Default `[poll]`.
   */
  assume?: readonly Assumption[]
  /**
   * In mode `auto`, the number of clients that share the clock: time moves only while all of them wait.
   * Default: unknown.
   */
  participants?: number
  /** In mode `auto`, how far time may move by itself, in each namespace. Default 24h. */
  limit?: string | number
}

export interface ServedClockOptions {
  /**
   * `real` keeps the host's pace, `scaled` a multiple of it; `manual` moves on request, `auto` whenever
   * nothing else can happen.
   */
  mode?: 'real' | 'scaled' | 'manual' | 'auto'
  /** The speed in mode `scaled`: virtual seconds per second of the host. */
  rate?: number
  /** The first instant: an ISO date, or milliseconds since 1970. */
  start?: string | number
  /** In mode `auto`, the assumed wait between two polls of a task. Default 5s. */
  pollStep?: string | number
  /**
   * In mode `auto`, what is assumed of clients that never sleep on the clock: `poll`, that they wait the
   * poll step; `retry-after`, that they wait as a refusal says. Default `[poll]`.
   */
  assume?: readonly Assumption[]
  /**
   * In mode `auto`, the number of clients that share the clock: time moves only while all of them wait.
   * Default: unknown.
   */
  participants?: number
  /** In mode `auto`, how far time may move by itself, in each namespace. Default 24h. */
  limit?: string | number
}

/**
 * One configured key.
 *
 * @example
 * const key: KeyRecord = { key: 'sk-intern', models: ['video-*'], balance: 0.1, expires: '2031-01-01' }
 * await using sim = createSimulator({ keys: ['sk-admin', key] })
 * const intern = new MyClient({ fetch: sim.fetch, apiKey: 'sk-intern' })
 * await intern.submitVideo('a red kite')
 * sim.usage() // → [{ reserved: 0.08, balance: 0.02, … }]
 */
export interface KeyRecord {
  /** The key, as clients send it. */
  key: string
  /** The namespace of its requests; several keys can share one. Default `default`. */
  namespace?: string
  /** When it expires on the virtual clock: an ISO date, or milliseconds since 1970. */
  expires?: string | number
  /** Whether it is refused like an unknown key. */
  revoked?: boolean
  /** The models that it can use; `*` stands for any run of characters. Default: all. */
  models?: readonly string[]
  /** Its balance in dollars, in each namespace. Default: unlimited. */
  balance?: number
}

/**
 * One model of the configured list.
 *
 * @example
 * const model: ModelSettings = { name: 'video-1', kind: 'video', seconds: [5, 10], sizes: ['1280x720'] }
 * await using sim = createSimulator({ models: [model, { name: 'sim-text-1', kind: 'text' }] })
 */
export interface ModelSettings {
  /** Its name in requests. */
  name: string
  /** What it makes. Default: anything. */
  kind?: ModelKind
  /** Whether it takes an `image`. Default true. */
  image?: boolean
  /** What is heard in its videos. Default: as `audio` of the config. */
  audio?: 'none' | 'silence' | 'tone' | 'ambience'
  /** The lengths that it makes. Default: all within the bounds. */
  seconds?: readonly number[]
  /** The sizes that it makes, as `WIDTHxHEIGHT`. Default: all within the bounds. */
  sizes?: readonly string[]
}

export type ModelKind = 'video' | 'text' | 'embedding' | 'drawing'

/**
 * A set of quirks by its name.
 *
 * @example
 * const profiles: Profile[] = ['seed', 'upstream', 'page']
 * for (const profile of profiles) await createSimulator({ profile }).close()
 */
export type Profile = 'seed' | 'upstream' | 'page'

/**
 * How a gateway behaves where gateways differ, each with the values that {@link quirkValues} lists.
 *
 * @example
 * const quirks: Partial<Quirks> = { contentDelivery: 'redirect', sseNewline: 'crlf' }
 * await using sim = createSimulator({ profile: 'upstream', quirks })
 */
export interface Quirks {
  /** The status of a video before it renders: `queued`, or the gateway's own words. Default seed. */
  videoStatusStyle: 'seed' | 'upstream'
  /**
   * The form of a video of the Videos API: the gateway's, without empty fields, or OpenAI's own. Default
   * gateway.
   */
  openaiVideoStyle: 'gateway' | 'openai'
  /** Whether content is sent, or a link to it. Default direct. */
  contentDelivery: 'direct' | 'redirect'
  /** Whether range requests for content are answered. Default on. */
  contentRange: 'on' | 'off'
  /**
   * Whether `?variant=thumbnail` and `spritesheet` give images; the gateway ignores them and sends the
   * video. Default on.
   */
  contentVariants: 'on' | 'off'
  /** Whether content needs a key. Default required. */
  contentAuth: 'required' | 'optional'
  /**
   * The media type of drawing submissions; the real gateway leaves it to be guessed from the bytes.
   * Default json.
   */
  drawingContentType: 'json' | 'text'
  /** Whether buttons work that the gateway itself does not know, such as animate. Default accept. */
  unknownButtons: 'accept' | 'refuse'
  /** Whether a list of drawings takes ids that are numbers. Default accept. */
  numericIds: 'accept' | 'refuse'
  /**
   * The envelope of errors on native routes: one that all clients read, the gateway's, or the vendor's.
   * Default merged.
   */
  nativeErrorStyle: 'merged' | 'gateway' | 'vendor'
  /** How native models are listed: with what they can do, or by their names. Default vendor. */
  nativeModelStyle: 'vendor' | 'gateway'
  /** What a native stream is without `alt=sse`: events all the same, or an array. Default sse. */
  nativeStreamWithoutAlt: 'sse' | 'json-array'
  /** The line ending of the events of streamed texts. Default lf. */
  sseNewline: 'lf' | 'crlf'
  /** The status of a client's mistake on text routes. Default 400. */
  clientErrorStatus: 400 | 500
  /** Whether a chat stream ends with its usage by default. Default on. */
  usageByDefault: 'on' | 'off'
  /** The status of the error for an unknown model in a listing. Default 404. */
  modelsUnknownStatus: 404 | 200
}

/**
 * How long tasks queue and render.
 *
 * @example
 * const timing: Timing = { queued: '1s', render: { uniform: ['10s', '1m'] } }
 * await using sim = createSimulator({ timing })
 */
export interface Timing {
  /** How long tasks are queued. */
  queued: DurationSpec
  /** How long rendering takes. */
  render: DurationSpec
}

export type TimingName = 'instant' | 'quick' | 'realistic'

/**
 * A pace by its name, or by its durations; missing durations are those of the lifecycle.
 *
 * @example
 * const byName: TimingOption = 'quick'
 * const rendersSlowly: TimingOption = { render: '3m' }
 * await using sim = createSimulator({ timing: { 'draft-*': byName, '*': rendersSlowly } })
 */
export type TimingOption = TimingName | Partial<Timing>

/**
 * The pace of each model: patterns of their names, of which the first that fits counts.
 *
 * @example
 * const timing: TimingOptions = { 'video-fast-*': 'instant', 'video-*': 'realistic' }
 * await using sim = createSimulator({ timing })
 * const client = new MyClient({ fetch: sim.fetch })
 * const { status } = await client.pollVideo(await client.submitVideo('a red kite', 'video-fast-2'))
 * status // → 'SUCCESS'
 */
export type TimingOptions = TimingName | Partial<Timing> | Readonly<Record<string, TimingOption>>

/**
 * How texts are answered.
 *
 * @example
 * const text: TextOptions = { answers: [{ prompt: '*capital of France*', text: 'Paris.' }], mode: 'echo' }
 * await using sim = createSimulator({ text })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.ask('What is the capital of France?') // → 'Paris.'
 * await client.ask('What is a kite?') // → 'What is a kite?'
 */
export interface TextOptions {
  /** `prose`: sentences about the prompt. `echo`: the last user text itself. Default `prose`. */
  mode?: 'prose' | 'echo'
  /** The speed: `instant`, `natural`, or figures. Default `natural`. */
  timing?: TextTimingOption
  /** Fixed answers; the first match is sent word for word. */
  answers?: readonly FixedAnswer[]
}

/**
 * A pace by name, or by its figures.
 *
 * @example
 * const timing: TextTimingOption = 'natural'
 * await using sim = createSimulator({ text: { timing } })
 */
export type TextTimingOption = 'instant' | 'natural' | TextTiming

/**
 * What models cost, in dollars. The first price whose pattern fits a model counts.
 *
 * @example
 * const price: Price = { models: 'video-*', perTask: 0.02, perSecond: 0.1 }
 * await using sim = createSimulator({ prices: [price] })
 * const client = new MyClient({ fetch: sim.fetch })
 * await client.submitVideo('a red kite')
 * sim.usage() // → [{ seconds: 1, reserved: 0.12, … }]
 */
export interface Price {
  /** Which models; `*` stands for any run of characters. */
  models: string
  /** The price of a task, however long. */
  perTask?: number
  /** The price of a second of video. */
  perSecond?: number
  /** The price of a million tokens of the request. */
  input?: number
  /** The price of a million tokens of the response, or of a video without the prices above. */
  output?: number
}
