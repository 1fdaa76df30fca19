// Types from the compiler, one file each as in src; programs bundled into few, since Node takes longer to find hundreds of
// small files than to read them.
import { rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = new URL('..', import.meta.url)

// Start from an empty folder, so that a file that was renamed in src does not live on in dist.
rmSync(new URL('dist', root), { recursive: true, force: true })

const compiler = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace('package.json', 'bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

/** @param {string} id */
const isOfAnotherPackage = (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[a-z]:\\/i.test(id)

/** How files are called, and what they are. */
const written = /** @type {const} */ ({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
})

const bundle = await rolldown({
  cwd: fileURLToPath(root),
  input: {
    index: 'src/index.ts',
    'server/index': 'src/server/index.ts',
    'vitest/index': 'src/vitest/index.ts',
    'matchers/index': 'src/matchers/index.ts',
    'cli/main': 'src/cli/main.ts',
    // What starts them looks for them beside itself, among the chunks.
    'chunks/wasm-encoder': 'src/media/wasm-encoder.js',
    'chunks/frame-drawer': 'src/media/frame-drawer.ts',
  },
  platform: 'node',
  transform: { target: 'node20.19' },
  external: isOfAnotherPackage,
})
await bundle.write({ dir: 'dist', ...written })
await bundle.close()

// For pages. Other packages stay outside here, too: a page's own bundler puts in what is used, and each only once.
const pages = await rolldown({
  cwd: fileURLToPath(root),
  input: { index: 'src/browser.ts' },
  platform: 'browser',
  transform: { target: ['chrome115', 'firefox115', 'safari16.4'] },
  external: isOfAnotherPackage,
})
await pages.write({ dir: 'dist/browser', ...written })
await pages.close()
