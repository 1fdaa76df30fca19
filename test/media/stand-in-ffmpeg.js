// An ffmpeg on the command line, as ffmpeg-static's would be, for machines without one: the WebAssembly behind
// a program that reads pipe:0 and writes pipe:1.
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'

/** What it says of itself, since loading the WebAssembly takes more than a second. */
const facts = { '-version': 'ffmpeg version 5.1.4', '-encoders': ' V....D libx264 H.264' }
const fact = process.argv.map((word) => facts[/** @type {keyof typeof facts} */ (word)]).find(Boolean)
if (fact !== undefined) {
  writeSync(1, `${fact}\n`)
  process.exit()
}
const require = createRequire(import.meta.url)
Object.assign(globalThis, { self: globalThis, location: { href: '' } })
/** @type {(options: { wasmBinary: Buffer }) => Promise<any>} */
// @ts-ignore It comes without types.
const createCore = require('@ffmpeg/core')
const core = await createCore({ wasmBinary: readFileSync(require.resolve('@ffmpeg/core/wasm')) })
core.setLogger((/** @type {{ type: string, message: string }} */ { type, message }) => {
  if (message !== 'Aborted()') writeSync(type === 'stdout' ? 1 : 2, `${message}\n`)
})
let args = process.argv.slice(2)
if (args.includes('pipe:0')) core.FS.writeFile('/input', readFileSync(0))
args = args.map((argument) => ({ 'pipe:0': '/input', 'pipe:1': '/output' })[argument] ?? argument)
const status = core.exec(...args)
if (status === 0 && args.includes('/output')) {
  const output = core.FS.readFile('/output')
  for (let written = 0; written < output.length;) written += writeSync(1, output, written)
}
process.exitCode = status
