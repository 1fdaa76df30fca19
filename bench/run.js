// npm run bench: measures side by side, in turns, and writes docs/explanation/benchmarks.md and what the README quotes of it; `npm run bench polls` prints one section.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { operations } from './operations.js'
import { peersAreThere } from './peers/peers.js'
import { quoted } from './quotes.js'
import { measureInProcess } from './sections/in-process.js'
import { measureMedia } from './sections/media.js'
import { measureScale } from './sections/scale.js'
import { measureSharded } from './sections/sharded.js'
import { measureStart } from './sections/start.js'
import { measureThroughput } from './sections/throughput.js'
import { measureVirtualTime } from './sections/virtual-time.js'

/** @type {Record<string, () => Promise<string>>} */
const sections = {
  ...Object.fromEntries(Object.keys(operations).map((name) => [name, () => measureThroughput(name)])),
  scale: measureScale,
  time: measureVirtualTime,
  media: measureMedia,
  start: measureStart,
  process: measureInProcess,
  sharded: measureSharded,
}

const chosen = process.argv.slice(2)
const unknown = chosen.find((name) => !Object.hasOwn(sections, name))
if (unknown !== undefined) {
  console.error(`There is no section "${unknown}". Use ${Object.keys(sections).join(', ')}.`)
  process.exit(2)
}
if (!peersAreThere) console.error('Without the peers. To have them, too: npm ci --prefix bench')

const parts = []
for (const [name, measure] of Object.entries(sections)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  const start = performance.now()
  const part = await measure()
  parts.push(part)
  process.stdout.write(`${part}\n`)
  console.error(`${name} took ${Math.round((performance.now() - start) / 1_000)} s`)
}
if (chosen.length === 0) {
  const head = `# Benchmarks

Written by \`npm run bench\`, with Node ${process.version} on ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}${peersAreThere ? '' : ', without the peers'}. Machines are noisy: only
ratios of contenders that took turns in the same run say anything, and the spread is part of the figure.

`
  const benchmarks = head + parts.join('\n')
  const readme = new URL('../README.md', import.meta.url)
  writeFileSync(new URL('../docs/explanation/benchmarks.md', import.meta.url), benchmarks)
  writeFileSync(readme, quoted(readFileSync(readme, 'utf8'), benchmarks))
}
process.exit()
