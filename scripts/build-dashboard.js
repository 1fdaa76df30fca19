// Builds the dashboard: the live page with its files, and the report as one file.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { fromSource } from './source.js'

const sources = fileURLToPath(new URL('../src/dashboard', import.meta.url))
const target = ['chrome115', 'firefox115', 'safari16.4']

/**
 * Writes both pages. Returns the files that they are made from.
 *
 * @param {string} folder such as dist/dashboard.
 */
export async function buildDashboard(folder) {
  const sourcesOfPage = await buildPage(join(folder, 'page'), 'index.html', 0)
  const report = join(folder, '.report')
  const sourcesOfReport = await buildPage(report, 'report.html', Infinity)
  writeFileSync(join(folder, 'report.html'), inlineAll(report))
  rmSync(report, { recursive: true })
  return [...sourcesOfPage, ...sourcesOfReport]
}

/**
 * @param {string} outDir
 * @param {string} page
 * @param {number} assetsInlineLimit in bytes; files up to it become data URLs.
 */
async function buildPage(outDir, page, assetsInlineLimit) {
  /** @type {typeof import('../src/apis/index.ts')} */
  const { samples } = await fromSource('apis/index.ts')
  const built = await build({
    root: sources,
    base: './',
    configFile: false,
    logLevel: 'error',
    define: { apiSamples: JSON.stringify(samples) },
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
  const { output } = /** @type {import('rolldown').RolldownOutput} */ (built)
  return output.flatMap((file) =>
    file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((name) => join(sources, name)),
  )
}

/**
 * The page with its style and its script in it, and a policy that allows nothing else.
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
  const style = withoutExtendedFonts(read('.css'))
  const script = read('.js').replaceAll('</script', String.raw`<\/script`)
  const policy = [
    `default-src 'none'`,
    `script-src '${hashOf(script)}'`,
    // Preact sets styles through the CSSOM, which needs no permission.
    `style-src '${hashOf(style)}'`,
    `font-src data:`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  // Functions, since `$` in a replacement has a meaning.
  return readFileSync(join(folder, 'report.html'), 'utf8')
    .replace(
      /<meta charset="utf-8" ?\/?>/,
      (charset) => `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    )
    .replace(/\s*<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/\s*<script type="module"[^>]*><\/script>/, '')
    .replace('</body>', () => `<script type="module">${script}</script>\n  </body>`)
}

/**
 * Leaves out the fonts of letters beyond Latin-1, which would be a fifth of the file.
 *
 * @param {string} style
 */
function withoutExtendedFonts(style) {
  return style.replaceAll(/@font-face\{[^}]*unicode-range:U\+0?100-[^}]*\}/gi, '')
}

/** @param {string} text */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
