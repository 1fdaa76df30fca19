import { posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { entries, exportsOf, type Declared, type Example } from './docstrings.ts'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Where modules are written, seen from the root of the project. */
export const moduleFolder = '.greenroom/examples'

/** How many lines stand in a module before the example's own. */
export const linesBefore = 1

/**
 * An example as a module that can be compiled and run. Names that it doesn't declare are given to it: those that the
 * package exports, those that its own file exports, and `sim`, a simulator, with `client`, a client of it.
 *
 * - `expression // → value` demands that it has this value; `…` in it stands for more of a text, a list or an object.
 * - `expression // throws DurationError: message` demands that it is refused; the message may be left out.
 *
 * @throws {Error} for an example that can't be parsed, and for a comment of these that stands behind no expression.
 */
export function moduleOf({ path, line, code }: Example): string {
  const place = (offset: number): string => `${path}:${line + code.slice(0, offset).split('\n').length - 1}`
  let program
  try {
    program = parseAst(code, { lang: 'ts' })
  } catch (error) {
    throw new Error(`${path}:${line}: the example can't be parsed: ${(error as Error).message}`)
  }
  const edits: { start: number; end: number; text: string }[] = []
  const used = new Set<string>()
  const declared = new Set<string>()
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration') continue
    const { start, end, value } = statement.source
    edits.push({ start, end, text: `'${targetOf(path, value)}'` })
    for (const { local } of statement.specifiers) declared.add(local.name)
  }
  for (const { 0: comment, index, 1: sign, 2: said } of code.matchAll(/\/\/ (→|throws) (.*)$/gm)) {
    const statement = program.body.findLast(({ end }) => end <= index)
    const isBehind = statement && !code.slice(statement.end, index).includes('\n')
    if (statement?.type !== 'ExpressionStatement' || !isBehind)
      throw new Error(`${place(index)}: "${comment}" stands behind no expression.`)
    const { start, end } = statement.expression
    const where = `'${place(start)}'`
    if (sign === '→') {
      const value = said!.replace(/(?<=[,{[]\s*)…(?=\s*[}\]])/g, '...$more')
      edits.push(
        { start, end: start, text: `;$shows(${where}, (` },
        { start: end, end, text: `), (${value}))` },
      )
      continue
    }
    const [, kind = '', message] = /^(\w+)(?:: (.*))?$/.exec(said!) ?? []
    used.add(kind)
    edits.push({ start, end: start, text: `;await $throws(${where}, async () => (` })
    edits.push({ start: end, end, text: `), ${kind}${message ? `, ${JSON.stringify(message)}` : ''})` })
  }
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && 'id' in node) collectNames(node.id, declared)
    collectName(node, used)
  })
  const isGiven = (name: string): boolean => used.has(name) && !declared.has(name)
  const head = [`import { more as $more, shows as $shows, throws as $throws } from '${support('shown')}'`]
  for (const each of namesFor(path)) {
    if (!isGiven(each.name)) continue
    declared.add(each.name)
    head.push(`import { ${each.isType ? 'type ' : ''}${each.name} } from '${fromFolder(each.from)}'`)
  }
  if (used.has('MyClient') || isGiven('client'))
    head.push(`import { MyClient } from '${support('my-client')}'`)
  if (isGiven('sim') || (isGiven('client') && !declared.has('sim'))) {
    head.push(`import { createSimulator as $create } from '${fromFolder('src/index.ts')}'`)
    head.push('await using sim = $create({ cacheDir: false })')
    if (isGiven('client')) head.push('const client = new MyClient({ fetch: sim.fetch })')
  }
  return `${head.join('; ')}\n${edited(code, edits)}\nexport {}\n`
}

/** What an example may use without a word: what its own file exports, then what the entries do. */
function namesFor(path: string): (Declared & { from: string })[] {
  return [path, ...entries().values()].flatMap((from) => namesOf(from).map((each) => ({ ...each, from })))
}

const known = new Map<string, Declared[]>()

function namesOf(path: string): Declared[] {
  let names = known.get(path)
  if (!names) known.set(path, (names = exportsOf(path)))
  return names
}

/** Where an import of an example leads, seen from its module. */
function targetOf(path: string, target: string): string {
  if (target.startsWith('.')) return fromFolder(posix.join(posix.dirname(path), target))
  const entry = /^greenroom(\/.*)?$/.exec(target)
  const source = entry && entries().get(`.${entry[1] ?? ''}`)
  return source ? fromFolder(source) : target
}

const fromFolder = (path: string): string => posix.relative(moduleFolder, path)

const support = (name: string): string => fromFolder(`test/support/${name}.ts`)

function edited(code: string, edits: readonly { start: number; end: number; text: string }[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end), code)
}

/** @param except the property of nodes that isn't looked into. */
function visit(node: unknown, look: (node: Node) => void, except?: string): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node && 'start' in node) look(node as Node)
  for (const [name, part] of Object.entries(node)) if (name !== except) visit(part, look, except)
}

function collectNames(pattern: unknown, names: Set<string>): void {
  visit(pattern, (node) => collectName(node, names), 'typeAnnotation')
}

function collectName(node: Node, names: Set<string>): void {
  if (node.type === 'Identifier' && 'name' in node) names.add(String(node.name))
}
