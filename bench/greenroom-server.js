// Greenroom's server, with a clock that stands: what is measured doesn't change meanwhile, and nothing is rendered.
import { startServer } from '../dist/server/index.js'

const server = await startServer({
  port: 0,
  cacheDir: false,
  clock: { mode: 'manual' },
  text: { timing: 'instant' },
  retention: { tasks: 100_000 },
  ...(process.env['SHARD'] !== undefined && { shard: Number(process.env['SHARD']) }),
})
process.stdout.write(`${server.url}\n`)
