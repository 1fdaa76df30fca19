import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import type { NamespaceHandle } from '../embedded/namespace-handle.ts'
import type { Expect, InvariantName } from '../scenario/vocabulary/types.ts'
import type { WordedVerdict } from '../embedded/watched-run.ts'
import type { ExploredClient, ExploreOptions } from '../embedded/explore-options.ts'
import type { Exploration } from '../judge/explore/index.ts'
import type { Endpoint } from './options.ts'

/**
 * The gateway of one test: a namespace with its own time, tasks, rules and exchanges. Changes affect only this test.
 *
 * @example
 * const gateway: TestGateway = useGreenroom()
 * it('meets a gateway that is busy once', async () => {
 *   gateway.next('chat.complete', { respond: { status: 503 } })
 *   const client = new MyClient(gateway)
 *   await expect(client.ask('Why do kites fly?')).rejects.toThrow('503')
 * })
 */
export interface TestGateway extends NamespaceHandle, Endpoint {
  /** The base URL for the client of this test, without a trailing slash. */
  readonly baseUrl: string
  /** A valid key. Requests with it belong to this test. */
  readonly key: string
  /** A `fetch` for clients that accept one. Its requests belong to this test, whatever their URL and key. */
  readonly fetch: typeof fetch
  /** The simulator, which all tests of the `useGreenroom` share. */
  readonly simulator: EmbeddedSimulator
  /**
   * Adds expectations, which are judged at the end of this test. Lists are concatenated.
   * @example
   * const gateway = useGreenroom()
   * it('keeps what it has made', async () => {
   *   gateway.expect({ artifacts: [{ kind: 'video', downloaded: 'intact' }] })
   *   await new MyClient(gateway).makeVideo('a red kite')
   * })
   */
  expect(more: Expect): void
  /**
   * Expects that the client of this test misbehaves. The test passes only if the verdict finds exactly these failures.
   * @param what an invariant, or the path of an expectation, such as `tasks[0]`.
   * @example
   * const gateway = useGreenroom()
   * it('catches a client that downloads too early', async () => {
   *   gateway.expectFailure('no-early-download')
   *   const client = new MyClient(gateway)
   *   const id = await client.submitVideo('a red kite')
   *   await client.get(`/v1/videos/${id}/content`)
   * })
   */
  expectFailure(what: InvariantName | (string & {}), ...others: string[]): void
  /**
   * Skips the verdict at the end of this test.
   * @example
   * const gateway = useGreenroom()
   * it('may forget its key', async () => {
   *   gateway.skipVerdict()
   *   const { status } = await gateway.fetch('https://gateway.example/v1/models')
   *   expect(status).toBe(401)
   * })
   */
  skipVerdict(): void
  /**
   * Resolves when the client of this test is idle: no response or render is in progress, and in mode `auto`, nothing on the
   * clock would wake it. In the modes `host` and `manual`, responses that wait for time don't count: your test moves it. In a real page, it can't know of requests that are still in MSW's worker: wait for what the page shows.
   * @example
   * const gateway = useGreenroom()
   * it('shows the video in the end', async () => {
   *   const client = new MyClient({ fetch: gateway.fetch, sleep: gateway.clock.sleep })
   *   const making = client.makeVideo('a red kite')
   *   await gateway.idle()
   *   expect(gateway).toHaveSettled({ status: 'SUCCESS' })
   *   await making
   * })
   */
  idle(): Promise<void>
  /**
   * Judges the client so far. The test is also judged at its end.
   * @example
   * const gateway = useGreenroom()
   * it('makes a video well', async () => {
   *   await new MyClient(gateway).makeVideo('a red kite')
   *   expect(await gateway.verdict()).toPass()
   * })
   */
  verdict(): Promise<WordedVerdict>
  /**
   * Searches the client for bugs. Runs it repeatedly, each time with a fault at another request, and fails if the client
   * misbehaves. Requests to `baseUrl`, also through MSW, go to the simulator of the current run.
   * @param client runs the client once. The client must use the given `sleep`.
   * @throws {ExploreError} for findings, with a scenario for each.
   * @example
   * const gateway = useGreenroom()
   * it('survives what a gateway may do', async () => {
   *   const { baseUrl } = gateway
   *   const client = ({ sleep }: ExploredGateway) =>
   *     new MyClient({ fetch, baseUrl, sleep }).makeVideo('a red kite')
   *   await gateway.explore(client, { only: ['slow 40s'] })
   * })
   */
  explore<T, Store = undefined>(
    client: ExploredClient<T, Store>,
    options?: ExploreOptions<T, Store>,
  ): Promise<Exploration>
}

/** The keys of a gateway. The type ensures that the list is complete. */
const names: Readonly<Record<keyof TestGateway, true>> = {
  name: true,
  key: true,
  clock: true,
  tasks: true,
  task: true,
  transition: true,
  journal: true,
  usage: true,
  clear: true,
  reset: true,
  addRule: true,
  next: true,
  removeRule: true,
  rules: true,
  snapshot: true,
  restore: true,
  events: true,
  watch: true,
  expectNoAbandonedTasks: true,
  requestFields: true,
  baseUrl: true,
  fetch: true,
  simulator: true,
  expect: true,
  expectFailure: true,
  skipVerdict: true,
  idle: true,
  verdict: true,
  explore: true,
}

/** A gateway that delegates to that of the present test. */
export function createTestGateway(present: () => TestGateway): TestGateway {
  return new Proxy({} as TestGateway, {
    // Printers and promises read other keys, also outside of tests.
    get: (_target, name) => (Object.hasOwn(names, name) ? Reflect.get(present(), name) : undefined),
    has: (_target, name) => Object.hasOwn(names, name),
    set: () => false,
  })
}
