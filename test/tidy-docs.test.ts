import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiReference } from '../scripts/api-reference.ts'
import { cliReference } from '../scripts/cli-reference.ts'
import { withFaults } from '../scripts/fault-table.ts'
import { withOperations } from '../scripts/operation-rows.ts'
import { pagesWithInstall, withInstall } from '../scripts/install-blocks.ts'
import { parseConfig } from './support/parse-config.ts'
import { commands } from '../src/cli/terminal/commands.ts'
import { loadScenario } from '../src/index.ts'
import { invariants } from '../src/judge/index.ts'
import { lintLoaded } from '../src/files/lint/lint.ts'
import { anchorsOf, blocksOf, isGenerated, pages, proseOf } from './support/docs.ts'
import { moduleOf } from './support/example-module.ts'
import { needs } from './support/needs.ts'
import './support/removed-apis.ts'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const docs = pages.filter(({ path }) => path.startsWith('docs/'))
const written = docs.filter(({ text }) => !isGenerated(text))
const blocks = written.flatMap(blocksOf)
const placeOf = ({ path, line }: { path: string; line: number }): string => `${path}:${line}`

describe('links', () => {
  it.each(pages)('from $path lead only to files and headings that exist', ({ path, text }) => {
    const prose = text.replaceAll(/^( *)(```+)[^]*?^\1\2$/gm, '').replaceAll(/`[^`\n]*`/g, '')
    const targets = [...prose.matchAll(/\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)].map(
      ([, link, attribute]) => (link ?? attribute)!,
    )
    const dead = targets.filter((target) => {
      if (/^(?:https?|mailto):/.test(target)) return false
      const url = new URL(target, new URL(path, root))
      const anchor = decodeURIComponent(url.hash.slice(1))
      url.hash = ''
      if (!existsSync(url)) return true
      return anchor !== '' && !anchorsOf(readFileSync(url, 'utf8')).has(anchor)
    })
    expect(dead).toEqual([])
  })

  it('lead from the index to every page', () => {
    const index = read('docs/README.md')
    for (const { path } of docs) if (path !== 'docs/README.md') expect(index).toContain(`(${path.slice(5)})`)
  })
})

describe('CONTRIBUTING', () => {
  const cellsOf = (heading: string): string[][] => {
    const [, section = ''] = read('CONTRIBUTING.md').split(`## ${heading}\n`)
    const rows = section
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('|'))
    return rows.slice(2).map((row) => row.split(/(?<!\\)\|/).slice(1, -1))
  }
  const missingIn = (folder: string, cells: readonly string[]): string[] => {
    const paths = cells
      .flatMap((cell) => [...cell.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)])
      .map(([, path]) => path!)
    expect(paths.length).toBeGreaterThan(8)
    return paths.filter((path) => !existsSync(new URL(`${folder}/${path}`, root)))
  }

  it('leads to sources that exist', () => {
    needs('video.submit')
    expect(missingIn('src', cellsOf('Where to look').flat())).toEqual([])
  })

  it('names tests that exist for each kind of addition', () => {
    expect(
      missingIn(
        'test',
        cellsOf('What to write for what').map(([, , tests = '']) => tests),
      ),
    ).toEqual([])
  })
})

it('explains every invariant', () => {
  const table = read('docs/reference/verdict.md')
  for (const { name } of invariants) expect(table).toContain(`| \`${name}\` |`)
})

describe('length', () => {
  it('of all docs is at most 47 pages: merge a new page with another of its topic', () => {
    expect(docs.length).toBeLessThanOrEqual(47)
  })

  const countWords = (text: string): number =>
    text.replaceAll(/<!--[^]*?-->|\]\([^)]*\)/g, ' ').match(/[\p{L}\p{N}][^\s|]*/gu)?.length ?? 0

  it('of the README is at most 1,050 words, without code', () => {
    expect(countWords(read('README.md').replaceAll(/^```[^]*?^```$/gm, ''))).toBeLessThanOrEqual(1_050)
  })

  it.each(written)('of $path is at most 1,500 words, of a tutorial 800', ({ path, text }) => {
    expect(countWords(text)).toBeLessThanOrEqual(path.startsWith('docs/tutorials/') ? 800 : 1_500)
  })
})

describe('tables', () => {
  // A `|` ends a cell, also in code and in a comment.
  const countCells = (line: string): number => line.match(/(?<!\\)\|/g)!.length

  it.each(pages)('of $path have rows with as many cells as their head', ({ path, text }) => {
    const prose = text.replaceAll(/^( *)(```+)[^]*?^\1\2$/gm, '')
    const broken = Array.from(prose.matchAll(/(?:^\|.*\n)+/gm), ([table]) =>
      table.trim().split('\n'),
    ).flatMap(([head, ...rows]) => rows.filter((row) => countCells(row) !== countCells(head!)))
    expect(broken, path).toEqual([])
  })
})

describe('generated pages', () => {
  it('describe every command and flag as --help does', async () => {
    expect(read('docs/reference/cli.md'), 'run node scripts/docs.js').toBe(await cliReference())
  })

  it('describe every export by its docstring', () => {
    expect(read('docs/reference/javascript.md'), 'run node scripts/docs.js').toBe(apiReference())
  })
})

describe('the tables of operations', () => {
  it.each(readdirSync(new URL('docs/reference/', root)))('have current rows in %s', (name) => {
    const page = read(`docs/reference/${name}`)
    expect(page, 'run node scripts/docs.js').toBe(withOperations(page))
  })

  it('get a row for each operation that has none, by its summary, and lose those of no operation', () => {
    needs('images.edit')
    const page = ['| Operation | Request | Response |', '|---|---|---|', '| `images.old` | `GET /v1/old` | an image |', '| `images.edit` | `PUT /v1/edits` | edited |', ''] // prettier-ignore
    expect(withOperations(page.join('\n')).split('\n').slice(2)).toEqual([
      '| `images.edit` | `POST /v1/images/edits` | edited |',
      '| `images.file` | `GET`, `HEAD /v1/images/files/{file}` | download an image |',
      '| `images.generate` | `POST /v1/images/generations` | make images |',
      '',
    ])
  })
})

describe('the table of faults', () => {
  it('says of each fault what its file says', () => {
    const page = read('docs/reference/faults.md')
    expect(page, 'run node scripts/docs.js').toBe(withFaults(page))
    expect(page).toContain(
      '| `reset` | The connection is reset, before the headers or in the middle of the body. |',
    )
  })
})

describe('installation', () => {
  it.each(pages.filter(({ text }) => /^npm install .*\bgreenroom\b/m.test(text)))(
    'in $path works today',
    ({ path, text }) => {
      expect(pagesWithInstall).toContain(path)
      expect(text, 'run node scripts/docs.js').toBe(withInstall(text))
    },
  )

  it('needs one line to change on the day that npm has greenroom', () => {
    for (const path of pagesWithInstall) {
      const published = withInstall(read(path), true)
      expect(published).toMatch(/^npm install --save-dev greenroom\b/m)
      expect(published).not.toMatch(/\.tgz|tarball|npm pack|until published|registry yet/)
    }
  })
})

describe('words', () => {
  /** Each with what to write instead. */
  const banned: readonly (readonly [RegExp, string])[] = [
    [/\bwho(?:m?ever)\b/i, 'client, request or caller'],
    [/\bnobody there\b/i, 'what is missing'],
    [/\banew\b/i, 'again'],
    [/\bbeside\b/i, 'next to, or compared with'],
    [/\bso (?:long|many) (?!as|that)/i, 'the duration or the number'],
    [/\bfilms?\b/i, 'video'],
    [/\b(?:dice|die)\b/i, 'random draw'],
    [/\bfor ever\b/i, 'forever'],
    [/\bcontrol plane\b/i, 'control API'],
    [/\bvacuous\b/i, 'not exercised'],
    [/\bsurfaces?\b/i, 'API'],
    [/\bwish(?:es|ed)?\b/i, 'what the user asks for'],
    [/\bis told\b|\btells of\b/i, 'says, reports or names'],
  ]

  it.each(written)('of $path are plain', ({ path, text }) => {
    const lines = proseOf(text)
      .replaceAll(/`[^`\n]*`/g, '')
      .split('\n')
    const found = lines.flatMap((line) =>
      banned.flatMap(([word, instead]) => {
        const match = word.exec(line)
        return match ? [`"${match[0]}" in "${line.trim()}": write ${instead}`] : []
      }),
    )
    // The keys and messages of reports are quoted as they are.
    expect(found, path).toEqual([])
  })
})

describe('blocks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-docs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(
    blocks.filter(({ language }) => language === 'yaml').map((block) => [placeOf(block), block] as const),
  )('of YAML are valid: %s', async (_place, { path, code, reason }) => {
    // A list is no file of greenroom, but a step of a workflow.
    // One that names an API of a tutorial runs with it.
    if (reason !== undefined || code.startsWith('- ') || /apis:|op: acme\./.test(code)) return
    if (path.endsWith('/config.md') || code.startsWith('# greenroom.config.yaml'))
      return void (await parseConfig('greenroom.config.yaml', code))
    const file = join(folder, 'snippet.yaml')
    writeFileSync(file, /^version: 1$/m.test(code) ? code : `version: 1\n${code}`)
    expect(lintLoaded(await loadScenario(file)).map(({ message }) => message)).toEqual([])
  })

  it('of a shell use commands and flags that exist', async () => {
    const wrong: string[] = []
    for (const { path, line, code, language } of blocks) {
      if (language !== 'sh') continue
      for (const [, name, rest] of code
        .replaceAll(/\\\n/g, ' ')
        .matchAll(/(?<!install.*)\bgreenroom (?!greenroom )((?:\w|-)+)(.*)$/gm)) {
        const command = commands.find((each) => each.name === name)
        if (!command) {
          if (!name!.startsWith('-')) wrong.push(`${path}:${line}: greenroom ${name}`)
          continue
        }
        const { options } = await command.load()
        const flags = [
          ...rest!
            .split(' -- ')[0]!
            .split('#')[0]!
            .matchAll(/ --(?:no-)?([a-z-]+)/g),
        ]
        for (const [, flag] of flags)
          if (!(flag! in options)) wrong.push(`${path}:${line}: greenroom ${name} --${flag}`)
      }
    }
    expect(wrong).toEqual([])
  })

  const examples = readdirSync(new URL('examples', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:[jt]sx?|py|go|sh)$/.test(path) && !path.includes('node_modules'))
    .map((path) => read(`examples/${path}`).replaceAll(/^[ \t]+/gm, ''))
  const isInExample = (code: string): boolean => {
    const plain = code.replace(/^\/\/ \S+\.js\n/, '').replaceAll(/^[ \t]+/gm, '')
    return examples.some((example) => example.includes(plain))
  }

  const programs = blocks.filter(
    ({ path, language, code, reason }) =>
      ['js', 'ts', 'jsx', 'tsx'].includes(language) &&
      reason === undefined &&
      !path.startsWith('docs/tutorials/') &&
      !isInExample(code),
  )
  /** As deep as the folder for which modules are made. */
  const modules = fileURLToPath(new URL('.greenroom/docs-programs/', root))
  const fileOf = ({ path, line }: { path: string; line: number }): string =>
    join(modules, `${path.replaceAll(/\W+/g, '-')}-${line}.ts`)

  beforeAll(() => {
    mkdirSync(modules, { recursive: true })
    for (const block of programs) writeFileSync(fileOf(block), moduleOf({ ...block, path: 'src/index.ts' }))
  })

  it.each(programs.map((block) => [placeOf(block), block] as const))(
    'of JavaScript run, or are part of an example: %s',
    async (_place, block) => void (await import(fileOf(block))),
  )

  it('of Python and Go are part of an example', () => {
    const others = blocks.filter(({ language }) => ['python', 'go'].includes(language))
    expect(others.length).toBeGreaterThan(3)
    expect(others.filter(({ code }) => !isInExample(code)).map(placeOf)).toEqual([])
  })

  it('have a language that says how they are tested', () => {
    const known = ['yaml', 'sh', 'js', 'ts', 'jsx', 'python', 'go', 'text']
    const odd = blocks.filter(
      ({ path, language, reason }) =>
        reason === undefined && !known.includes(language) && !path.startsWith('docs/tutorials/'),
    )
    expect(odd.map((block) => `${placeOf(block)} ${block.language}`)).toEqual([])
  })
})
