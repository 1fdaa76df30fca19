import type { EmbeddedSimulator } from '../embedded/embedded.ts'
import type { NamespaceHandle } from '../embedded/namespace-handle.ts'
import type { InvariantName } from '../scenario/invariant-names.ts'
import type { Expect } from '../judge/expectations/expect.ts'
import type { Verdict } from '../judge/verdict.ts'
import type { Endpoint } from './options.ts'

/**
 * The gateway as one test sees it: a namespace of its own, with its time, tasks, rules and exchanges. What is changed in a
 * test is changed for that test.
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
  /** Where the client of this test finds the gateway, without a slash at its end. */
  readonly baseUrl: string
  /** A key that works, and whose requests belong to this test. */
  readonly key: string
  /** A `fetch` for clients that take one. What it asks for belongs to this test, whatever the address and the key. */
  readonly fetch: typeof fetch
  /** The simulator, which all tests of the `useGreenroom` share. */
  readonly simulator: EmbeddedSimulator
  /**
   * Expects more of this test, at its end: lists add up with what is expected already.
   * @example
   * const gateway = useGreenroom()
   * it('keeps what it has made', async () => {
   *   gateway.expect({ artifacts: [{ channel: 'video', downloaded: 'intact' }] })
   *   await new MyClient(gateway).makeVideo('a red kite')
   * })
   */
  expect(more: Expect): void
  /**
   * The client of this test misbehaves, and the test is good only if the verdict finds that, and nothing else.
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
   * Judges nothing at the end of this test.
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
   * Judges what the client did until now. At its end the test is judged in any case.
   * @example
   * const gateway = useGreenroom()
   * it('makes a video well', async () => {
   *   await new MyClient(gateway).makeVideo('a red kite')
   *   expect(await gateway.verdict()).toPass()
   * })
   */
  verdict(): Promise<Verdict>
}

/** All that a gateway has; the type keeps it whole. */
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
  watch: true,
  baseUrl: true,
  fetch: true,
  simulator: true,
  expect: true,
  expectFailure: true,
  skipVerdict: true,
  verdict: true,
}

/** The gateway of whichever test reads it. */
export function gatewayOf(present: () => TestGateway): TestGateway {
  return new Proxy({} as TestGateway, {
    // Printers and promises ask for names of their own; those are no reason to look for a test.
    get: (_target, name) => (Object.hasOwn(names, name) ? Reflect.get(present(), name) : undefined),
    has: (_target, name) => Object.hasOwn(names, name),
    set: () => false,
  })
}
