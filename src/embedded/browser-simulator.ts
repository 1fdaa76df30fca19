import { warnOfDoubleSubmits } from './double-submits.ts'
import type { LoadOptions } from './scenarios.ts'
import type { Exploration } from '../judge/explore/index.ts'
import type { ExploredClient, ExploreOptions } from './explore-options.ts'
import type { HttpHandler } from 'msw'
import type { HandlerOptions, HttpMaker } from '../transports/msw/msw.ts'
import { embeddedSimulator, type EmbeddedSimulator, type PlayingOptions } from './embedded.ts'
import { browserMedia } from '../media/browser.ts'
import { mediaOptions, printWarning } from '../simulator/options.ts'

/**
 * The options of {@link createSimulator} in a browser: everything that needs neither files nor encoders.
 *
 * @example
 * const options: BrowserOptions = { seed: 7, text: { mode: 'echo' }, onWarning: console.warn }
 * const sim = createSimulator(options)
 */
export interface BrowserOptions extends PlayingOptions {}

/**
 * A simulator in a page.
 *
 * @example
 * const sim: BrowserSimulator = createSimulator({ rules: [{ match: { op: 'video.poll' }, delay: '2s' }] })
 * window.addEventListener('pagehide', () => void sim.close())
 */
export interface BrowserSimulator extends EmbeddedSimulator {
  /**
   * Handlers for MSW's `setupWorker`, made with the `http` that the page imports from msw.
   * @throws {Error} for an invalid base URL, and without `http`.
   * @example
   * import { http } from 'msw'
   * import { setupWorker } from 'msw/browser'
   * const handlers = createSimulator().handlers({ baseUrl: location.origin, http })
   * await setupWorker(...handlers).start({ onUnhandledRequest: 'bypass' })
   */
  handlers<Handler = HttpHandler>(options: HandlerOptions<Handler> & { http: HttpMaker<Handler> }): Handler[]
}

/**
 * Creates a simulator in a page. Its clock is in mode `auto`. Drawings are rendered on a canvas, and videos need no
 * encoder.
 *
 * @example
 * import { http } from 'msw'
 * import { setupWorker } from 'msw/browser'
 *
 * const sim = createSimulator({ seed: 7 })
 * await setupWorker(...sim.handlers({ baseUrl: 'https://gateway.example', http })).start()
 *
 * @throws {Error} for contradictory options, which the message names.
 */
export function createSimulator(options: BrowserOptions = {}): BrowserSimulator {
  const sim = createQuietly(options)
  warnOfDoubleSubmits(sim.core, options.onWarning ?? printWarning, { isPage: () => true, mustOverlap: false })
  return sim
}

function createQuietly(options: BrowserOptions): BrowserSimulator {
  return embeddedSimulator(options, (all) => browserMedia(mediaOptions(all)))
}

/**
 * Searches a client for bugs, as in Node.
 * @throws {ExploreError} for new findings; the message is the report.
 *
 * @example
 * await explore(({ fetch }) => new MyClient({ fetch }).ask('Why do kites fly?'), { only: ['503'] }) // throws ExploreError: …
 */
export async function explore<T, Store = undefined>(
  client: ExploredClient<T, Store>,
  options: ExploreOptions<T, Store> = {},
): Promise<Exploration> {
  const { exploreClient } = await import('./explore.ts')
  return exploreClient(client, options, (scenario) => createQuietly({ scenario }))
}

/**
 * Exists so that bundlers accept code shared with Node. A page has no files, so it always fails.
 * @throws {Error} with the alternative.
 *
 * @example
 * await loadScenario('flaky.yaml') // throws Error: Failed to load flaky.yaml: a browser reads no files. …
 */
export async function loadScenario(path: string | URL, _options?: LoadOptions): Promise<never> {
  throw new Error(
    `Failed to load ${path}: a browser reads no files. Have your bundler give you its text (Vite does for an import ` +
      `of "${path}?raw"), and read that by await parseScenario(text).`,
  )
}
