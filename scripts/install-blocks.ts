import { installWord, isPublished, packLines } from '../src/cli/project/project.ts'

/** The pages that install greenroom, from the root. */
export const pagesWithInstall = [
  'README.md',
  'docs/how-to/set-up.md',
  'docs/tutorials/first-ci-scenario.md',
  'docs/tutorials/first-test.md',
  'docs/tutorials/first-video.md',
  'docs/tutorials/your-vendor.md',
  'docs/tutorials/msw-page.md',
]

/** The clone, as seen from a project next to it. */
const clone = '../greenroom'

/**
 * Rewrites the lines of a page that install greenroom: from a clone, or by name once npm's registry has it. A part between
 * `<!-- until published -->` and `<!-- -->` then goes.
 */
export function withInstall(text: string, published = isPublished): string {
  const lines = [...packLines(clone, published), `npm install --save-dev ${installWord(published)}`]
  const installed = text.replaceAll(
    /^(?:npm pack .*\n)?npm install --save-dev (?:greenroom\b|\.\/greenroom-\S+\.tgz)/gm,
    () => lines.join('\n'),
  )
  return published ? installed.replaceAll(/<!-- until published -->[^]*?<!-- -->\n*/g, '') : installed
}
