import { shippedOperations } from '../src/apis/index.ts'
import { lifecycleSetting } from '../src/apis/define/lifecycle-setting.ts'
import { namesFor } from '../src/scenario/schema/known-names.ts'
import * as z from 'zod/mini'
import {
  assumption,
  clockMode,
  clockDetail,
  servedClockDetail,
} from '../src/scenario/vocabulary/options-schema.ts'
import { faultName, faultObject } from '../src/scenario/faults/index.ts'
import { unwrapSchema, definitionOf } from '../src/scenario/schema/schema-walk.ts'
import { durationSpec } from '../src/scenario/schema/values.ts'
import * as answer from '../src/scenario/vocabulary/answer-schema.ts'
import { configSchema } from '../src/scenario/vocabulary/config-schema.ts'
import * as gateway from '../src/scenario/vocabulary/config-schema-gateway.ts'
import * as textual from '../src/scenario/vocabulary/config-schema-text.ts'
import { expectCommand } from '../src/scenario/vocabulary/expect-command-schema.ts'
import * as expectation from '../src/scenario/vocabulary/expect-schema.ts'
import * as values from '../src/scenario/vocabulary/expect-values.ts'
import * as match from '../src/scenario/vocabulary/match-schema.ts'
import * as options from '../src/scenario/vocabulary/options-schema.ts'
import * as rule from '../src/scenario/vocabulary/rule-schema.ts'
import * as scenario from '../src/scenario/vocabulary/scenario-schema.ts'
import { rate, throttleSchema } from '../src/scenario/vocabulary/throttle-schema.ts'

type Schema = z.core.$ZodType

/** The types of the file, in its order. A schema inside another is printed by its name here. */
const types: Readonly<Record<string, Schema>> = {
  Scalar: match.scalar,
  Rule: rule.ruleSchema,
  Attempt: rule.attemptSchema,
  RuleMatch: match.matchSchema,
  TaskMatch: match.taskMatch,
  ValueMatch: match.valueMatch,
  RuleWindow: match.windowSchema,
  Respond: answer.respondSchema,
  ScriptedAnswer: textual.scriptedAnswer,
  StreamShape: answer.streamSchema,
  MediaShape: answer.mediaSchema,
  Throttle: throttleSchema,
  RateOptions: rate,
  Scenario: scenario.scenarioSchema(shippedOperations),
  ScenarioConfig: scenario.scenarioConfig(shippedOperations),
  DriveStep: scenario.driveSchema(shippedOperations),
  Flow: scenario.flow,
  Verification: scenario.verification,
  Expect: expectation.expectSchema,
  TaskExpectation: expectation.expectTasks,
  RequestExpectation: expectation.expectRequests,
  WebhookExpectation: expectation.expectWebhooks,
  StatusMatch: expectation.statusMatch,
  CommandExpectation: expectCommand,
  ArtifactExpectation: expectation.artifact,
  SequenceExpectation: expectation.sequence,
  QuietExpectation: expectation.quiet,
  AlwaysExpectation: expectation.always,
  SometimesExpectation: expectation.sometimes,
  Allowances: expectation.allow,
  InvariantName: expectation.invariantName,
  KindName: values.kind,
  Count: values.count,
  DurationRange: values.durationRange,
  GatewayOptions: options.optionsSchema(shippedOperations),
  ConfigFile: configSchema(shippedOperations),
  ClockOptions: clockDetail,
  ServedClockOptions: servedClockDetail,
  KeyRecord: options.keyRecord,
  ModelSettings: options.modelSettings(shippedOperations),
  ModelKind: options.modelKind,
  Profile: gateway.profile,
  Quirks: gateway.quirksSchema(shippedOperations),
  Timing: gateway.timingFigures,
  TimingName: gateway.timingName,
  TimingOption: gateway.timingOption,
  TimingOptions: gateway.timing,
  TextOptions: textual.textSchema,
  TextTimingOption: textual.textTimingOption,
  Price: textual.price,
}

/** Types of which every key must be there. */
const complete = new Set(['Quirks', 'Timing'])

/** A type whose keys another one has, too. */
const bases: Readonly<Record<string, string>> = { ConfigFile: 'GatewayOptions', Quirks: 'OwnQuirks' }

/** Types that rooms below write by hand. A test keeps them equal to their schemas. */
const elsewhere: readonly { name: string; schema: Schema; from: string }[] = [
  { name: 'DurationSpec', schema: durationSpec, from: '../../engine/random/distribution.ts' },
  { name: 'TaskShape', schema: rule.taskSchema, from: '../../engine/tasks/plan-task.ts' },
  { name: 'LifecycleDefinition', schema: lifecycleSetting, from: '../../engine/tasks/lifecycle.ts' },
  { name: 'ClockMode', schema: clockMode, from: '../../engine/clock/clock-settings.ts' },
  { name: 'Assumption', schema: assumption, from: '../../engine/clock/clock-settings.ts' },
  { name: 'FaultType', schema: faultName, from: '../faults/index.ts' },
  { name: 'Fault', schema: faultObject, from: '../faults/index.ts' },
  { name: 'OwnApi', schema: options.ownApi, from: '../../engine/operations/own-api.ts' },
  // A part of a type, which no schema has.
  { name: 'OwnKind', schema: z.never(), from: '../../engine/operations/own-api.ts' },
  { name: 'OwnQuirks', schema: z.strictObject({}), from: '../../engine/operations/own-api.ts' },
  { name: 'FixedAnswer', schema: textual.fixedAnswer, from: '../../text/spec.ts' },
  { name: 'TextTiming', schema: textual.textTiming, from: '../../text/spec.ts' },
]

/** Copies of a schema, such as those with another description, have its definition. */
const names = new Map<unknown, string>(
  [...Object.entries(types), ...elsewhere.map(({ name, schema }) => [name, schema] as const)].map(
    ([name, schema]) => [definitionOf(unwrapSchema(schema)), name],
  ),
)

/**
 * The types of options, config files, rules and scenarios as TypeScript, for editors: declarations that the compiler
 * makes of schemas have no docs.
 *
 * @param notes a section for each type: a sentence, and an example.
 */
export function vocabularyTypes(notes: string): string {
  const sections = new Map(
    notes
      .split(/^## /m)
      .slice(1)
      .map((section) => [
        section.slice(0, section.indexOf('\n')),
        section.slice(section.indexOf('\n')).trim(),
      ]),
  )
  const unknown = [...sections.keys()].filter((name) => !Object.hasOwn(types, name))
  if (unknown.length > 0) throw new Error(`vocabulary-types.md has no type for ${unknown.join(', ')}`)
  const declared = Object.entries(types).map(
    ([name, schema]) => `${typeComment(sections.get(name), schema)}${declaration(name, schema)}\n`,
  )
  const code = declared.join('\n')
  const imported = elsewhere.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(code))
  const imports = [...new Set(imported.map(({ from }) => from))].map(
    (from) =>
      `import type { ${imported.flatMap((each) => (each.from === from ? [each.name] : [])).join(', ')} } from '${from}'\n`,
  )
  return `// Made by node scripts/write-types.js from the schemas of this folder.\n${imports.join('')}\n${code}`
}

function typeComment(section: string | undefined, schema: Schema): string {
  const [sentence = '', code = ''] = (section ?? '').split('```ts\n')
  const description =
    sentence.trim() || z.globalRegistry.get(unwrapSchema(schema) as z.ZodMiniType)?.description
  const example = code.replace(/\n```\s*$/, '')
  if (description === undefined) return ''
  return comment(description, example === '' ? [] : ['', '@example', ...example.split('\n')])
}

const schemaOf = (name: string): Schema => types[name] ?? elsewhere.find((each) => each.name === name)!.schema

function declaration(name: string, schema: Schema): string {
  const { shape } = definitionOf(unwrapSchema(schema))
  if (!shape) return `export type ${name} = ${print(schema, name)}`
  const base = bases[name]
  const inherited = base === undefined ? undefined : definitionOf(unwrapSchema(schemaOf(base))).shape
  const own = Object.entries(shape).filter(([key]) => !inherited || !Object.hasOwn(inherited, key))
  const heritage = base === undefined ? '' : ` extends ${base}`
  return `export interface ${name}${heritage} ${printKeys(own, complete.has(name))}`
}

function print(schema: Schema, self?: string): string {
  const inner = unwrapSchema(schema)
  const {
    type,
    shape,
    element,
    items,
    valueType,
    options: branches,
    values: literals,
    entries,
  } = definitionOf(inner)
  const name = names.get(definitionOf(inner))
  if (name !== undefined && name !== self) return complete.has(name) ? `Partial<${name}>` : name
  if (branches) return [...new Set(branches.map((branch) => print(branch)))].join(' | ')
  if (shape) return printKeys(Object.entries(shape), false)
  if (element) {
    const item = print(element)
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`
  }
  if (items) return `readonly [${items.map((item) => print(item)).join(', ')}]`
  if (valueType) return `Readonly<Record<string, ${print(valueType)}>>`
  if (literals ?? entries) {
    return [...(literals ?? Object.values(entries!))].map(printLiteral).join(' | ')
  }
  const known = z.globalRegistry.get(inner as z.ZodMiniType) ?? {}
  const apiNames = namesFor(known, shippedOperations)
  // The tasks of an API of a user are a kind of their own.
  const own = known['apiNames'] === 'kinds' || known['apiNames'] === 'flows' ? ['OwnKind'] : []
  if (apiNames) return [...apiNames.map(printLiteral), ...own].join(' | ')
  if (['string', 'number', 'boolean', 'null', 'unknown'].includes(type)) return type
  throw new Error(`No TypeScript is known for a schema of type ${type}`)
}

const printLiteral = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))

function printKeys(keys: readonly (readonly [string, Schema])[], isComplete: boolean): string {
  const lines = keys.map(([key, value]) => {
    const isOptional = definitionOf(value).type === 'optional' && !isComplete
    const description = z.globalRegistry.get(value as z.ZodMiniType)?.description
    return `${description === undefined ? '' : comment(description)}${key}${isOptional ? '?' : ''}: ${print(value)}`
  })
  return `{\n${lines.join('\n').replaceAll(/^(?=.)/gm, '  ')}\n}`
}

/** @param code is not wrapped. */
function comment(text: string, code: readonly string[] = []): string {
  const lines = [...(text.length < 100 ? [text] : wrap(text)), ...code]
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

function wrap(line: string): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    if (lines.at(-1)!.length + word.length > 100) lines.push('')
    lines.push(`${lines.pop()!} ${word}`.trim())
  }
  return lines
}
