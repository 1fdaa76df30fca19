/**
 * There, so that what is shared with Node can be bundled; without files it always fails.
 * @throws {Error} which says what works instead.
 *
 * @example
 * await loadScenario('flaky.yaml') // throws Error: Failed to load flaky.yaml: a browser reads no files. …
 */
export async function loadScenario(path: string): Promise<never> {
  throw new Error(
    `Failed to load ${path}: a browser reads no files. Have your bundler give you its text (Vite does for an import ` +
      `of "${path}?raw"), and read that by await parseScenario(text).`,
  )
}
