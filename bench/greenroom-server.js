// Greenroom's server, with a clock that stands: what is measured doesn't change meanwhile, and nothing is rendered.
import { createJiti } from 'jiti'
import { startServer } from '../dist/server/index.js'

/** The example of an API to serve. */
const example = process.env['EXAMPLE']
const file = new URL(`../examples/apis/${example}.ts`, import.meta.url)
const apis =
  example === undefined ? [] : [await createJiti(import.meta.url).import(file.href, { default: true })]

const server = await startServer({
  port: 0,
  cacheDir: false,
  clock: { mode: 'manual' },
  text: { timing: 'instant' },
  retention: { tasks: 100_000 },
  // Without keys, an API takes those that look like its vendor's.
  ...(example !== undefined && { keys: ['sk-bench'] }),
  apis: /** @type {import('../dist/engine/operations/own-api.js').OwnApi[]} */ (apis),
  ...(process.env['SHARD'] !== undefined && { shard: Number(process.env['SHARD']) }),
})
process.stdout.write(`${server.url}\n`)
