// Hooks of Node's module loader: they remove types from the sources, for scripts that need no build.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'rolldown/utils'

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const isJson = url.endsWith('.json')
  if (!isJson && !url.endsWith('.ts')) return nextLoad(url, context)
  const path = fileURLToPath(url)
  const text = await readFile(path, 'utf8')
  // Node 20 warns of modules of JSON.
  const source = isJson ? `export default ${text}` : (await transform(path, text)).code
  return { format: 'module', source, shortCircuit: true }
}
