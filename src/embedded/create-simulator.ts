import type { Exploration } from '../judge/explore/index.ts'
import type { ExploredClient, ExploreOptions } from './explore-options.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import type { Middleware } from '../transports/middleware/middleware.ts'
import { embeddedSimulator, type EmbeddedSimulator, type PlayingOptions } from './embedded.ts'
import { warnOfDoubleSubmits } from './double-submits.ts'
import { setReportSaver } from './failure-report.ts'
import { reportNamespace } from './reporters.ts'
import { MessageStore } from '../gateway/messages.ts'
import { saveTestReport } from '../judge/reports/html/files.ts'
import { nodeMedia } from '../media/node.ts'
import type { MediaSource } from '../media/source.ts'
import { mediaOptions, printWarning, reportBug } from '../simulator/options.ts'
import { nodeParts } from '../simulator/node-parts.ts'
import type { Simulator } from '../simulator/simulator.ts'

/**
 * The options of {@link createSimulator}, in addition to those of every simulator.
 *
 * @example
 * const options: EmbeddedOptions = { seed: 7, ffmpeg: 'wasm', cacheDir: '.greenroom', quality: 'full' }
 * await using sim = createSimulator(options)
 * sim.core.control.health().encoder // → { candidate: 'wasm', verified: false, … }
 */
export interface EmbeddedOptions extends PlayingOptions {
  /** The encoder: a path, or `wasm`. By default ffmpeg-static if its binary is installed, otherwise wasm. */
  ffmpeg?: string
  /** The folder in which clips are cached; `false` caches them in memory only. */
  cacheDir?: string | false
}

/**
 * A simulator inside a program on Node.
 *
 * @example
 * await using sim: NodeSimulator = createSimulator({ profile: 'upstream' })
 * const { status } = await sim.fetch('https://gateway.example/v1/models')
 * status // → 401
 */
export interface NodeSimulator extends EmbeddedSimulator {
  /**
   * Creates middleware for a server of your own: for `app.use` of Express 4 and 5, of connect, and of other frameworks that
   * pass node:http's request and response. Paths that the gateway doesn't serve go to the next handler.
   *
   * @example
   * import express from 'express'
   * const app = express()
   * app.use('/gateway', sim.middleware())
   * app.get('/', (_request, response) => void response.send('a page of your own'))
   */
  middleware(): Middleware
}

/**
 * Creates a simulator in this process. Its clock is in mode `auto`, and its clips are `fast`. In all examples, `sim` is a
 * new simulator, and `MyClient` stands for your own client of the gateway.
 *
 * @param options all are optional, and override the keys of a scenario.
 * @throws {Error} for contradictory options; the message names them.
 *
 * @example
 * await using sim = createSimulator({ seed: 7, keys: ['sk-live'] })
 * const client = new MyClient({ fetch: sim.fetch, apiKey: 'sk-live' })
 * const { status, bytes } = await client.makeVideo('a red kite')
 * status // → 'SUCCESS'
 * new TextDecoder().decode(bytes.subarray(4, 8)) // → 'ftyp'
 */
export function createSimulator(options: EmbeddedOptions = {}): NodeSimulator {
  const folder = process.env['GREENROOM_REPORT']
  const sim = embeddedSimulator(options, makeMedia, {
    nodeParts,
    ...(folder && { messages: new MessageStore() }),
  })
  if (folder) setReportSaver(sim.core, (name, run) => saveTestReport(folder, name, run))
  warnOfDoubleSubmits(sim.core, options.onWarning ?? printWarning, { isPage: hasDocument, mustOverlap: true })
  const middleware = (): Middleware => loadMiddleware(sim.core, options.onWarning)
  return reportNamespace({ ...sim, middleware }, sim.core, 'default')
}

/** Whether the program imitates a page, as by jsdom or happy-dom. */
const hasDocument = (): boolean => 'document' in globalThis

const makeMedia = (all: EmbeddedOptions): MediaSource =>
  nodeMedia({ ffmpeg: all.ffmpeg, cacheDir: all.cacheDir, ...mediaOptions(all) })

/**
 * Searches a client for bugs. Runs it once without faults, then once with each fault at each request, each time with a new
 * simulator. Judges every run by what a good client does about that fault.
 *
 * @param client runs your client once, with the given `fetch`, `sleep`, `baseUrl` and `key`.
 * @param options each has a default.
 * @returns the exploration, if nothing new was found.
 * @throws {ExploreError} for findings. Its message is the report, with a scenario for each.
 *
 * @example
 * const client = ({ fetch, sleep, key }: ExploredGateway) =>
 *   new MyClient({ fetch, sleep, apiKey: key }).makeVideo('a red kite')
 * const isFailure = ({ status }: { status: string }) => status === 'FAILURE'
 * await explore(client, { only: ['503', 'fails'], isFailure }) // throws ExploreError: …
 */
export async function explore<T, Store = undefined>(
  client: ExploredClient<T, Store>,
  options: ExploreOptions<T, Store> = {},
): Promise<Exploration> {
  const { exploreClient } = await import('./explore.ts')
  // Shared: all runs render the same images and videos.
  let media: MediaSource | undefined
  const shareMedia = (all: EmbeddedOptions): MediaSource => {
    media ??= makeMedia(all)
    return { ...media, close: async () => {} }
  }
  const create = (scenario: Scenario): EmbeddedSimulator =>
    embeddedSimulator<EmbeddedOptions>({ scenario, cacheDir: false }, shareMedia, { nodeParts })
  return exploreClient(client, options, create).finally(() => media?.close())
}

/** Loads the HTTP transport only if it is used. */
function loadMiddleware(simulator: Simulator, onWarning: (message: string) => void = reportBug): Middleware {
  const loading = import('../transports/middleware/middleware.ts').then(({ createMiddleware }) =>
    createMiddleware(simulator, onWarning),
  )
  return (request, response, next) => void loading.then((mounted) => mounted(request, response, next), next)
}
