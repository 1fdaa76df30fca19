/** The first tests of `greenroom init`, by their runner. Words in double braces are filled in; code between ‹ and › is for TypeScript only. */

const client = `
// A client to try it with. Call your own instead: it finds the gateway by {{url}} and {{key}}.
async {{code}}

async function sendJson‹<Body>›(path‹: string›, body‹?: object›)‹: Promise<Body>› {
  return (await send(path, body)).json()‹ as Promise<Body>›
}

/** Sends a request, and again while the gateway is busy. */
async function send(path‹: string›, body‹?: object›)‹: Promise<Response>› {
  const headers = { authorization: \`Bearer \${process.env.{{key}}}\`, 'content-type': 'application/json'{{headers}} }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  for (;;) {
    const response = await fetch(new URL(path, process.env.{{url}}), init)
    if (response.ok) return response
    if (response.status !== 503) throw new Error(\`\${path} returned \${response.status}\`)
    await sleep(2_000)
  }
}

/** Waits in the virtual time of the test, so no real time passes. */
function sleep(ms‹: number›)‹: Promise<void>› {
  return {{simulator}}.clock.sleep(ms)
}
`

export const vitestTest = `// @vitest-environment node
import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
{{importApi}}
// Each test plays the scenario from its start, with the variables of its \`config.env\`, and is judged by its \`expect\`.
const gateway = useGreenroom({ scenario: \`\${import.meta.dirname}/{{scenario}}\`{{apis}} })

it('{{title}}', async () => {
  const {{result}} = await {{call}}

  expect({{measure}}).toBeGreaterThan(0)
})
${client}`

/** Starts a simulator for each test: the client finds it by its variables, and by the global `fetch`. */
const simulator = `
// Each test plays the scenario from its start.
let sim‹: NodeSimulator›
const { fetch: realFetch } = globalThis
beforeEach(async () => {
  sim = createSimulator({ scenario: await loadScenario({{scenarioPath}}{{loadOptions}}) })
  globalThis.fetch = sim.fetch
  process.env.{{url}} = 'https://gateway.example{{suffix}}'
  process.env.{{key}} = sim.key
})
afterEach(async () => {
  globalThis.fetch = realFetch
  await sim.close()
})
`

export const nodeTest = `import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createSimulator, loadScenario‹, type NodeSimulator› } from 'greenroom'
{{importApi}}${simulator}
test('{{title}}', async () => {
  const {{result}} = await {{call}}

  assert({{measure}} > 0)
  const { results } = await sim.verdict()
  assert.deepEqual(results.filter(({ fails }) => fails), [])
})
${client}`

/** The first test of a process loads what a simulator needs, so it gets more than Jest's 5 s. */
export const jestTest = `/** @jest-environment node */
{{imports}}
${simulator}
test('{{title}}', async () => {
  const {{result}} = await {{call}}

  expect({{measure}}).toBeGreaterThan(0)
  const { results } = await sim.verdict()
  expect(results.filter(({ fails }) => fails)).toEqual([])
}, 30_000)
${client}`
