import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown, type OutputChunk } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import * as forBrowsers from '../../src/browser.ts'
import * as forNode from '../../src/index.ts'

/** What may reach a page, in bytes after minifying and gzip. The only place where these numbers stand. */
const limits = {
  /** What is loaded with the first import. The order of modules alone changes it by 1,200 bytes: gzip finds repeats within 32 kB. */
  atOnce: 293_000,
  /**
   * With all that is loaded when it is needed: the icons, words and glyphs of pictures (680 kB of it), words of texts, the readers of
   * YAML and of the schema, regular expressions.
   */
  altogether: 1_320_000,
}

const folder = fileURLToPath(new URL('../../dist/browser/', import.meta.url))

/** As the bundler of a page makes it, with all packages put in. */
async function bundled(): Promise<OutputChunk[]> {
  const bundle = await rolldown({ input: `${folder}index.js`, platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return output.filter((file) => file.type === 'chunk')
}

it('has the names of the entry for Node', () => {
  expect(Object.keys(forBrowsers).toSorted()).toEqual(Object.keys(forNode).toSorted())
})

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.js'),
)

it.each(files)('imports nothing of Node, and uses no global of it, in dist/browser/%s', (path) => {
  expect(ofNode(readFileSync(folder + path, 'utf8'))).toEqual([])
})

it('would see what is of Node', () => {
  const text = `import { a } from 'node:fs'; import b from 'path'; export { c } from 'os'; import('zlib').then(process.exit)
    const d = { Buffer, process: 1 }; d.process; e[setImmediate]; globalThis.process?.version; require('x'); __dirname`
  expect(ofNode(text)).toEqual(
    ['node:fs', 'path', 'os', 'zlib', 'process', 'Buffer', 'setImmediate', 'require', '__dirname'].toSorted(),
  )
})

it('stays as small as a page may expect', async () => {
  const chunks = new Map((await bundled()).map((chunk) => [chunk.fileName, chunk]))
  const atOnce = new Set<string>()
  const visit = (name: string): void => {
    expect([...chunks.keys()], `${name} is left outside`).toContain(name)
    if (atOnce.has(name)) return
    atOnce.add(name)
    chunks.get(name)!.imports.forEach(visit)
  }
  visit('index.js')
  const size = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)!.code).length, 0)
  expect(size(atOnce)).toBeLessThan(limits.atOnce)
  expect(size(chunks.keys())).toBeLessThan(limits.altogether)
  // A limit that nothing comes near is none.
  expect(size(atOnce)).toBeGreaterThan(limits.atOnce * 0.8)
  expect(size(chunks.keys())).toBeGreaterThan(limits.altogether * 0.8)
})

const globalsOfNode = [
  'process',
  'Buffer',
  'require',
  'setImmediate',
  '__dirname',
  '__filename',
  'global',
  'module',
]

interface AstNode {
  readonly type: string
  readonly [key: string]: unknown
}

/** Lists the Node modules and globals that a program uses. Properties of `globalThis` are optional, so they do not count. */
function ofNode(code: string): string[] {
  const found = new Set<string>()
  const visit = (node: AstNode, role = '', parent?: AstNode): void => {
    const source = node['source'] as AstNode | null | undefined
    const name = node.type === 'Identifier' ? String(node['name']) : ''
    if (typeof source?.['value'] === 'string' && isBuiltin(source['value'])) found.add(source['value'])
    const isNameOnly =
      (role === 'property' || role === 'key') && !parent?.['computed'] && !parent?.['shorthand']
    if (globalsOfNode.includes(name) && !isNameOnly) found.add(name)
    for (const [key, value] of Object.entries(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, key, node)
  }
  visit(parseAst(code) as unknown as AstNode)
  return [...found].toSorted()
}

function isBuiltin(name: string): boolean {
  return name.startsWith('node:') || builtinModules.includes(name)
}

function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value
}
