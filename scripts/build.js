import { rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

// Start from an empty folder, so that a file that was renamed in src does not live on in dist.
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })

const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: new URL('..', import.meta.url),
  stdio: 'inherit',
})
process.exitCode = status ?? 1
