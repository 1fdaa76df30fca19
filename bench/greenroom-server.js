// Greenroom's server in a process of its own that tells what processor time it has used.
import { startServer } from '../dist/server/index.js'

const server = await startServer({ port: 0, cacheDir: false })
process.stdout.write(`${server.url}\n`)
process.on('message', () => process.send?.(process.cpuUsage()))
