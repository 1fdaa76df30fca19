import { posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { entries, exportsOf, type Declared, type Example } from './docstrings.ts'

type Program = ReturnType<typeof parseAst>

/** A range of an example with its replacement. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The folder of generated modules, relative to the project root. */
export const moduleFolder = '.greenroom/examples'

/** The number of lines in a module before the example. */
export const linesBefore = 1

/**
 * Turns an example into a module that can be compiled and run. Undeclared names are imported: those that the
 * package exports, those that its own file exports, `it`, an `expect` with our matchers, `sim` (a simulator)
 * and `client` (its client). An example that creates its own `sim` also creates its own `client`.
 *
 * - `expression // → value` asserts the value; `…` stands for the rest of a string, a list or an object.
 * - `expression // throws DurationError: message` asserts that it throws; the message is optional.
 *
 * @throws {Error} if the example can't be parsed, or such a comment follows no expression.
 */
export function moduleOf(example: Example): string {
  const { path, code } = example
  const program = programOf(example)
  const { edits, kinds } = claims(example, program)
  const { used, declared } = namesIn(program)
  const isGiven = (name: string): boolean => (used.has(name) || kinds.includes(name)) && !declared.has(name)

  const head = [
    `import { more as $more, shows as $shows, throws as $throws } from '${support('example-checks')}'`,
  ]
  const given = new Map<string, string>()
  for (const { name, isType, from } of namesFor(path)) {
    if (!isGiven(name) || given.has(name)) continue
    given.set(name, `import { ${isType ? 'type ' : ''}${name} } from '${fromFolder(from)}'`)
  }
  head.push(...given.values())
  const ofVitest = ['expect', 'it'].filter(isGiven)
  if (ofVitest.length > 0) {
    head.push(`import { ${ofVitest.join(', ')} } from 'vitest'`)
    head.push(`import '${fromFolder('src/vitest/index.ts')}'`)
  }
  if (isGiven('MyClient') || isGiven('client'))
    head.push(`import { MyClient } from '${support('my-client')}'`)
  if (!declared.has('sim') && (isGiven('sim') || isGiven('client'))) {
    head.push(`import { createSimulator as $create } from '${fromFolder('src/index.ts')}'`)
    head.push('await using sim = $create({ cacheDir: false })')
    if (isGiven('client')) head.push('const client = new MyClient({ fetch: sim.fetch })')
  }
  return `${head.join('; ')}\n${edited(code, [...edits, ...imports(path, program)])}\nexport {}\n`
}

function programOf({ path, line, code }: Example): Program {
  try {
    return parseAst(code, { lang: 'ts', sourceType: 'module' })
  } catch (error) {
    throw new Error(`${path}:${line}: the example can't be parsed: ${(error as Error).message}`)
  }
}

/** Turns comments after expressions into assertions; `kinds` are the names of errors. */
function claims({ path, line, code }: Example, { body }: Program): { edits: Edit[]; kinds: string[] } {
  const placeAt = (offset: number): string => `${path}:${line + code.slice(0, offset).split('\n').length - 1}`
  const edits: Edit[] = []
  const kinds: string[] = []
  for (const { 0: comment, index, 1: sign, 2: note = '' } of code.matchAll(/\/\/ (→|throws) (.*)$/gm)) {
    const statement = body.findLast(({ end }) => end <= index)
    const isBehind = statement && !code.slice(statement.end, index).includes('\n')
    if (statement?.type !== 'ExpressionStatement' || !isBehind)
      throw new Error(`${placeAt(index)}: "${comment}" stands behind no expression.`)
    const { start, end } = statement.expression
    const around = (before: string, behind: string): void =>
      void edits.push({ start, end: start, text: before }, { start: end, end, text: behind })
    if (sign === '→') {
      const value = note.replace(/(?<=[,{[]\s*)…(?=\s*[}\]])/g, '...$more')
      around(`;$shows('${placeAt(start)}', (`, `), (${value}))`)
      continue
    }
    const [, kind = '', message] = /^(\w+)(?:: (.*))?$/.exec(note) ?? []
    kinds.push(kind)
    const wanted = message === undefined ? kind : `${kind}, ${JSON.stringify(message)}`
    around(`;await $throws('${placeAt(start)}', async () => (`, `), ${wanted})`)
  }
  return { edits, kinds }
}

/** Rewrites the imports of the example to src. */
function imports(path: string, { body }: Program): Edit[] {
  return body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration') return []
    const { start, end, value } = statement.source
    const source = value.startsWith('.')
      ? posix.join(posix.dirname(path), value)
      : entries().get(value.replace(/^greenroom(?=\/|$)/, '.'))
    return source ? [{ start, end, text: `'${fromFolder(source)}'` }] : []
  })
}

function namesIn(program: Program): { used: Set<string>; declared: Set<string> } {
  const [used, declared] = [new Set<string>(), new Set<string>()]
  const collect = (into: Set<string>) => (node: object & { type: unknown }) => {
    if (node.type === 'Identifier' && 'name' in node) into.add(String(node.name))
  }
  visit(program, collect(used))
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && 'id' in node)
      visit(node.id, collect(declared), 'typeAnnotation')
    if (node.type === 'ImportSpecifier' && 'local' in node) visit(node.local, collect(declared))
  })
  return { used, declared }
}

/** @param except the node property to skip. */
function visit(node: unknown, look: (node: object & { type: unknown }) => void, except?: string): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) look(node)
  for (const [name, part] of Object.entries(node)) if (name !== except) visit(part, look, except)
}

/** The implicit imports of an example: the exports of its file, then those of the entries. */
function namesFor(path: string): (Declared & { from: string })[] {
  return [path, ...entries().values()].flatMap((from) => exportsOf(from).map((each) => ({ ...each, from })))
}

const fromFolder = (path: string): string => posix.relative(moduleFolder, path)

const support = (name: string): string => fromFolder(`test/support/${name}.ts`)

function edited(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), code)
}
