import { caps } from '../src/engine/caps.ts'
import { parseDuration } from '../src/engine/clock/duration.ts'
import { readFileSync } from 'node:fs'
import { servedJournalEntries } from '../src/cli/serve/run-server.ts'
import { maxReaders } from '../src/control/events/events.ts'
import { maxBodyCharacters } from '../src/gateway/messages.ts'
import { expect, it } from 'vitest'
import { createSimulator } from '../src/index.ts'
import { servedRows } from './support/needs.ts'
import { maxShutdownMs } from '../src/cli/terminal/supervise.ts'
import { maxReadMs } from '../src/transports/http/http-segments.ts'
import { defaultLimitMs } from '../src/engine/clock/clock-settings.ts'
import { maxParticipants } from '../src/engine/clock/holds/participants.ts'
import { maxAliases } from '../src/files/yaml-text.ts'
import { maxPartsOf } from '../src/media/received/parts.ts'
import { maxKeyLength } from '../src/gateway/accounts/keys.ts'
import { maxWaitingClips } from '../src/media/clips.ts'
import { mediaLimits } from '../src/media/source.ts'
import { maxWaitingPictures } from '../src/media/pictures.ts'
import { decodeSeconds } from '../src/media/raster/raster.ts'
import { largeAtOnce, largePixels } from '../src/media/received/received-pictures.ts'
import { maxBytes as maxServedBytes } from '../src/media/served-file.ts'
import { optionDefaults } from '../src/scenario/vocabulary/defaults.ts'
import { maxFiles } from '../src/files/load.ts'
import { maxRules } from '../src/scenario/vocabulary/rule-schema.ts'
import { maxVariables } from '../src/scenario/rules/variables.ts'
import { portLimits } from '../src/server/limits.ts'
import { defaultTimeout as callbackTimeout } from '../src/apis/jobs/replies/webhook.ts'
import { maxTools } from '../src/apis/text/openai/shared-form.ts'
import { maxStored } from '../src/apis/text/store.ts'
import { maxImages as maxVideoImages } from '../src/apis/jobs/request/images.ts'
import { defaultTextLimits } from '../src/apis/text/settings.ts'
import { jobDefaults as videoDefaults } from '../src/apis/jobs/request/settings.ts'
import { maxMedia as maxMade } from '../src/scenario/vocabulary/answer-schema.ts'
import { maxModelNameLength } from '../src/apis/define/catalog.ts'
import { maxEmbeddedCharacters } from '../src/apis/text/embedding.ts'
import { maxImages as maxTextImages } from '../src/apis/text/prepare.ts'
import { maxChunks } from '../src/text/pace.ts'
import { maxDimensions } from '../src/text/write/embed.ts'
import { maxDirectiveTokens } from '../src/text/directives.ts'
import { maxPatternLength } from '../src/text/patterns/pattern-parse.ts'
import { maxPatterns } from '../src/text/json-schema/scalars.ts'

/** The limits of an API that is removed from `src/apis`: none. */
const removed = (): never => ({}) as never
const { maxImages: maxDrawingImages } = await import('../src/apis/drawing/images.ts').catch(removed)
const { maxAnswers } = await import('../src/apis/chat/form.ts').catch(removed)
const { maxIds } = await import('../src/apis/drawing/list.ts').catch(removed)
const { maxCandidates, maxFunctions } = await import('../src/apis/native-text/form.ts').catch(removed)
const { maxEditedImages, maxPartialImages } = await import('../src/apis/images/form.ts').catch(removed)
const {
  maxImages: maxMadeImages,
  maxPixels,
  maxPromptLength,
} = await import('../src/apis/images/model-family.ts').catch(removed)
const { maxInputs, maxInputTokens } = await import('../src/apis/embeddings/form.ts').catch(removed)

const seconds = (ms: number): string => `${ms / 1_000} s`
const hours = (ms: number): string => `${ms / 3_600_000} h`
const kilobytes = (bytes: number): string => `${bytes / 1024} KB`
const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MB`
const characters = (count: number): string => `${count} characters`

/** The caps, as the page lists them. */
const inCaps: readonly (readonly [what: string, limit: number | string])[] = [
  ['Body, also when unpacked', megabytes(caps.bodyBytes)],
  ['Bodies of all requests in memory', megabytes(caps.bodiesBytes)],
  ['Body of a control call', megabytes(caps.controlBodyBytes)],
  ['Body of a restored snapshot', megabytes(caps.snapshotBytes)],
  ['Values in a JSON body', caps.jsonValues],
  ['Depth of a JSON body', caps.jsonDepth],
  ['Form of type `application/x-www-form-urlencoded`', megabytes(caps.formBytes)],
  ['Fields of a form', caps.formFields],
  ['Headers of all parts of a form', kilobytes(caps.formHeaderBytes)],
  ['Image, decoded from base64', megabytes(caps.imageBytes)],
  ['Pixels of a received image', caps.imagePixels],
  [
    'Chunks, segments, boxes or frames of an image',
    `${maxPartsOf(new Uint8Array())}, and one more for each ${2_048 / (maxPartsOf(new Uint8Array(2_048)) - maxPartsOf(new Uint8Array())) / 1_024} KB`,
  ],
  ['Files that clients upload to APIs of yours', megabytes(caps.uploadBytes)],
  ['Number of these files', caps.uploads],
  ['Prompt of a video or drawing', characters(videoDefaults.promptLimitCharacters)],
  ['Texts of a text request', characters(defaultTextLimits.textCharacters)],
  ['Parts of a JSON schema', caps.schemaPlaces],
  ['Depth of a JSON schema', caps.schemaDepth],
  ['Scenario or config file', megabytes(caps.fileBytes)],
  ['Tokens of a scenario or config file, such as keys, values, colons and line breaks', caps.fileTokens],
  ['Depth of YAML, and of JSON in a file', caps.fileDepth],
]

const others: readonly (readonly [what: string, limit: number | string])[] = [
  ['Connections at a time', portLimits.connections],
  ['Request line and headers', kilobytes(portLimits.headerBytes)],
  ['Time for the headers', seconds(portLimits.headersMs)],
  ['Time for headers and body', seconds(portLimits.requestMs)],
  ['Time without progress of a reader', seconds(portLimits.stalledMs)],
  ['Time to read a segment of `drip`, `slow-start` or `split-character`', seconds(maxReadMs)],
  ['Duration of an answer or a stream, in real time', hours(portLimits.answerMs)],
  ['Idle time between requests', seconds(portLimits.idleMs)],
  ['Key', characters(maxKeyLength)],
  ['Model name in a body', characters(maxModelNameLength)],
  ['Messages of a conversation', defaultTextLimits.messages],
  ['Texts of an embedding request', characters(maxEmbeddedCharacters)],
  ['Stored responses', maxStored],
  ['Inputs of `POST /v1/embeddings`', maxInputs],
  ['Tokens of an input of `POST /v1/embeddings`', maxInputTokens],
  ['Numbers of an embedding', maxDimensions],
  ['Answers to one chat', maxAnswers],
  ['Answers to one native request', maxCandidates],
  ['Tools of a chat', maxTools],
  ['Functions of a native request', maxFunctions],
  ['Tokens of a directive', maxDirectiveTokens],
  ['Chunks of a stream', maxChunks],
  ['Length of a video', `${videoDefaults.seconds.max} s`],
  ['Length of a clip', `${videoDefaults.rendered.seconds} s`],
  ['Sides of a video', `${videoDefaults.size.min} to ${videoDefaults.size.max} pixels`],
  ['Sides of a clip', `${videoDefaults.rendered.minSide} to ${videoDefaults.rendered.maxSide} pixels`],
  ['Images in a video request', maxVideoImages],
  ['Images in a request of an API of yours', maxVideoImages],
  ['Images in a drawing request', maxDrawingImages],
  ['Images of one request', maxMadeImages],
  ['Partial images', maxPartialImages],
  ['Images of an edit', maxEditedImages],
  ['Prompt of an image', maxPromptLength && characters(maxPromptLength)],
  ['Pixels of an image', maxPixels],
  ['Different images in a text request', maxTextImages],
  ['Ids in a list of drawings', maxIds],
  ['Time to decode an image', seconds(decodeSeconds * 1_000)],
  [`Images of more than ${largePixels / 1e6} megapixels, decoded at a time`, largeAtOnce],
  ['Clips rendered at a time', mediaLimits.rendersAtOnce],
  ['Waiting clips', maxWaitingClips],
  ['Waiting images', maxWaitingPictures],
  ['Renderer or encoder inactivity', seconds(mediaLimits.stallTimeoutMs)],
  ['Clips and images in memory', `${mediaLimits.memoryBytes / 1e6} MB`],
  ['Clips and images on disk', `${mediaLimits.cacheBytes / 1e6} MB`],
  ['Uploaded images, stored with a state', `${mediaLimits.receivedBytes / 1e6} MB`],
  ['File of a rule', megabytes(maxServedBytes)],
  ['Video or image of a rule', `${maxMade.seconds} s, sides of ${maxMade.side} pixels`],
  ['Time to receive a notification', seconds(parseDuration(callbackTimeout))],
  ['Time to end after a signal', seconds(maxShutdownMs)],
  ['Namespaces', optionDefaults.limits.namespaces],
  [
    'Exchanges in the journal, of each namespace',
    `${optionDefaults.limits.journalEntries}; ${servedJournalEntries} with \`serve\``,
  ],
  ['Exchanges stored with headers and bodies', `${optionDefaults.storedExchanges} with \`serve\``],
  ['Characters stored of each body', maxBodyCharacters],
  ['Readers of event streams', maxReaders],
  ['Tasks, of each namespace', `any number; ${optionDefaults.servedRetention.tasks} with \`serve\``],
  ['Age of tasks', 'any'],
  [
    'Idle time of a namespace',
    `any; ${optionDefaults.servedRetention.idle.replace('h', ' h')} with \`serve\``,
  ],
  ['Rules', maxRules],
  ['Variables of rules, of each namespace', maxVariables],
  ['Time that mode `auto` moves by itself', hours(defaultLimitMs)],
  ['Participants of a clock', maxParticipants],
  ['Files that a scenario extends', maxFiles],
  ['Aliases in YAML', maxAliases],
]

const docs = readFileSync(new URL('../docs/reference/limits.md', import.meta.url), 'utf8')
const rows = docs
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| What'))
  .map((line) => line.split('|').map((cell) => cell.trim()))

it('lists in docs/reference/limits.md the limits that the code has, and no others', () => {
  const all = [...inCaps, ...others]
  const isRemoved = (what?: string): boolean =>
    all.some(([each, limit]) => each === what && (limit as unknown) === undefined)
  expect(rows.flatMap(([, what, limit]) => (isRemoved(what) ? [] : [[what, limit]]))).toEqual(
    all.flatMap(([what, limit]) => (isRemoved(what) ? [] : [[what, String(limit)]])),
  )
})

it('lists each cap once', () => {
  expect(inCaps).toHaveLength(Object.keys(caps).length)
})

it('says for each limit what comes of going beyond it', () => {
  for (const row of rows) expect(row[4], row[1]).toBeTruthy()
})

it('names as options only keys of the config', () => {
  const config = ['config', 'scenario']
    .map((name) => readFileSync(new URL(`../docs/reference/${name}-keys.md`, import.meta.url), 'utf8'))
    .join('\n')
  for (const [, what, , option = ''] of rows) {
    const key = /`(?:\w+\.)?(\w+)/.exec(option)?.[1]
    if (key !== undefined) expect(config, what).toMatch(new RegExp(`\\| \`(?:\\w+\\.)?${key}\``))
  }
})

const native = '/v1beta/models/sim-text-1'
const nativeEmbedding = '/v1beta/models/sim-embedding-1:embedContent'

it.each(
  servedRows([
    ['/v1/video/generations', 400],
    ['/v1/videos', 400],
    ['/v1/chat/completions', 400],
    ['/mj/submit/imagine', 400],
    ['/_greenroom/clock/advance', 400],
    [`${native}:generateContent`, 413],
    [`${native}:streamGenerateContent?alt=sse`, 413],
    [`${native}:countTokens`, 413],
    [nativeEmbedding, 413],
  ]),
)('refuses a large body of %s with %i', async (path, status) => {
  await using sim = createSimulator({ cacheDir: false, limits: { bodyMegabytes: 0.01 } })
  const body = JSON.stringify({ prompt: 'x'.repeat(caps.controlBodyBytes) })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const answer = await sim.fetch(`https://gateway.example${path}`, { method: 'POST', headers, body })
  expect(answer.status).toBe(status)
})

it.each([
  ['text', 500_000, 'image is larger than 0.25 MB'],
  ['picture', 350_000, 'The image is too large: 0.26 MB, while at most 0.25 MB are taken.'],
])('names a small limit of images as it is, by their %s', async (_, length, message) => {
  await using sim = createSimulator({ cacheDir: false, limits: { imageMegabytes: 0.25 } })
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', image: 'A'.repeat(length) })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const answer = await sim.fetch('https://gateway.example/v1/videos', { method: 'POST', headers, body })
  expect(await answer.text()).toContain(message)
})

const chat = '/v1/chat/completions'
const asks = { model: 'sim-text-1', messages: [{ role: 'user', content: 'Why?' }] }
const asksNatively = { contents: [{ parts: [{ text: 'Why?' }] }] }
const functions = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ name: `f${n}` }))
const schemaOf = (schema: object): object => ({
  ...asks,
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
})
const named = (count: number, of: (n: number) => object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, of(n)]))
const nested = (depth: number): object =>
  depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) }

it.each<[what: string, path: string, withOf: (count: number) => object, most: number, message: string]>(
  servedRows([
    ['answers', chat, (n) => ({ ...asks, n }), maxAnswers, 'from 1 to 128'],
    [
      'answers',
      `${native}:generateContent`,
      (candidateCount) => ({ ...asksNatively, generationConfig: { candidateCount } }),
      maxCandidates,
      'from 1 to 8',
    ],
    [
      'tools',
      chat,
      (count) => ({ ...asks, tools: functions(count).map((each) => ({ type: 'function', function: each })) }),
      maxTools,
      'at most 128',
    ],
    [
      'functions',
      `${native}:generateContent`,
      (count) => ({ ...asksNatively, tools: [{ functionDeclarations: functions(count) }] }),
      maxFunctions,
      'at most 512',
    ],
    [
      'numbers',
      nativeEmbedding,
      (count) => ({ content: { parts: [{ text: 'Why?' }] }, outputDimensionality: count }),
      maxDimensions,
      'from 1 to 3072',
    ],
    [
      'inputs',
      '/v1/embeddings',
      (count) => ({
        model: 'sim-embedding-1',
        dimensions: 1,
        input: Array.from({ length: count }, () => 'a'),
      }),
      maxInputs,
      'at most 2048',
    ],
    [
      'tokens',
      '/v1/embeddings',
      (count) => ({ model: 'sim-embedding-1', input: 'a '.repeat(count).trimEnd() }),
      maxInputTokens,
      'at most 8192',
    ],
    ['levels', chat, (count) => schemaOf(nested(count)), caps.schemaDepth, 'than 64 levels'],
    [
      'patterns',
      chat,
      (count) => schemaOf({ type: 'object', properties: named(count, (n) => ({ type: 'string', pattern: `a{${n + 1}}` })) }), // prettier-ignore
      maxPatterns,
      'more than 50',
    ],
    ['signs', chat, (count) => schemaOf({ type: 'string', pattern: `[${'a'.repeat(count - 2)}]` }), maxPatternLength, 'than 2000'], // prettier-ignore
    [
      'seconds',
      '/v1/video/generations',
      (duration) => ({ model: 'video-1', prompt: 'a kite', duration }),
      3_600,
      '1 and 3600',
    ],
  ]),
)('takes as many %s of %s as the table says, and no more', async (_what, path, withOf, most, message) => {
  await using sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const ask = (count: number): Promise<Response> =>
    sim.fetch(`https://gateway.example${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(withOf(count)),
    })
  expect((await ask(most)).status).toBe(200)
  const refused = await ask(most + 1)
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(message)])
})
