import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

type Program = ReturnType<typeof parseAst>
type Statement = Program['body'][number]

const root = new URL('../../', import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** A declaration in src with its comment. */
export interface Declared {
  readonly name: string
  readonly path: string
  readonly line: number
  /** Whether only its type is exported. */
  readonly isType: boolean
  /** Without comment markers; empty if there is no comment. */
  readonly docstring: string
  /** The methods of an interface, in order. */
  readonly methods: readonly Declared[]
}

/** A piece of code in a docstring. */
export interface Example {
  readonly path: string
  /** The line number of its first line of code. */
  readonly line: number
  readonly code: string
}

/** The code entries of the package, such as `./server`, each with its source file. */
export function entries(): Map<string, string> {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, Target> }
  type Target = string | Readonly<Record<string, string>>
  const sources = Object.entries(exports).map(([entry, target]): [string, string] => {
    const types = typeof target === 'string' ? '' : (target['types'] ?? '')
    return [entry, types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts')]
  })
  return new Map(sources.filter(([, path]) => path.endsWith('.ts')))
}

/**
 * Lists the exports of a file in src, each resolved to its declaration.
 * @throws {Error} for a name that can't be resolved.
 */
export function exportsOf(path: string): readonly Declared[] {
  let declared = exported.get(path)
  if (!declared) exported.set(path, (declared = findExports(path)))
  return declared
}

/** An entry passes on a hundred names of few files. */
const exported = new Map<string, readonly Declared[]>()

function findExports(path: string): Declared[] {
  const { body } = programOf(path)
  return body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') {
      const all = exportsOf(resolve(path, statement.source.value))
      return statement.exportKind === 'type' ? all.map((each) => ({ ...each, isType: true })) : all
    }
    if (statement.type !== 'ExportNamedDeclaration') return []
    if (statement.declaration) return declaredBy(path, statement)
    return statement.specifiers.map((specifier) => {
      const [local, name] = [nameOf(specifier.local), nameOf(specifier.exported)]
      const isType = statement.exportKind === 'type' || specifier.exportKind === 'type'
      const found = statement.source
        ? exportsOf(resolve(path, statement.source.value)).find((each) => each.name === local)
        : localNamed(path, local)
      if (!found) throw new Error(`${path}: ${local} is exported, but its declaration was not found.`)
      return { ...found, name, isType: isType || found.isType }
    })
  })
}

/** Every `@example` in src. It ends where the next tag begins, or the docstring ends. */
export function examples(): Example[] {
  const paths = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => /\.[tj]s$/.test(path))
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .toSorted()
    .flatMap(examplesIn)
}

function examplesIn(path: string): Example[] {
  const text = read(path)
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index }) => {
    const first = lineAt(text, index)
    const lines = plain(comment).split('\n')
    return lines.flatMap((line, at) => {
      if (!line.startsWith('@example')) return []
      const behind = lines.slice(at + 1)
      const end = behind.findIndex((each) => /^@\w/.test(each))
      const code = [line.slice('@example'.length).trim(), ...(end < 0 ? behind : behind.slice(0, end))]
      const blank = code.findIndex((each) => each !== '')
      return [{ path, line: first + at + blank, code: code.slice(blank).join('\n').trimEnd() }]
    })
  })
}

function declaredBy(path: string, statement: Statement): Declared[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (!declaration) return []
  const text = read(path)
  const at = (start: number): Pick<Declared, 'path' | 'line' | 'docstring'> => ({
    path,
    line: lineAt(text, start),
    docstring: docstringBefore(text, start),
  })
  const about = { ...at(statement.start), methods: [] }
  switch (declaration.type) {
    case 'VariableDeclaration':
      return declaration.declarations.map(({ id }) => ({ ...about, name: nameOf(id), isType: false }))
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [{ ...about, name: nameOf(declaration.id), isType: false }]
    case 'TSTypeAliasDeclaration':
      return [{ ...about, name: nameOf(declaration.id), isType: true }]
    case 'TSInterfaceDeclaration': {
      const methods = declaration.body.body.flatMap((member) =>
        member.type === 'TSMethodSignature'
          ? [{ ...at(member.start), name: nameOf(member.key), isType: true, methods: [] }]
          : [],
      )
      return [{ ...about, name: nameOf(declaration.id), isType: true, methods }]
    }
    default:
      return []
  }
}

/** A name of the file itself, declared in it or imported. */
function localNamed(path: string, name: string): Declared | undefined {
  for (const statement of programOf(path).body) {
    if (statement.type === 'ImportDeclaration') {
      const specifier = statement.specifiers.find((each) => each.local.name === name)
      if (specifier?.type === 'ImportNamespaceSpecifier') {
        // A package that an entry passes on as a whole.
        const line = lineAt(read(path), statement.start)
        const docstring = docstringBefore(read(path), statement.start)
        return { path, line, docstring, methods: [], name, isType: false }
      }
      if (specifier?.type !== 'ImportSpecifier') continue
      const imported = nameOf(specifier.imported)
      return exportsOf(resolve(path, statement.source.value)).find((each) => each.name === imported)
    }
    const found = declaredBy(path, statement).find((each) => each.name === name)
    if (found) return found
  }
  return undefined
}

const programs = new Map<string, Program>()

function programOf(path: string): Program {
  let program = programs.get(path)
  if (!program) programs.set(path, (program = parseAst(read(path), { lang: 'ts' }, path)))
  return program
}

const resolve = (path: string, target: string): string => posix.join(posix.dirname(path), target)

function nameOf(node: object | null): string {
  if (node && 'name' in node) return String(node.name)
  return node && 'value' in node ? String(node.value) : ''
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

function docstringBefore(text: string, start: number): string {
  const before = text.slice(0, start).trimEnd()
  if (!before.endsWith('*/')) return ''
  const comment = before.slice(before.lastIndexOf('/*'))
  return comment.startsWith('/**') ? plain(comment).trim() : ''
}

/** The lines of a comment without its markers. */
function plain(comment: string): string {
  return comment
    .replace(/\s*\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\/?\*+ ?/, '').trimEnd())
    .join('\n')
}
