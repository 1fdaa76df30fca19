import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../src/index.ts'
import { never, runIn } from './cli/run-in-folder.ts'
import { blocksOf, isGenerated, pages, type Block } from './support/docs.ts'

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'greenroom-recipes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** About twenty schedules for a video: what happens most, and what is noticed least. */
const only = ['429', '503', 'reset', 'truncate', 'corrupt', 'cut stream', 'task fails']

/** A script starts about twenty processes in each run. */
const onlyOfScripts = ['503', 'truncate', 'cut stream', 'fails']

/** Tasks end at the third poll, and videos are small. */
const scenario = {
  version: 1,
  config: {
    timing: { queued: '5s', render: '6s' },
    video: { seconds: { default: 1 }, size: { default: '128x96' } },
  },
} as const

const written = pages.filter(
  ({ path, text }) => (path === 'README.md' || path.startsWith('docs/')) && !isGenerated(text),
)

/** Calls of a client that a page imports, or leaves to the reader. */
const isCall = /\b(?:makeVideo|talk|VideoPage)\b/
/** Requests to the gateway, but not to the control API alone. */
const isRequest =
  /\b(?:fetch|send|curl|requests\.\w+|http\.(?:Get|Post|NewRequest))\b[^]*\/(?:v1|v1beta|mj)\//

/** Every block of the docs that is a client of the gateway, or a part of one, unless its page says why it is not explored. */
const recipes = written.flatMap(blocksOf).filter(({ language, code, notExplored }) => {
  const isProgram = ['js', 'ts', 'jsx', 'sh', 'python', 'go', 'html'].includes(language)
  return isProgram && (isCall.test(code) || isRequest.test(code)) && notExplored === undefined
})

type Client = (prompt: string, options: object) => Promise<unknown>
type Explored = (gateway: ExploredGateway) => Promise<unknown>

/** A client as a function, or as the words of a command. */
interface Recipe {
  readonly text: string
  readonly client?: Explored
  readonly words?: readonly string[]
}

const load = async <T>(path: string): Promise<T> => (await import(`${examples}/${path}`)) as T

/** Builds an async function from code of a block. */
function compile(
  code: string,
  names: readonly string[],
): (...values: readonly unknown[]) => Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...words: string[]
  ) => (...values: readonly unknown[]) => Promise<unknown>
  return new AsyncFunction(...names, code)
}

/** The text of a call from its name to the bracket that closes it. */
function callIn(code: string, name: string): string | undefined {
  const start = code.search(new RegExp(`\\b${name}\\(`))
  if (start < 0) return undefined
  let open = 0
  for (let end = code.indexOf('(', start); end < code.length; end++) {
    if (code[end] === '(') open++
    if (code[end] === ')' && --open === 0) return code.slice(start, end + 1)
  }
  return undefined
}

/** A prompt that makes its task fail shows no client that succeeds. */
const withoutFailure = (code: string): string => code.replaceAll(/ ?\[\[fail[^\]]*\]\]/g, '')

/** Completes the call of a client with what the block has around it. */
function callOf(code: string): Recipe | undefined {
  const text = callIn(code, 'makeVideo') ?? callIn(code, 'talk')
  if (text === undefined) return undefined
  const client: Explored = async (gateway) => {
    const { makeVideo } = await load<{ makeVideo: Client }>('vitest/video.js')
    const { talk } = await load<{ talk: Client }>('vitest/talk.js')
    const bind =
      (client: Client): Client =>
      (prompt, options) =>
        client(prompt, { ...gateway, ...options })
    const clock = { sleep: gateway.sleep }
    const names = {
      makeVideo: bind(makeVideo),
      talk: bind(talk),
      gateway: { ...gateway, clock },
      sim: { ...gateway, clock },
      options: () => gateway,
      ...gateway,
      clock,
      deadline: new AbortController(),
      index: 1,
    }
    return compile(`return ${withoutFailure(text)}`, Object.keys(names))(...Object.values(names))
  }
  return { text, client }
}

/** The module `video.js` of a page that writes it, with the pieces that the page adds and replaces. */
function moduleOf(code: string, page: readonly Block[]): Recipe | undefined {
  const isModule = (block: Block): boolean => /export async function makeVideo/.test(block.code)
  const base = page.find((block) => isModule(block) && block.notExplored === undefined)?.code
  if (base === undefined) return undefined
  const pieces = page.map((block) => block.code)
  const added = pieces.find((piece) => piece.startsWith('// video.js, after send'))
  const replaced = pieces.find((piece) => piece.startsWith('// video.js, instead of the poll'))
  const isMended = code === added || code === replaced
  const text = isMended
    ? base
        .replace(/ *const response = await send\(`\/v1\/video\/generations\/\$\{id\}`\)\n/, `${replaced}\n`)
        .replace(/(?=\n {2}const body = )/, `\n${added}`)
    : base
  const client: Explored = async ({ fetch, sleep, baseUrl, key }) => {
    const run = compile(`${text.replace('export ', '')}\nreturn makeVideo('a red kite', { sleep })`, [
      'fetch',
      'sleep',
      'process',
    ])
    return run(fetch, sleep, { env: { GATEWAY_URL: baseUrl, GATEWAY_KEY: key } })
  }
  return { text, client }
}

/** The page of examples/react has the client of examples/browser. */
const pageClient: Recipe = {
  text: 'examples/browser/client.js',
  client: async (gateway) => {
    type Page = {
      makeVideo: (request: object) => Promise<{ id: string }>
      downloadVideo: (id: string) => Promise<Blob>
    }
    const { createClient } = await load<{ createClient: (gateway: ExploredGateway) => Page }>(
      'browser/client.js',
    )
    const client = createClient(gateway)
    const { id } = await client.makeVideo({ prompt: 'a red kite', duration: 1, size: '128x96' })
    return new Uint8Array(await (await client.downloadVideo(id)).arrayBuffer())
  },
}

/** The script of a page, without what draws: its real pauses pass on the virtual clock. */
function pageOf(code: string): Recipe | undefined {
  const isScript = code.includes('document.querySelector')
  if (!isScript) return undefined
  const script = /<script type="module">\n([^]*)<\/script>/.exec(code)?.[1]
  const own = code
    .replace(/^import .*$/m, '')
    .replace(/window\.sim = [^]*$/, "return makeVideo('a red kite')")
  const text = script ? `${script}\nreturn document.querySelector('video').src` : own
  const client: Explored = ({ fetch, sleep, baseUrl }) => {
    const setTimeout = (resolve: () => void, ms: number): unknown => sleep(Math.max(ms, 5_000)).then(resolve)
    const element = { textContent: '', src: '' }
    const document = { querySelector: () => element }
    const URL = { createObjectURL: async (blob: Blob) => new Uint8Array(await blob.arrayBuffer()) }
    const body = text.replace(/'http:\/\/127\.0\.0\.1:4646'/, 'baseUrl')
    return compile(body, ['fetch', 'setTimeout', 'document', 'URL', 'baseUrl'])(
      fetch,
      setTimeout,
      document,
      URL,
      baseUrl,
    )
  }
  return { text, client }
}

/** A Node program. What it saves is its result. */
function nodeProgram(text: string): Recipe {
  const client: Explored = async ({ fetch, sleep, baseUrl, key }) => {
    let saved: unknown
    const modules = {
      'node:timers/promises': { setTimeout: sleep },
      'node:fs/promises': { writeFile: (_: string, bytes: unknown) => void (saved = bytes) },
      'node:crypto': { createHash },
    }
    const names = {
      fetch,
      process: { env: { GREENROOM_URL: baseUrl, GREENROOM_KEY: key } },
      load: (name: keyof typeof modules) => modules[name],
      console: { log: (line: string) => void (saved = line) },
    }
    const body = text
      .replaceAll(/^import (\{.*\}) from ('.*')$/gm, 'const $1 = load($2)')
      .replaceAll('setTimeout as sleep', 'setTimeout: sleep')
      .replaceAll('import(', 'load(')
    await compile(body, Object.keys(names))(...Object.values(names))
    return saved
  }
  return { text, client }
}

/** A program of a page, or what the page replaces in it. */
function programOf(block: Block, page: readonly Block[]): Recipe | undefined {
  if (block.language === 'sh') return scriptOf(block, page)
  if (block.code.includes('process.env')) return nodeProgram(block.code)
  const base = page.find(({ code }) => code.startsWith('// client.js\n'))?.code
  if (!base || !block.code.startsWith('// client.js, instead of the last two lines')) return undefined
  return nodeProgram([...base.trimEnd().split('\n').slice(0, -2), block.code].join('\n'))
}

/** Lines that are typed one after the other are one script: what a line needs comes before it. */
function scriptOf(block: Block, page: readonly Block[]): Recipe {
  const before = page.filter(({ language, line }) => language === 'sh' && line < block.line)
  const isComplete = !block.code.includes('$TASK') || /^TASK=/m.test(block.code)
  const needed = isComplete ? [] : before.filter(({ code }) => code.includes('TASK'))
  const text = withoutFailure([...needed, block].map(({ code }) => code).join(''))
    .replaceAll(/(?:http:\/\/)?(?:127\.0\.0\.1|localhost):4646/g, '$GREENROOM_URL')
    .replaceAll('sk-greenroom', `'"$GREENROOM_KEY"'`)
  return { text, words: ['sh', '-c', text] }
}

/** What a block does, completed by what its page and its reader have around it. */
function recipeOf(block: Block): Recipe | undefined {
  const page = recipes.filter(({ path }) => path === block.path)
  const blocksOfPage = written.filter(({ path }) => path === block.path).flatMap(blocksOf)
  if (block.language === 'jsx') return pageClient
  return (
    moduleOf(block.code, blocksOfPage) ??
    pageOf(block.code) ??
    (block.language === 'sh' || block.code.includes('client.js') || block.code.includes('process.env')
      ? programOf(block, block.language === 'sh' ? page : blocksOfPage)
      : undefined) ??
    callOf(block.code)
  )
}

type Findings = readonly { readonly severity: string; readonly key: string }[]

/** The clock of the server sleeps, so that no run waits in real time. */
const sleepCommand = `#!/bin/sh
curl -s "$GREENROOM_URL/_greenroom/clock/sleep" -d "{\\"for\\":\\"$1s\\"}" -o /dev/null
`

async function exploreScript(words: readonly string[]): Promise<Findings> {
  writeFileSync(join(folder, 'sleep'), sleepCommand)
  chmodSync(join(folder, 'sleep'), 0o755)
  writeFileSync(join(folder, 'small.json'), JSON.stringify({ ...scenario, name: 'small' }))
  const environment = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const flags = onlyOfScripts.flatMap((each) => ['--only', each])
  const line = [
    'explore',
    'small.json',
    '--time-limit',
    '20s',
    ...flags,
    '--report',
    'json=found.json',
    '--',
    ...words,
  ]
  const { code, printed, warned } = await runIn(folder, line, { interrupted: never, environment })
  expect([0, 20], printed + warned).toContain(code)
  const { explorations } = JSON.parse(readFileSync(join(folder, 'found.json'), 'utf8')) as {
    explorations: { findings: Findings }[]
  }
  return explorations[0]!.findings
}

async function exploreClient(client: Explored): Promise<Findings> {
  try {
    await explore(client, { only, scenario })
    return []
  } catch (error) {
    if (!(error instanceof ExploreError)) throw error
    return error.findings
  }
}

/** By their text: blocks of several pages show the same client. */
const explored = new Map<string, Promise<Findings>>()

/** A script is explored together with the lines that its page adds to it. */
function wholeOf(recipe: Recipe): Recipe {
  if (!recipe.words) return recipe
  const scripts = recipes.map((block) => recipeOf(block)!).filter(({ text }) => text.startsWith(recipe.text))
  return scripts.toSorted((one, other) => other.text.length - one.text.length)[0]!
}

function exploreRecipe(recipe: Recipe): Promise<Findings> {
  const { text, client, words } = wholeOf(recipe)
  const found = explored.get(text) ?? (client ? exploreClient(client) : exploreScript(words!))
  explored.set(text, found)
  return found
}

/** What a page says at its beginning, and between the headings around a block. */
function sectionOf({ path, line }: Block): string {
  const lines = written.find((page) => page.path === path)!.text.split('\n')
  const isHeading = (text: string): boolean => /^#{2,3} /.test(text)
  const start = lines.slice(0, line).findLastIndex(isHeading)
  const end = lines.findIndex((text, index) => index >= line && isHeading(text))
  const intro = lines.slice(
    0,
    lines.findIndex((text) => text.startsWith('## ')),
  )
  return [...intro, ...lines.slice(Math.max(0, start), end < 0 ? undefined : end)].join(' ')
}

it('knows how to complete every client of the docs that does not say why it is not explored', () => {
  const unknown = recipes.filter((block) => !recipeOf(block))
  expect(unknown.map(({ path, line }) => `${path}:${line}`)).toEqual([])
  expect(recipes.length).toBeGreaterThan(30)
})

it.each(recipes.map((block) => [`${block.path}:${block.line}`, block] as const))(
  'finds nothing in %s, unless the page says that it leaves failures out',
  async (_place, block) => {
    const findings = await exploreRecipe(recipeOf(block)!)
    // Such a client shows requests, and not what to do about failures. But it works, ends, and never pays twice.
    const isSimple = /\bretr(?:y|ies) nothing\b|without a deadline, a retry or a check/.test(sectionOf(block))
    const wrong = findings.filter(
      ({ severity, key }) =>
        !isSimple || ['paid twice', 'hung'].includes(severity) || key.includes('fails-by-itself'),
    )
    expect(wrong.map(({ key }) => key)).toEqual([])
  },
  60_000,
)
