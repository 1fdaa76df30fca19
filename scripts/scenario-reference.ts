import { serverFlags } from '../src/cli/serve/server-flags.ts'
import { written } from '../src/scenario/files/check.ts'
import * as z from 'zod/mini'
import { configSchema } from '../src/scenario/vocabulary/config-schema.ts'
import { scenarioSchema } from '../src/scenario/vocabulary/scenario-schema.ts'

/** A JSON Schema, as far as we look at it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/**
 * The JSON Schemas (draft 2020-12) of scenario and config files, for editors. They are made from the schemas that the loaders
 * check by. What only code can tell, such as whether a pattern matches an operation, is left to the loaders.
 */
export function fileSchemas(): { scenario: JsonSchema; config: JsonSchema } {
  return {
    scenario: fileSchema(scenarioSchema, 'urn:greenroom:scenario:1'),
    config: {
      title: 'A config of greenroom',
      description: 'How `greenroom serve` and `greenroom run` set up the gateway.',
      ...fileSchema(configSchema, 'urn:greenroom:config:1'),
    },
  }
}

function fileSchema(schema: z.core.$ZodType, id: string): JsonSchema {
  const { $schema, properties, ...made } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    // A file has no lists that can't be changed.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly
      delete jsonSchema['isFlag']
    },
  }) as JsonSchema
  return {
    $schema,
    $id: id,
    ...made,
    properties: {
      $schema: { description: 'The schema of this file, for editors.', type: 'string' },
      ...properties,
    },
    patternProperties: { '^x-': { description: 'Anything, such as what anchors refer to.' } },
  }
}

const begin = '<!-- What follows is made by node scripts/scenario-schema.js -->'

/** The keys of the config file and the flags of `serve`, as tables for docs/reference/config.md. */
export function configReference(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const flags = Object.entries(serverFlags).flatMap(([name, { options }]) => {
    const { describe = '', choices, hidden } = options
    if (hidden === true) return []
    const values = choices ? ` One of ${choices.join(', ')}.` : ''
    return [
      `| \`--${name}\` | ${cell(describe.replace(/ {2}\[default: (.*)\]$/, '. Default $1'))}.${values} |`,
    ]
  })
  const keys = sectionOf('Keys', schema).replaceAll('](#', '](scenarios.md#')
  return [
    '## Reference',
    'Keys that must be there are **bold**. Flags win over the file.',
    keys,
    ['### Flags of serve', '', '| Flag | What it does |', '|---|---|', ...flags].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}

/** A page with its reference put in the place of the old one. */
export function withReference(page: string, reference: string): string {
  const [introduction] = page.split(begin)
  return `${introduction!.trimEnd()}\n\n${begin}\n\n${reference}`
}

/** Definitions that are explained with the values they are used for. */
const plain = new Set([
  'operation',
  'durationText',
  'count',
  'durationRange',
  'share',
  'percent',
  'window',
  'duration',
])

/**
 * Every key of a scenario file as a page of Markdown: a table for the file, and one for each part that has keys of its
 * own.
 */
export function referenceOf(schema: JsonSchema): string {
  const sections = [sectionOf('The file', schema)]
  for (const [name, definition] of Object.entries(schema.$defs ?? {})) {
    if (!plain.has(name)) sections.push(sectionOf(titleOf(name), definition))
  }
  const values = Object.entries(schema.$defs ?? {})
    .filter(([name]) => plain.has(name))
    .map(
      ([name, { description = '', examples = [] }]) =>
        `| ${link(name)} | ${cell(description)} | ${formatExamples(examples)} |`,
    )
  return [
    '## Reference',
    'Keys that must be there are **bold**. Editors show the same words while you type.',
    ...sections,
    ['### Values', '', '| Kind | What it is | Such as |', '|---|---|---|', ...values].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}

function sectionOf(title: string, schema: JsonSchema): string {
  const rows = rowsOf(schema, '')
  const words = schema.description === undefined ? [] : [schema.description, '']
  const table = ['| Key | Value | What it says | Such as |', '|---|---|---|---|', ...rows]
  return [`### ${title}`, '', ...words, ...(rows.length > 0 ? table : [kindOf(schema)])].join('\n')
}

/** A row for each key, and for each key inside where no section of its own explains it. */
function rowsOf(schema: JsonSchema, above: string): string[] {
  const seen = new Set<string>()
  return objectsIn(schema).flatMap(({ properties = {}, required = [] }) => {
    const hasConstant = Object.values(properties).some((property) => property['const'] !== undefined)
    return Object.entries(properties).flatMap(([key, value]) => {
      const path = `${above}${key}`
      const text = `${path} ${JSON.stringify(value)}`
      // A field that several kinds share is listed once, unless a constant distinguishes the kinds.
      if (!hasConstant && seen.has(text)) return []
      seen.add(text)
      const name = required.includes(key) ? `**\`${path}\`**` : `\`${path}\``
      const row = `| ${name} | ${kindOf(value)} | ${cell(value.description ?? '')} | ${formatExamples(value.examples ?? [])} |`
      return [row, ...rowsOf(value, `${path}${listed(value)}.`)]
    })
  })
}

function listed(schema: JsonSchema): string {
  return schema['type'] === 'array' ? '[]' : ''
}

/** The objects that may stand there, without those that have a section of their own. */
function objectsIn(schema: JsonSchema): JsonSchema[] {
  if (schema.properties) return [schema]
  const { items, anyOf, oneOf, additionalProperties } = schema as Record<string, unknown>
  const inside = [anyOf, oneOf].flatMap((list) => (list as JsonSchema[] | undefined) ?? [])
  const values = [items, additionalProperties].filter((each) => typeof each === 'object' && each !== null)
  return [...inside, ...(values as JsonSchema[])].filter((each) => each.$ref === undefined).flatMap(objectsIn)
}

function kindOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return link(schema.$ref.replace('#/$defs/', ''))
  const {
    type,
    anyOf,
    oneOf,
    items,
    additionalProperties,
    const: constant,
  } = schema as Record<string, unknown>
  const words = schema['enum'] as readonly unknown[] | undefined
  if (words) return words.map((word) => `\`${String(word)}\``).join(', ')
  if (constant !== undefined) return `\`${String(constant)}\``
  const several = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (several) return [...new Set(several.map(kindOf))].join(' or ')
  if (type === 'array') return `list of ${typeof items === 'object' ? kindOf(items as JsonSchema) : 'values'}`
  if (type === 'object' && schema.properties) return 'mapping'
  if (type === 'object') {
    const values =
      typeof additionalProperties === 'object' && additionalProperties !== null ? additionalProperties : {}
    return `mapping of names to ${kindOf(values as JsonSchema)}`
  }
  return [type ?? 'anything']
    .flat()
    .map((each) => typeWords[String(each)] ?? String(each))
    .join(' or ')
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
}

function titleOf(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return words[0]!.toUpperCase() + words.slice(1)
}

function link(name: string): string {
  const anchor = plain.has(name) ? 'values' : titleOf(name).toLowerCase().replaceAll(' ', '-')
  return `[${titleOf(name).toLowerCase()}](#${anchor})`
}

function formatExamples(examples: readonly unknown[]): string {
  return examples.map((example) => `\`${cell(written(example))}\``).join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
