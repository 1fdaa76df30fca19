import { join } from 'node:path'
import type { FirstClient } from '../../apis/define/flow.ts'
import { findFlow } from '../../apis/index.ts'
import type { ClientCall, FoundClient } from './find-client.ts'
import { pathFrom, type Project } from './project.ts'
import { keyOf, simulatorHead, urlOf, verdictLines, vitestHead, type TestSetting } from './test-heads.ts'

/** The name of the test file. The runner must find it, and load its format. */
export function testName({ project, runner }: Pick<TestSetting, 'project' | 'runner'>): string {
  // Node takes the format from the extension, otherwise from package.json.
  const format = runner !== 'jest' && !project.isModule ? 'm' : ''
  return `gateway.test.${format}${project.isTypeScript ? 'ts' : 'js'}`
}

/** The command that runs the test. */
export function testCommand(
  { project, runner }: Pick<TestSetting, 'project' | 'runner'>,
  path: string,
): string {
  if (runner === 'vitest') return `npx vitest run ${path}`
  if (runner === 'node') return `node --test ${path}`
  // Shells of Windows can't set a variable for one command.
  const flags = project.hasVmModules ? '--node-options=--experimental-vm-modules ' : ''
  return `npx ${flags}jest ${path}`
}

/**
 * Writes a test in which the client of the project plays the scenario, which judges it. Without a client, a small one plays it,
 * and passes.
 */
export async function firstTest(setting: TestSetting): Promise<string> {
  const { project, runner, api, found } = setting
  const { title, call, measure, code }: FirstClient = await findFlow(api).first!.load()
  if (found?.call) return ownClientTest(setting, { title, path: found.path, call: found.call })
  const isVitest = runner === 'vitest'
  const result = measure === 'length' ? 'text' : 'bytes'
  const check = `${result}.${measure}`
  const text = `${isVitest ? vitestHead(setting, { imports: 'expect, it' }) : simulatorHead(setting, { isGlobal: false })}
${isVitest ? 'it' : 'test'}('${title}', async () => {
  const ${result} = await ${call}

  ${runner === 'node' ? `assert(${check} > 0)` : `expect(${check}).toBeGreaterThan(0)`}
${isVitest ? '' : verdictLines(runner)}}${runner === 'jest' ? ', 30_000' : ''})

// A client to try it with. Call your own instead${isVitest ? `: it finds the gateway by ${names(setting)}.` : ': give it the fetch and the sleep of sim.'}
async ${code}

async function sendJson‹<Body>›(path‹: string›, body‹?: object›)‹: Promise<Body>› {
  return (await send(path, body)).json()‹ as Promise<Body>›
}

/** Sends a request, and again while the gateway is busy. */
async function send(path‹: string›, body‹?: object›)‹: Promise<Response>› {
  const headers = { authorization: ${authorization(setting)}, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  for (;;) {
    const response = await ${requestLine(setting)}
    if (response.ok) return response
    if (response.status !== 503) throw new Error(\`\${path} returned \${response.status}\`)
    await sleep(2_000)
  }
}

/** Waits in the virtual time of the test, so no real time passes. */
function sleep(ms‹: number›)‹: Promise<void>› {
  return ${isVitest ? 'gateway' : 'sim'}.clock.sleep(ms)
}
`
  return fillTypes(text, project)
}

/** Fills in the types of a test in TypeScript, which the text has between marks. */
const fillTypes = (text: string, { isTypeScript }: Project): string =>
  text.replaceAll(/‹([^›]*)›/g, isTypeScript ? '$1' : '')

const names = (setting: TestSetting): string => `${urlOf(setting).name} and ${keyOf(setting)}`

function authorization(setting: TestSetting): string {
  return setting.runner === 'vitest' ? `\`Bearer \${process.env.${keyOf(setting)}}\`` : "'Bearer sk-test'"
}

function requestLine(setting: TestSetting): string {
  if (setting.runner !== 'vitest') return 'sim.fetch(`https://gateway.example${path}`, init)'
  const { name, suffix } = urlOf(setting)
  // Paths of the test begin at the root of the gateway.
  const base = suffix === '' ? `process.env.${name}` : `process.env.${name}‹!›.slice(0, -'${suffix}'.length)`
  return `fetch(\`\${${base}}\${path}\`, init)`
}

/** The prompt of the first test. */
const firstPrompt = 'a red kite'

/** Writes a test that calls a function of the project. It finds the gateway by its variables, and by the global `fetch`. */
function ownClientTest(
  setting: TestSetting,
  {
    title,
    path,
    call: { name, field },
  }: { title: string } & Pick<FoundClient, 'path'> & { call: ClientCall },
): string {
  const { project, runner } = setting
  const local = name === 'default' ? '{ default: callClient }' : `{ ${name} }`
  const argument = field === undefined ? `'${firstPrompt}'` : `{ ${field}: '${firstPrompt}' }`
  const module = importPath(setting, path)
  const isCommonJs = runner === 'jest' && !project.hasVmModules && !project.isTypeScript
  const load = isCommonJs ? `require('${module}')` : `await import('${module}')`
  const body = `  // Loaded here, because it may read its variables when it is loaded.
  const ${local} = ${load}

  await ${name === 'default' ? 'callClient' : name}(${argument})`
  if (runner === 'vitest')
    return `${vitestHead(setting, { imports: 'afterEach, beforeEach, it, vi', clock: 'host' })}
// Timers run at once, one after the other, so that the waits of the client take no real time.
beforeEach(() => {
  vi.useFakeTimers()
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => vi.useRealTimers())

it('${title}', async () => {
${body}
})
`
  const text = `${simulatorHead(setting, { isGlobal: true })}
// The waits of the client take real time, unless you give it \`sim.clock.sleep\`.
test('${title}', async () => {
${body}

${verdictLines(runner)}}${runner === 'jest' ? ', 60_000' : ''})
`
  return fillTypes(text, project)
}

/** The path from the test to a module, in the form that the runner resolves. */
function importPath({ project, runner }: TestSetting, path: string): string {
  const relative = pathFrom(join(project.folder, project.testFolder), path)
  if (runner === 'jest') return relative.replace(/\.[jt]sx?$/, '')
  return runner === 'vitest' && project.isTypeScript ? relative.replace(/\.ts$/, '.js') : relative
}
