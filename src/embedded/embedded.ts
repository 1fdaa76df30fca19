import type { HttpHandler } from 'msw'
import { createFetch } from '../transports/fetch/create-fetch.ts'
import { mswHandlers, type HandlerOptions } from '../transports/msw/msw.ts'
import type { MediaSource } from '../media/source.ts'
import { checkedLater, checkOptions, optionsCheck } from '../simulator/check-options.ts'
import { clockOptions, type SimulatorOptions } from '../simulator/options.ts'
import { playedScenario, type PlayedScenario } from './played-scenario.ts'
import type { LoadedScenario } from '../files/types.ts'
import type { Scenario } from '../scenario/vocabulary/types.ts'
import { namedNamespace, namespaceHandle, type NamespaceHandle } from './namespace-handle.ts'
import { judgeScenario, assertPassed, type WordedVerdict } from './watched-run.ts'
import { composeSimulator, type Simulator } from '../simulator/simulator.ts'

/**
 * The options of an embedded simulator in Node and in browsers, in addition to those of every simulator.
 *
 * @example
 * const scenario = await loadScenario('scenarios/second-task-fails.yaml')
 * const options: PlayingOptions = { scenario, seed: 'another' }
 * await using sim = createSimulator(options)
 */
export interface PlayingOptions extends SimulatorOptions {
  /** The scenario to play: `await loadScenario(path)` or `defineScenario(…)`. Other options override it. */
  scenario?: LoadedScenario | Scenario
}

/**
 * A simulator in a test or a program. Its own clock, tasks and journal are those of namespace `default`; its rules apply to
 * all namespaces. `MyClient` stands for your own client, here and in the other examples.
 *
 * @example
 * await using sim: EmbeddedSimulator = createSimulator()
 * const client = new MyClient({ fetch: sim.fetch })
 * const { error } = await client.makeVideo('a red kite [[fail: content policy]]')
 * error // → 'content policy'
 */
export interface EmbeddedSimulator extends NamespaceHandle, AsyncDisposable {
  /** A `fetch` that needs no port, for any client that accepts one. */
  readonly fetch: typeof fetch
  /**
   * Handlers for MSW's `setupServer` and `setupWorker`, and for `@mswjs/http-middleware`.
   * @throws {Error} for an invalid base URL, and if msw can't be found.
   * @example
   * import { setupServer } from 'msw/node'
   * const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
   * server.listen()
   * const { status } = await fetch('https://gateway.example/v1/models')
   * status // → 401
   * server.close()
   */
  handlers<Handler = HttpHandler>(options?: HandlerOptions<Handler>): Handler[]
  /**
   * Returns a namespace, such as one for each test or user. The same name returns the same namespace.
   * @param name letters, digits, `-` and `_`.
   * @throws {Error} for a name with other characters.
   * @example
   * const [alice, bob] = [sim.namespace('alice'), sim.namespace('bob')]
   * await alice.clock.advance('1h')
   * alice.clock.now() - bob.clock.now() // → 3_600_000
   */
  namespace(name: string): NamespaceHandle
  /**
   * Judges the client by the expectations of the scenario. Without a scenario, checks the journal by all
   * invariants but `no-abandoned-task`.
   * @example
   * await client.pollVideo(await client.submitVideo('a red kite'))
   * await client.get('/v1/no-such-path')
   * const { passed, requests } = await sim.verdict()
   * passed // → true
   * requests // → 3
   */
  verdict(): Promise<WordedVerdict>
  /**
   * Like {@link verdict}, but throws if the client misbehaved: for node:test, Mocha, AVA and others.
   * @throws {VerdictError} if the verdict failed. The message is its report.
   * @example
   * const video = await client.submitVideo('a red kite [[fail: content policy]]')
   * await sim.clock.advance('1h')
   * await client.pollVideo(video)
   * await client.pollVideo(video)
   * await sim.assertVerdict() // throws VerdictError: client check failed (seed 1)…
   */
  assertVerdict(): Promise<void>
  /**
   * Resolves when no response is in progress and nothing is being rendered. It never resolves while a rule delays
   * a response forever.
   * @example
   * const video = client.makeVideo('a red kite')
   * await sim.idle()
   * const { status } = await video
   * await sim.idle()
   * sim.journal({ outcome: 'open' }) // → []
   */
  idle(): Promise<void>
  /** The simulator without a transport, for features that this interface lacks. */
  readonly core: Simulator
  /**
   * Ends encoders and clocks. Sleeping clients wake; a pending response closes its connection. Later requests fail:
   * `sim.fetch` rejects, MSW handlers and `sim.middleware()` respond with 503. `await using` calls it.
   * @example
   * const sim = createSimulator({ clock: { mode: 'scaled', rate: 60 } })
   * await sim.close()
   */
  close(this: void): Promise<void>
}

const checkPlayingOptions = optionsCheck({ scenario: checkedLater })

type OptionalParts = Pick<Parameters<typeof composeSimulator>[0], 'messages' | 'nodeParts'>

/**
 * Creates a simulator with its transports. Its clock is in mode `auto`, and its clips are `fast`.
 * @param makeMedia creates the source of media, unless the options have one.
 * @param parts `messages` stores headers and bodies, for reports; `nodeParts` are parts that only Node has.
 * @throws {Error} for contradictory options; the message names them.
 */
export function embeddedSimulator<Options extends PlayingOptions>(
  options: Options,
  makeMedia: (options: Options) => MediaSource,
  parts: OptionalParts = {},
): EmbeddedSimulator {
  checkPlayingOptions(options)
  const { scenario: played, ...own } = options
  const scenario = played && playedScenario(played, { apis: own.apis ?? [] })
  if (scenario) checkOptions(scenario.options)
  const apis = [...new Set([...(scenario?.options.apis ?? []), ...(own.apis ?? [])])]
  const all = { ...scenario?.options, ...own, ...(apis.length > 0 && { apis }) } as unknown as Options
  return embed(all, { media: all.media ?? makeMedia(all), ...parts }, scenario)
}

function embed(
  options: SimulatorOptions,
  parts: OptionalParts & { readonly media: MediaSource },
  scenario: PlayedScenario | undefined,
): EmbeddedSimulator {
  const simulator = composeSimulator({
    quality: 'fast',
    ...options,
    text: { timing: 'instant', ...options.text },
    ...parts,
    clock: clockOptions(options, 'auto'),
  })
  const judged = judgeScenario(simulator, scenario)
  return {
    ...namespaceHandle(simulator, 'default', { hasRulesForAll: true }),
    core: simulator,
    verdict: judged.verdict,
    assertVerdict: async () => assertPassed(await judged.verdict()),
    fetch: createFetch(simulator),
    handlers: (handlerOptions) => mswHandlers(simulator, handlerOptions),
    namespace: (name) => namedNamespace(simulator, name),
    reset: () => {
      judged.stop()
      simulator.reset()
      judged.begin()
    },
    idle: simulator.idle,
    close: simulator.close,
    [Symbol.asyncDispose]: simulator.close,
  }
}
