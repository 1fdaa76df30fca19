// Builds the dashboard: the live page with its files, and the report as one file.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const sources = fileURLToPath(new URL('../src/dashboard', import.meta.url))
const target = ['chrome115', 'firefox115', 'safari16.4']

/**
 * Writes both pages.
 *
 * @param {string} folder such as dist/dashboard.
 */
export async function buildDashboard(folder) {
  await buildPage(join(folder, 'page'), 'index.html', 0)
  const report = join(folder, '.report')
  await buildPage(report, 'report.html', Infinity)
  writeFileSync(join(folder, 'report.html'), inlineAll(report))
  rmSync(report, { recursive: true })
}

/**
 * @param {string} outDir
 * @param {string} page
 * @param {number} assetsInlineLimit in bytes; files up to it become data URLs.
 */
async function buildPage(outDir, page, assetsInlineLimit) {
  await build({
    root: sources,
    base: './',
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      assetsDir: 'app',
      assetsInlineLimit,
      target,
      modulePreload: false,
      rolldownOptions: { input: join(sources, page) },
    },
  })
}

/**
 * The page with its style and its script in it.
 *
 * @param {string} folder
 */
function inlineAll(folder) {
  const files = readdirSync(join(folder, 'app'))
  /** @param {string} extension */
  const read = (extension) =>
    files
      .filter((name) => name.endsWith(extension))
      .map((name) => readFileSync(join(folder, 'app', name), 'utf8'))
      .join('\n')
  const style = `<style>${read('.css')}</style>`
  const script = `<script type="module">${read('.js').replaceAll('</script', String.raw`<\/script`)}</script>`
  // Functions, since `$` in a replacement has a meaning.
  return readFileSync(join(folder, 'report.html'), 'utf8')
    .replace(/\s*<link rel="stylesheet"[^>]*>/, () => style)
    .replace(/\s*<script type="module"[^>]*><\/script>/, '')
    .replace('</body>', () => `${script}\n  </body>`)
}
