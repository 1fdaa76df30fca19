import { readdirSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { unservedRequests, type Api } from '../src/apis/define/api.ts'
import { apis, sdkVariables, shippedOperations } from '../src/apis/index.ts'
import { invariantNames } from '../src/judge/invariants/invariants.ts'
import { faultTypes } from '../src/scenario/faults/index.ts'
import { keysOf } from '../src/scenario/schema/schema-walk.ts'
import { needs } from './support/needs.ts'

const all: readonly Api[] = apis
const src = new URL('../src/', import.meta.url)

/** Words that also mean something else: a medium, and the key of `timing` for the time in the queue. */
const alsoCommon = ['video', 'queued']

/** Keys of settings that also mean something else. */
const commonKeys = ['seconds', 'size', 'queue', 'lifecycle']

const names = new Set(
  [
    ...shippedOperations.names,
    ...shippedOperations.lifecycles.flatMap(({ name, states }) => [name, ...Object.keys(states)]),
  ].filter((name) => !alsoCommon.includes(name)),
)

// Some are made of the names of APIs, faults and invariants.
const generated = /(?:^|\/)lists\.ts$|^scenario\/vocabulary\/(?:types|invariant-names)\.ts$/

const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.(?:ts|tsx|js)$/.test(path) && !generated.test(path))

it('names no operation, kind of task or state outside the APIs', () => {
  const found = paths
    .filter((path) => !path.startsWith('apis/'))
    .flatMap((path) =>
      textsIn(path)
        .filter((text) => names.has(text))
        .map((text) => `src/${path} names ${JSON.stringify(text)}: ask for a role or a fact`),
    )
  expect(found).toEqual([])
})

it('names no setting of an API outside the APIs', () => {
  needs('video.submit', 'mj.imagine')
  const { options, quirks } = shippedOperations.settings
  const own = [
    ...Object.keys(quirks),
    ...Object.entries(options).flatMap(
      ([group, schema]) =>
        keysOf(schema)?.map((key) => (commonKeys.includes(key) ? `${group}\\.${key}` : key)) ?? group,
    ),
  ]
  expect(own).toEqual(expect.arrayContaining(['notifyHook', 'video\\.seconds', 'sseNewline']))
  const word = new RegExp(`\\b(?:${own.join('|')})\\b`)
  const found = paths
    .filter((path) => !path.startsWith('apis/'))
    .flatMap((path) =>
      textsIn(path, true)
        .filter((text) => word.test(text))
        .map((text) => `src/${path} names a setting: ${text}`),
    )
  expect(found).toEqual([])
})

/** By reason: the files outside the folder of faults that contain the name of a fault. */
const faultsNamed = {
  'the two ends of a connection have the names of TCP: close and reset': [
    'engine/connection-end.ts close',
    'engine/connection-end.ts reset',
    'judge/recording/observed.ts close',
    'judge/recording/observed.ts reset',
    'judge/recording/to-scenario.ts close',
    'judge/recording/to-scenario.ts reset',
    'cli/inspect/record.ts close',
    'cli/inspect/record.ts reset',
  ],
  'the error of a stream has a kind: an event, or an end of its connection': [
    'scenario/vocabulary/answer-schema.ts close',
    'scenario/vocabulary/answer-schema.ts reset',
    'apis/text/stream.ts close',
    'apis/text/stream.ts reset',
    'judge/runs/text-injections.ts reset',
  ],
  'a schema has examples': [
    'scenario/vocabulary/conditions/fault.ts truncate',
    'scenario/vocabulary/rule-schema.ts reset',
    'scenario/vocabulary/rule-schema.ts truncate',
    'scenario/vocabulary/scenario-schema.ts reset',
  ],
  'an example of a rule, as a user would write it': [
    'cli/project/scenario-draft.ts reset',
    'cli/project/scenario-draft.ts truncate',
    'dashboard/panels/ways.ts corrupt',
    'dashboard/panels/ways.ts drip',
    'dashboard/panels/ways.ts invalid-json',
    'dashboard/panels/ways.ts reset',
    'dashboard/panels/ways.ts truncate',
  ],
  'a header, an event or a method has this name too': [
    'dashboard/data/store.ts lost',
    'dashboard/frame/app.tsx lost',
    'dashboard/frame/clock-bar.tsx lost',
    'dashboard/live/stream.ts lost',
    'gateway/callbacks/deliver.ts close',
    'gateway/crash-plan.ts lost',
    'gateway/pipeline.ts lost',
    'transports/http/http.ts close',
    'transports/fetch/connection.ts close',
    'vitest/interception.ts close',
  ],
}

it('names a fault outside the folder of faults only as an example or in another sense', () => {
  const found = findNamed(faultTypes, (path) => path.startsWith('scenario/faults/'))
  expect(found).toEqual(Object.values(faultsNamed).flat().toSorted())
})

/** By reason: the files that contain the name of an invariant, other than its own. */
const invariantsNamed = {
  'a schema has examples': [
    'scenario/vocabulary/expect-schema.ts auth-on-every-call',
    'scenario/vocabulary/expect-schema.ts no-poll-after-terminal',
    'scenario/vocabulary/expect-schema.ts poll-interval',
  ],
  'an example of expectations, as a user would write it': [
    'cli/project/scenario-draft.ts auth-on-every-call',
    'cli/project/scenario-draft.ts no-duplicate-submit',
    'cli/project/scenario-draft.ts no-poll-after-terminal',
  ],
}

it('names an invariant outside its own file only as an example', () => {
  const found = findNamed(invariantNames, (path, name) => path.endsWith(`/${name}.ts`))
  expect(found).toEqual(Object.values(invariantsNamed).flat().toSorted())
})

/** By reason: the files outside the APIs whose texts contain a path, a header, a model, a variable or a name of an API. */
const apisNamed = {
  'the base URL of most SDKs ends in /v1, in an example of a variable': [
    'cli/inspect/record.ts',
    'cli/project/init.ts',
    'cli/run/run-flags.ts',
    'scenario/vocabulary/config-schema.ts',
  ],
  'a schema has examples': [
    'scenario/vocabulary/expect-schema.ts',
    'scenario/vocabulary/match-schema.ts',
    'scenario/vocabulary/options-schema.ts',
    'scenario/vocabulary/scenario-schema.ts',
  ],
  'a message about a call ends with an example': [
    'control/rules.ts',
    'control/tasks.ts',
    'embedded/clock-handle.ts',
    'embedded/namespace-handle.ts',
  ],
  'a clip has the look of a model': ['cli/project/render.ts'],
}

it('contains no path, header, model, variable or operation of an API outside the APIs, except in an example', () => {
  needs('video.submit', 'chat.complete', 'mj.imagine')
  const known = [
    ...shippedOperations.names.map((name) => name.replace('.', String.raw`\.`)),
    ...shippedOperations.lifecycles.flatMap(({ states }) =>
      Object.keys(states).filter((state) => /^[A-Z]/.test(state)),
    ),
    ...unservedRequests(apis).roots,
    ...all.flatMap(({ keys = [] }) =>
      keys.flatMap(({ in: place, name }) => (place === 'header' ? [name] : [])),
    ),
    ...new Set(all.flatMap(({ flows = [] }) => flows.flatMap(({ model }) => model ?? []))),
    ...sdkVariables.flatMap((pair) => Object.keys(pair)),
  ]
  const mark = new RegExp(`(?<![\\w-])(?:${known.join('|')})(?![\\w-])`)
  const found = paths
    .filter((path) => !path.startsWith('apis/'))
    .flatMap((path) => (textsIn(path).some((text) => mark.test(text)) ? [path] : []))
  expect(found.toSorted()).toEqual(Object.values(apisNamed).flat().toSorted())
})

it('finds names in strings, quoted keys, templates and elements, and none in comments', () => {
  const code = `
    // 'mj.fetch'
    const one = { 'mj.imagine': \`mj.modal\` }
    type State = 'SUCCESS'
    const element = <p title="FAILURE">drawing</p>
    socket.once('mj.fetch', () => {})
  `
  expect(wordsOf(code, 'tsx').texts.filter((text) => names.has(text))).toEqual([
    'mj.imagine',
    'mj.modal',
    'SUCCESS',
    'FAILURE',
    'drawing',
  ])
})

/** Finds the files that contain a known name, once each, except where the name is at home. */
function findNamed(known: readonly string[], isHome: (path: string, name: string) => boolean): string[] {
  return paths
    .flatMap((path) => {
      const texts = new Set(textsIn(path))
      return known.filter((name) => texts.has(name) && !isHome(path, name)).map((name) => `${path} ${name}`)
    })
    .toSorted()
}

interface Words {
  readonly texts: string[]
  readonly identifiers: string[]
}

const wordsFound = new Map<string, Words>()

function textsIn(path: string, withIdentifiers = false): string[] {
  const words = wordsFound.get(path) ?? readWords(path)
  wordsFound.set(path, words)
  return withIdentifiers ? [...words.texts, ...words.identifiers] : words.texts
}

function readWords(path: string): Words {
  const code = readFileSync(new URL(path, src), 'utf8')
  return wordsOf(code, path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js')
}

const listening = new Set(['on', 'once', 'off', 'emit'])

/** Whether a node is the name of an event: an argument of `on`, `once`, `off` or `emit`. */
function isEventIn(parent: unknown, node: unknown): boolean {
  const {
    type,
    callee,
    arguments: given,
  } = parent as {
    readonly type?: string
    readonly callee?: { readonly name?: string; readonly property?: { readonly name?: string } }
    readonly arguments?: readonly unknown[]
  }
  const name = callee?.property?.name ?? callee?.name
  return type === 'CallExpression' && listening.has(name ?? '') && given?.includes(node) === true
}

/** All texts of a module: string literals, the parts of templates, and texts of elements, but not the names of events; and its identifiers. */
function wordsOf(code: string, lang: 'js' | 'ts' | 'tsx'): Words {
  const texts: string[] = []
  const identifiers: string[] = []
  const visit = (node: unknown, parent: unknown): void => {
    if (typeof node !== 'object' || node === null || isEventIn(parent, node)) return
    const { type, value, name } = node as Readonly<Record<'type' | 'value' | 'name', unknown>>
    if (type === 'Identifier') identifiers.push(String(name))
    if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') texts.push(value.trim())
    if (type === 'TemplateElement') texts.push((value as { readonly raw: string }).raw)
    for (const inside of Object.values(node)) visit(inside, Array.isArray(node) ? parent : node)
  }
  visit(parseAst(code, { lang }), {})
  return { texts, identifiers }
}
