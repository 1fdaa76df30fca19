// Writes the examples of docstrings as modules, which `npm run types` compiles with all other code.
import { fromSource } from './source.js'

/** @type {typeof import('../test/support/example-modules.ts')} */
const { exampleModules, writeExampleModules } = await fromSource(
  '../test/support/example-modules.ts',
  import.meta.url,
)
writeExampleModules(exampleModules())
